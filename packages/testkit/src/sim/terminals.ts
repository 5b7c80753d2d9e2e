import type { SeededRandom } from '../seeded-random.ts';
import type { World } from './world.ts';

/** Terminals that are there from the beginning; the program of the last one may end. */
export const TERMINALS = ['ahp-terminal:/lasting', 'ahp-terminal:/ending'] as const;

const running = ({ ptys }: World) => ptys.ptys.filter((pty) => !pty.hasEnded && pty.isRead);

/** A program puts something out, now and then a lot. */
export function output(world: World, random: SeededRandom): void {
  const ptys = running(world);
  if (ptys.length === 0) return;
  world.report.count('terminalOutputs');
  const text = random.hex(random.chance(0.03) ? random.between(1_000, 20_000) : random.between(1, 30));
  random.pick(ptys).output(`${text}${random.chance(0.3) ? '\r\n' : ' é🙂 '}`);
}

/** The program of a terminal that is not there to stay ends. */
export function exit(world: World, random: SeededRandom): void {
  const ending = running(world).slice(1);
  if (ending.length === 0) return;
  world.report.count('terminalExits');
  random.pick(ending).end(random.int(3));
}
