import { loadNativePty, type NativePty } from '../process/native-pty.ts';
import { endSession, signalForeground } from '../process/process-session.ts';
import { checkSpec } from '../process/spawn-checks.ts';
import { PtyError, type PtyExit, type PtySink, type PtySpec } from '../pty.ts';
import type { KeepBudget } from './keep-budget.ts';
import { KeptOutput } from './kept-output.ts';
import { PtyInput } from './pty-input.ts';
import { PtyReading } from './pty-reading.ts';
import { ReadGathering } from './read-gathering.ts';

/** Limits of one pty, in bytes. */
export interface RunningPtyOptions {
  /** With a sink: the pty is not read from while more than this is unacknowledged. Default 512 KiB. */
  readonly highWater?: number;
  /** Without a sink: the pty is always read from, and at most this much of the newest is kept. Default 16 MiB. */
  readonly detachedKeep?: number;
  /** Bounds the output that all ptys of this process keep without a sink. */
  readonly keepBudget?: KeepBudget | undefined;
}

const MEBIBYTE = 1024 * 1024;
/** While a sink takes nothing, so much ahead of what is acknowledged tells it that there is output: a block of it, in bytes. */
const HELD_AHEAD_BYTES = 1;
/** After the process, silence of this length counts as the end of output where the system does not tell it. */
const SILENCE_MS = 1_000;

/**
 * A pty that this process owns, with the output that is not acknowledged yet. Sinks come and go: with one, reading waits for its
 * acknowledgements; with none, reading goes on and the oldest output is dropped at a line start.
 */
export class RunningPty {
  readonly id: string;
  /** Of the first process, the session leader. */
  readonly pid: number;
  readonly #native: NativePty;
  readonly #fd: number;
  /** Device of the slave side, such as `/dev/pts/3`. */
  readonly #device: string;
  readonly #highWater: number;
  readonly #detachedKeep: number;
  readonly #keepBudget: KeepBudget | undefined;
  readonly #reading: PtyReading;
  readonly #input: PtyInput;
  readonly #kept = new KeptOutput();
  readonly #gone = Promise.withResolvers<void>();
  #sink: PtySink | undefined;
  /** What the sink was given up to here. */
  #delivered = 0;
  #isDelivering = false;
  #isHeld = false;
  readonly #gathering = new ReadGathering(() => this.#deliver());
  #isDrained = false;
  #processExit: PtyExit | undefined;
  #silence: NodeJS.Timeout | undefined;
  #ending: Promise<void> | undefined;

  /** Starts the process. Rejects with `PtyError` when the program, the folder or a pty cannot be had. */
  static async start(spec: PtySpec, options: RunningPtyOptions = {}): Promise<RunningPty> {
    const program = await checkSpec(spec);
    return new RunningPty(spec, program, options);
  }

