// `agenthost serve`, the built program, in a process of its own.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { HOST_NODE_FLAGS } from '../packages/cli/src/host-link/start-host.ts';

const PROGRAM = fileURLToPath(new URL('../packages/cli/bin/agenthost.js', import.meta.url));

/** A host for the terminal benchmarks. */
export class ServeProcess {
  readonly wsUrl: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, wsUrl: string) {
    this.#child = child;
    this.wsUrl = wsUrl;
  }

  /** `keeper`: the ptys are in a keeper, otherwise in the host. Rejects when the host ends before it is ready. */
  static async start(folder: string, keeper: boolean): Promise<ServeProcess> {
    const where = ['--port', '0', '--data', `${folder}/data`, '--root', folder];
    const child = spawn(
      process.execPath,
      [...HOST_NODE_FLAGS, PROGRAM, 'serve', '--json', ...where, ...(keeper ? [] : ['--no-keeper'])],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
        env: { PATH: process.env['PATH'], HOME: folder, SHELL: '/bin/bash' },
      },
    );
    const ended = once(child, 'exit').then(([code]) => {
      throw new Error(`agenthost serve ended with ${String(code)}; is it built?`);
    });
    const [line] = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), ended]);
    ended.catch(() => undefined);
    const { wsUrl, tokenFile } = JSON.parse(line);
    const token = readFileSync(tokenFile, 'utf8').trim();
    return new ServeProcess(child, `${wsUrl}?token=${token}`);
  }

  /** Peak resident memory in bytes, so that freed memory does not hide a flood. Linux only. */
  peakBytes(): number {
    const status = readFileSync(`/proc/${this.#child.pid}/status`, 'utf8');
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
  }

  async end(): Promise<void> {
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await exited;
  }
}
