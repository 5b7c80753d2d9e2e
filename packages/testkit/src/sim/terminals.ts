import type { World } from './world.ts';

/** Terminals that are there from the beginning; the program of the last one may end. */
export const TERMINALS = ['ahp-terminal:/lasting', 'ahp-terminal:/ending'] as const;

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