  private constructor(spec: PtySpec, program: string, options: RunningPtyOptions) {
    const { native, helperPath } = loadNativePty();
    const env = Object.entries({ PWD: spec.cwd, ...spec.env }).map(([name, value]) => `${name}=${value}`);
    const args = spec.command.slice(1);
    const onExit = (exitCode: number, signal: number): void => this.#exited(exitCode, signal);
    try {
      const { cwd, cols, rows } = spec;
      const forked = native.fork(program, args, env, cwd, cols, rows, -1, -1, true, helperPath, onExit);
      this.pid = forked.pid;
      this.#fd = forked.fd;
      this.#device = forked.pty;
    } catch (cause) {
      throw new PtyError(`no pty could be had for ${program}: ${String(cause)}`, { cause });
    }
    this.id = spec.id;
    this.#native = native;
    this.#highWater = options.highWater ?? MEBIBYTE / 2;
    this.#detachedKeep = options.detachedKeep ?? 16 * MEBIBYTE;
    this.#keepBudget = options.keepBudget;
    this.#keepBudget?.join(this.#kept);
    const handlers = { take: (bytes: Uint8Array) => this.#take(bytes), ended: () => this.#drained() };
    this.#reading = new PtyReading(this.#fd, handlers);
    this.#input = new PtyInput(this.#fd, () => this.#reading.isClosed);
  }

  /** Offset of the oldest byte that is kept. */
  get start(): number {
    return this.#kept.start;
  }

  /** Offset of the byte that comes next: how much was ever read from the pty. */
  get end(): number {
    return this.#kept.end;
  }

  /** How it ended, once the process has gone and all its output was read (though perhaps not handed to a sink yet). */
  get exit(): PtyExit | undefined {
    return this.#isDrained ? this.#processExit : undefined;
  }

  /**
   * Hands output from `offset` on to `sink`, at most `highWater` ahead of what is acknowledged, then the exit; begins before this
   * returns. What lies before `offset` counts as acknowledged; where output from there on was dropped, it begins at the oldest
   * kept. One sink at a time: a former one hears nothing more.
   */
  attach(offset: number, sink: PtySink): void {
    this.#keepBudget?.leave(this.#kept);
    this.#kept.forget(offset);
    this.#delivered = this.#kept.start;
    this.#sink = sink;
    this.#deliver();
    this.#setReading();
  }

  /** While it is on, the sink gets a block of output ahead of what is acknowledged; the pty is read from as far as ever. */
  hold(isOn: boolean): void {
    this.#isHeld = isOn;
    if (!isOn) this.#deliver();
  }

  /** The sink hears nothing more; the pty is read from, and unacknowledged output kept up to `detachedKeep`. */
  detach(): void {
    this.#sink = undefined;
    this.#isHeld = false;
    this.#gathering.end();
    this.#kept.trim(this.#detachedKeep);
    this.#keepBudget?.join(this.#kept);
    this.#setReading();
  }

  /** Everything before `offset` may be forgotten. */
  acknowledge(offset: number): void {
    this.#kept.forget(Math.min(offset, this.#sink === undefined ? offset : this.#delivered));
    if (!this.#gathering.isHolding) this.#deliver();
    this.#setReading();
  }

  /** Keys, in order; a string as UTF-8. Never blocks: what the program does not take yet waits here. */
  write(data: string | Uint8Array): void {
    this.#input.write(data);
  }

  /** Characters and lines, whole and at least 1; anything else is ignored, as is a resize after the end. */
  resize(cols: number, rows: number): void {
    if (this.#reading.isClosed || !isSize(cols) || !isSize(rows)) return;
    this.#native.resize(this.#fd, cols, rows);
  }

  /** Sends a signal to the foreground process group. */
  signal(signal: NodeJS.Signals): void {
    if (this.#processExit === undefined) signalForeground(this.pid, signal);
  }

  /** Ends all processes of the session; resolves when the first one is gone. What ignores that is killed after 2 s. */
  async kill(): Promise<void> {
    void this.endSession();
    await this.#gone.promise;
  }

  /** As `kill`, but resolves when no process of the session is left. Never rejects. */
  endSession(): Promise<void> {
    if (this.#processExit === undefined) this.#ending ??= this.#endSession();
    return this.#ending ?? Promise.resolve();
  }

  async #endSession(): Promise<void> {
    // No process lives, so the first one's exit code is on its way.
    if (await endSession({ leader: this.pid, device: this.#device })) await this.#gone.promise;
  }

  /** Forgets everything and closes the pty. Ends no process: call it when it has ended, or its session was. */
  release(): void {
    this.#sink = undefined;
    this.#gathering.end();
    clearTimeout(this.#silence);
    this.#input.end();
    this.#reading.close();
    this.#kept.forget(this.#kept.end);
    this.#keepBudget?.leave(this.#kept);
  }

  #take(bytes: Uint8Array): void {
    this.#kept.append(bytes);
    this.#silence?.refresh();
    if (this.#sink !== undefined) this.#gathering.took(bytes.length, this.#kept.end - this.#delivered);
    else {
      this.#kept.trim(this.#detachedKeep);
      this.#keepBudget?.settle();
    }
    this.#setReading();
  }

  #deliver(): void {
    // A sink may acknowledge within `data`.
    if (this.#isDelivering) return;
    this.#isDelivering = true;
    this.#gathering.delivered();
    try {
      for (let sink = this.#sink; sink !== undefined; sink = this.#sink) {
        const ahead = this.#isHeld ? HELD_AHEAD_BYTES : this.#highWater;
        const room = ahead - (this.#delivered - this.#kept.start);
        const bytes = this.#kept.at(this.#delivered);
        if (bytes.length === 0 || room <= 0) break;
        const offset = this.#delivered;
        this.#delivered += bytes.length;
        sink.data(bytes, offset);
      }
    } finally {
      this.#isDelivering = false;
    }
    this.#tellExit();
  }

  #setReading(): void {
    const isReading = this.#sink === undefined || this.#kept.end - this.#kept.start < this.#highWater;
    if (isReading === this.#reading.isOn || this.#reading.isClosed) return;
    if (isReading) this.#reading.resume();
    else this.#reading.pause();
    this.#watchSilence();
  }

  #exited(exitCode: number, signal: number): void {
    this.#processExit = { exitCode: signal > 0 ? 128 + signal : exitCode };
    this.#gone.resolve();
    this.#watchSilence();
    this.#tellExit();
  }

  /** A job that the process left behind may hold the pty open for ever. */
  #watchSilence(): void {
    clearTimeout(this.#silence);
    this.#silence = undefined;
    if (this.#processExit === undefined || this.#isDrained || !this.#reading.isOn) return;
    this.#silence = setTimeout(() => this.#reading.close(), SILENCE_MS);
  }

  #drained(): void {
    this.#isDrained = true;
    clearTimeout(this.#silence);
    this.#input.end();
    this.#deliver();
  }

  #tellExit(): void {
    const { exit } = this;
    const sink = this.#sink;
    if (exit === undefined || sink === undefined || this.#isDelivering || this.#delivered < this.#kept.end)
      return;
    this.#sink = undefined;
    sink.exit(exit);
  }
}

function isSize(count: number): boolean {
  return Number.isInteger(count) && count >= 1 && count <= 0xffff;
}
