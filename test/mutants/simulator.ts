import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Fault } from './faults.ts';

const root = join(import.meta.dirname, '../..');
const main = join(root, 'packages/testkit/src/sim/main.ts');
const preload = new URL('plant-fault.ts', import.meta.url).href;

/** The end of a run of the simulator. */
export interface SimulatorEnd {
  /** Absent when the run was ended after a failed seed. */
  readonly code: number | undefined;
  readonly failedSeed: number | undefined;
  readonly output: string;
}

/** What to run. */
export interface SimulatorRun {
  /** Fault in the product's sources. Default: none. */
  readonly fault?: Fault;
  readonly runs: number;
  /** Default 1. */
  readonly firstSeed?: number | undefined;
}

/** Throws when the text of a fault occurs never or twice in its file: the list of faults is out of date then. */
function checkPlace({ title, file, find }: Fault): void {
  const count = readFileSync(join(root, file), 'utf8').split(find).length - 1;
  if (count !== 1) throw new Error(`"${title}": ${file} has its place ${count} times, not once`);
}

/** Runs seeds from `firstSeed` on, until one fails. Does not wait for the history that follows the line of the failure. */
export async function runSimulator({ fault, runs, firstSeed = 1 }: SimulatorRun): Promise<SimulatorEnd> {
  const planting = fault === undefined ? [] : ['--import', preload];
  if (fault !== undefined) checkPlace(fault);
  const place = fault && JSON.stringify({ ...fault, url: pathToFileURL(join(root, fault.file)).href });
  const child = spawn(
    process.execPath,
    ['-C', '@agenthost/source', ...planting, main, '--seed', String(firstSeed), '--runs', String(runs)],
    { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, PLANTED_FAULT: place } },
  );
  let output = '';
  let failedSeed: number | undefined;
  const read = (chunk: Buffer): void => {
    output += chunk.toString();
    const [, seed] = /^seed (\d+) failed\n.*\n/m.exec(output) ?? [];
    if (seed === undefined || failedSeed !== undefined) return;
    failedSeed = Number(seed);
    child.kill('SIGKILL');
  };
  child.stdout.on('data', read);
  child.stderr.on('data', read);
  const [code] = await once(child, 'close');
  return { code: typeof code === 'number' ? code : undefined, failedSeed, output };
}
