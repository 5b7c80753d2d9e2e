import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Fault } from './faults.ts';

const root = join(import.meta.dirname, '../..');
/** The packages of the simulator; their dependencies come by links. */
const PACKAGES = ['rpc', 'protocol', 'client', 'host', 'agents', 'testkit'];
const OWN_SCOPE = '@agenthost';

/** The end of a run of the simulator. */
export interface SimulatorEnd {
  /** Absent when the run was ended after a failed seed. */
  readonly code: number | undefined;
  readonly failedSeed: number | undefined;
  readonly output: string;
}

/** A copy of the sources in a folder of its own, and a way to run the simulator on it. The caller disposes of it. */
export class SourceCopy implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'agenthost-mutant-'));

  constructor() {
    cpSync(join(root, 'package.json'), join(this.#folder, 'package.json'));
    for (const name of PACKAGES) {
      cpSync(join(root, 'packages', name), join(this.#folder, 'packages', name), {
        recursive: true,
        filter: (path) => !['dist', 'node_modules', 'schema'].includes(basename(path)),
      });
      // Dependencies that only this package has in another version.
      const own = join(root, 'packages', name, 'node_modules');
      if (existsSync(own)) symlinkSync(own, join(this.#folder, 'packages', name, 'node_modules'));
    }
    this.#linkModules();
  }

  #linkModules(): void {
    const modules = join(this.#folder, 'node_modules');
    mkdirSync(join(modules, OWN_SCOPE), { recursive: true });
    for (const name of readdirSync(join(root, 'node_modules'))) {
      if (name !== OWN_SCOPE) symlinkSync(join(root, 'node_modules', name), join(modules, name));
    }
    for (const name of PACKAGES) {
      symlinkSync(join(this.#folder, 'packages', name), join(modules, OWN_SCOPE, name));
    }
  }

  /** Plants a fault. Throws when its text occurs never or twice in the file: the list of faults is out of date then. */
  plant({ title, file, find, replace }: Fault): void {
    const path = join(this.#folder, file);
    const parts = readFileSync(path, 'utf8').split(find);
    if (parts.length !== 2)
      throw new Error(`"${title}": ${file} has its place ${parts.length - 1} times, not once`);
    writeFileSync(path, parts.join(replace));
  }

  /** Runs `runs` seeds from `firstSeed` on, until one fails. Does not wait for the history that follows the line of the failure. */
  async simulate(runs: number, firstSeed = 1): Promise<SimulatorEnd> {
    const main = join(this.#folder, 'packages/testkit/src/sim/main.ts');
    const flags = ['-C', '@agenthost/source', main, '--seed', String(firstSeed), '--runs', String(runs)];
    const child = spawn(process.execPath, flags, { cwd: this.#folder, stdio: ['ignore', 'pipe', 'pipe'] });
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

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
