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
/** What the simulator needs; the packages of others come by links. */
const PACKAGES = ['rpc', 'protocol', 'client', 'host', 'agents', 'testkit'];
const OWN_SCOPE = '@agenthost';

/** How a run of the simulator ended. */
export interface SimulatorEnd {
  /** Absent where it was ended because a seed had failed. */
  readonly code: number | undefined;
  readonly failedSeed: number | undefined;
  readonly output: string;
}

/** The sources and a way to run the simulator on them, in a folder of its own; dispose of it. */
export class SourceCopy implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'agenthost-mutant-'));

  constructor() {
    cpSync(join(root, 'package.json'), join(this.#folder, 'package.json'));
    for (const name of PACKAGES) {
      cpSync(join(root, 'packages', name), join(this.#folder, 'packages', name), {
        recursive: true,
        filter: (path) => !['dist', 'node_modules', 'schema'].includes(basename(path)),
      });
      // What only this package has in another version than the rest.
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

  /** Puts a fault in. Throws when its place is not there, or there twice: then the list of faults is out of date. */
  plant({ title, file, find, replace }: Fault): void {
    const path = join(this.#folder, file);
    const parts = readFileSync(path, 'utf8').split(find);
    if (parts.length !== 2)
      throw new Error(`"${title}": ${file} has its place ${parts.length - 1} times, not once`);
    writeFileSync(path, parts.join(replace));
  }

  /** Runs so many seeds, from `firstSeed` on, until one fails; what comes after the failure's own line (its history) is not waited for. */
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
