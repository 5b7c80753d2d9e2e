import type { AdoptedPtys, Pty, PtyOwner, PtySpec } from '../pty.ts';
import { PtyError } from '../pty.ts';
import { RunningPty, type RunningPtyOptions } from './running-pty.ts';

/** Owns ptys in this process. They end with the process. */
export class NodePtyOwner implements PtyOwner {
  readonly #options: RunningPtyOptions;
  readonly #ptys = new Set<RunningPty>();
  /** Sessions that are ending. The pty of a session may be released before its last process is gone. */
  readonly #endings = new Set<Promise<void>>();
  #isClosed = false;

  constructor(options: RunningPtyOptions = {}) {
    this.#options = options;
  }

  /** Resolves with none, because no pty outlives this process. */
  async adopt(): Promise<AdoptedPtys> {
    return { ptys: [], late: [] };
  }

  async spawn(spec: PtySpec): Promise<Pty> {
    const running = await RunningPty.start(spec, this.#options);
    this.#ptys.add(running);
    if (this.#isClosed) {
      await this.#end(running);
      throw new PtyError(`the host is stopping: ${spec.command[0]} was not started`);
    }
    return {
      id: running.id,
      pid: running.pid,
      read: (offset, sink) => running.attach(offset, sink),
      acknowledge: (offset) => running.acknowledge(offset),
      hold: (isOn) => running.hold(isOn),
      write: (data) => running.write(data),
      resize: (cols, rows) => running.resize(cols, rows),
      signal: (signal) => running.signal(signal),
      kill: () => {
        this.#remember(running.endSession());
        return running.kill();
      },
      release: () => {
        this.#ptys.delete(running);
        running.release();
      },
    };
  }

  /** Ends all ptys. Resolves when no process of any pty is left. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#endings, ...[...this.#ptys].map((running) => this.#end(running))]);
  }

  #remember(ending: Promise<void>): void {
    this.#endings.add(ending);
    void ending.finally(() => this.#endings.delete(ending));
  }

  async #end(running: RunningPty): Promise<void> {
    running.detach();
    await running.endSession();
    running.release();
    this.#ptys.delete(running);
  }
}
