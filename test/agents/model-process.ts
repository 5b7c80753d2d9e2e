import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** The stand-in model in a process of its own. */
export class ModelProcess {
  /** Without a path. */
  readonly url: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.url = url;
  }

  static async start(): Promise<ModelProcess> {
    const main = join(import.meta.dirname, 'stand-in-model-process.ts');
    const child = spawn(process.execPath, [main], { stdio: ['pipe', 'pipe', 'inherit'] });
    const lines = createInterface({ input: child.stdout });
    const [url] = await once(lines, 'line');
    return new ModelProcess(child, String(url));
  }

  /** Ends the process, with all answers that it still writes. */
  async stop(): Promise<void> {
    this.#child.stdin?.end();
    if (this.#child.exitCode === null) await once(this.#child, 'exit');
  }
}
