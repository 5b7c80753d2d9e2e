import type { ClientAction, TerminalState } from '@agenthost/protocol';
import type { SeededRandom } from '@agenthost/testkit';
import type { World } from './world.ts';

/** Terminals that are there from the beginning; the program of the last one may end. */
export const TERMINALS = ['ahp-terminal:/lasting', 'ahp-terminal:/ending'] as const;

const DEEDS = { input: 4, resize: 2, claim: 2, release: 1, title: 1, clear: 0.7 } as const;

/** What somebody at a terminal does, whoever holds it. */
export function terminalAction(
  random: SeededRandom,
  state: TerminalState,
  { clientId, session }: { clientId: string; session: string },
): ClientAction {
  switch (random.weighted(DEEDS)) {
    case 'input':
      return { type: 'terminal/input', data: random.hex(random.between(1, 6)) };
    case 'resize':
      return { type: 'terminal/resized', cols: random.between(20, 90), rows: random.between(5, 40) };
    case 'claim':
      return { type: 'terminal/claimed', claim: { kind: 'client', clientId } };
    case 'release':
      return {
        type: 'terminal/claimed',
        claim: { kind: 'session', session: random.chance(0.9) ? session : 'ahp-session:/nobody' },
      };
    case 'title':
      return { type: 'terminal/titleChanged', title: `${state.title.slice(0, 3)} ${random.hex(4)}` };
    case 'clear':
      return { type: 'terminal/cleared' };
  }
}

const running = ({ ptys }: World) => ptys.ptys.filter((pty) => !pty.hasEnded && pty.isRead);

/** A program puts something out. */
export function output(world: World): void {
  const { random, report } = world;
  const [pty] = random.chance(0.5) ? running(world) : running(world).slice(-1);
  if (pty === undefined) return;
  report.count('terminalOutputs');
  pty.output(`${random.hex(random.between(1, 30))}${random.chance(0.3) ? '\r\n' : ' é🙂 '}`);
}

/** The program of the terminal that is not there to stay ends. */
export function exit(world: World): void {
  const ending = running(world)[1];
  if (ending === undefined) return;
  world.report.count('terminalExits');
  ending.end(world.random.int(3));
}
