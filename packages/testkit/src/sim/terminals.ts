import type { SeededRandom } from '../seeded-random.ts';
import type { SimulatedPty } from '../simulated-pty.ts';
import type { World } from './world.ts';

/** The terminal whose program is a shell with shell integration. */
export const SHELL = 'ahp-terminal:/shell';
/**
 * Terminals that exist from the start. The programs of all but the first may end. One has a scheme chosen by
 * a client.
 */
export const TERMINALS = ['ahp-terminal:/lasting', 'editor-terminal:/ending', SHELL] as const;

/** Terminals without initial subscribers. */
export const unseenTerminal = (index: number): string => `ahp-terminal:/unseen-${index}`;

/** The program of terminals other than the shell. */
export const PROGRAM = { 'x-command': ['program'] };

/** Running ptys that a host reads. */
const running = ({ ptys }: World): SimulatedPty[] => ptys.ptys.filter((pty) => !pty.hasEnded && pty.isRead);

/** A program prints something, sometimes a lot. */
export function output(world: World, random: SeededRandom): void {
  const ptys = running(world);
  if (ptys.length === 0) return;
  world.report.count('terminalOutputs');
  const text = random.hex(random.chance(0.03) ? random.between(1_000, 20_000) : random.between(1, 30));
  random.pick(ptys).output(`${text}${random.chance(0.3) ? '\r\n' : ' é🙂 '}`);
}

/** Ends a program other than that of the first running pty. */
export function exit(world: World, random: SeededRandom): void {
  const ending = running(world).slice(1);
  if (ending.length === 0) return;
  world.report.count('terminalExits');
  random.pick(ending).end(random.int(3));
}

/** Ends a command that a client sent as a message. */
export function endCommand(world: World, random: SeededRandom): void {
  const commands = running(world).filter(({ spec }) => spec.command[1] === '-c');
  if (commands.length === 0) return;
  world.report.count('commandTurns');
  const command = random.pick(commands);
  if (random.chance(0.7)) command.output(`${random.hex(random.between(1, 60))}\r\n`);
  command.end(random.pick([0, 0, 1, 130]));
}

const REPORTS = { ready: 1, prompt: 3, executed: 4, finished: 3, foreign: 0.5 } as const;

/** A shell prints a report like the host's script, sometimes in two pieces. */
export function report(world: World, random: SeededRandom): void {
  const shells = running(world).flatMap((pty) => {
    const nonce = nonceOf(world, pty);
    return nonce === undefined ? [] : [{ pty, nonce }];
  });
  if (shells.length === 0) return;
  world.report.count('shellReports');
  const { pty, nonce } = random.pick(shells);
  const mark = (letter: string, text?: string): string =>
    `\u001b]633;${nonce};${letter}${text === undefined ? '' : `;${text}`}\u001b\\`;
  const said = reportOf(random, mark);
  const cut = random.chance(0.2) ? random.int(said.length) : 0;
  // The rest follows with the shell's next report, or never.
  pty.output((world.unsaid.get(pty) ?? '') + said.slice(0, said.length - cut));
  world.unsaid.set(pty, said.slice(said.length - cut));
}

function reportOf(random: SeededRandom, mark: (letter: string, text?: string) => string): string {
  const what = random.weighted(REPORTS);
  switch (what) {
    case 'ready':
      return mark('R');
    case 'prompt':
      return `${mark('P', `/${random.hex(2)}`)}${mark('A')}$ ${mark('B')}`;
    case 'executed':
      return `${mark('C', `make ${random.hex(4)}\\x3b \\xc3\\xa9`)}${random.hex(random.int(20))}`;
    case 'finished':
      return mark('D', random.pick(['', '0', '1']) || undefined);
    case 'foreign':
      return `\u001b]633;${random.hex(32)};C;rm\u001b\\\u001b]133;C\u0007`;
    default:
      return what satisfies never;
  }
}

/** The nonce in the start-up file that the host wrote for the shell. */
function nonceOf({ files }: World, { spec: { command } }: SimulatedPty): string | undefined {
  const file = command[command.indexOf('--init-file') + 1];
  return /633;([\da-f]{32});/.exec(files.get(file ?? '') ?? '')?.[1];
}
