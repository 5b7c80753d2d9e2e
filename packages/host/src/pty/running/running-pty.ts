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
  /** With a sink: reading stops while more output is unacknowledged. Default 512 KiB. */
  readonly highWater?: number;
  /** Without a sink: reading continues, and this much of the newest output is kept. Default 16 MiB. */
  readonly detachedKeep?: number;
  /** Bounds the output that all ptys of this process keep without a sink. */
  readonly keepBudget?: KeepBudget | undefined;
}

const MEBIBYTE = 1024 * 1024;
/** Output ahead of the acknowledged offset while the pty is held, in bytes. The rest of its block is delivered with it. */
const HELD_AHEAD_BYTES = 1;
/** Silence of this length after the end of the process counts as the end of its output. */
const SILENCE_MS = 1_000;

/**
 * A pty that this process owns, and its unacknowledged output. With a sink, reading waits for acknowledgements. Without a sink, reading
 * continues, and the oldest output is dropped up to a line start.
 */
export class RunningPty {
  readonly id: string;
  /** Process id of the session leader, the first process. */
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
  /** The sink has got the output before this offset. */
  #delivered = 0;
  #isDelivering = false;
  #isHeld = false;
  readonly #gathering = new ReadGathering(() => this.#deliver());
  #isDrained = false;
  #processExit: PtyExit | undefined;
  #silence: NodeJS.Timeout | undefined;
  #ending: Promise<void> | undefined;

  /** Starts the process. Rejects with `PtyError` when there is no such program or folder, or when the system has no pty left. */
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
      throw new PtyError(`could not open a pty for ${program}: ${String(cause)}`, { cause });
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

  /** Offset of the oldest kept byte. */
  get start(): number {
    return this.#kept.start;
  }

  /** Offset of the next byte: the number of bytes that were read. */
  get end(): number {
    return this.#kept.end;
  }

  /** The exit, when the process has ended and all its output was read. A sink may not have got that output yet. */
  get exit(): PtyExit | undefined {
    return this.#isDrained ? this.#processExit : undefined;
  }

  /**
   * Delivers output from `offset` on to `sink`, at most `highWater` ahead of the acknowledged offset, then the exit. Begins within the call.
   * Output before `offset` counts as acknowledged. If output at `offset` was dropped, delivery begins at the oldest kept byte. Replaces a
   * former sink.
   */
  attach(offset: number, sink: PtySink): void {
    this.#keepBudget?.leave(this.#kept);
    this.#kept.forget(offset);
    this.#delivered = this.#kept.start;
    this.#sink = sink;
    this.#deliver();
    this.#setReading();
  }

  /** While on, the sink gets one block of output ahead of the acknowledged offset. Reading of the pty does not change. */
  hold(isOn: boolean): void {
    this.#isHeld = isOn;
    if (!isOn) this.#deliver();
  }

  /** Removes the sink. Reading continues, and the newest `detachedKeep` of the unacknowledged output is kept. */
  detach(): void {
    this.#sink = undefined;
    this.#isHeld = false;
    this.#gathering.end();
    this.#kept.trim(this.#detachedKeep);
    this.#keepBudget?.join(this.#kept);
    this.#setReading();
  }

  /** Output before `offset` may be forgotten. */
  acknowledge(offset: number): void {
    this.#kept.forget(Math.min(offset, this.#sink === undefined ? offset : this.#delivered));
    if (!this.#gathering.isHolding) this.#deliver();
    this.#setReading();
  }

  /** Writes input, in order; a string as UTF-8. Never blocks: input that the program does not read waits here. */
  write(data: string | Uint8Array): void {
    this.#input.write(data);
  }

  /** Columns and rows, whole numbers from 1 to 65,535. Ignores other sizes, and all sizes after the end. */
  resize(cols: number, rows: number): void {
    if (this.#reading.isClosed || !isSize(cols) || !isSize(rows)) return;
    this.#native.resize(this.#fd, cols, rows);
  }

  /** Sends a signal to the foreground process group. */
  signal(signal: NodeJS.Signals): void {
    if (this.#processExit === undefined) signalForeground(this.pid, signal);
  }

  /** Ends all processes of the session, with KILL after 2 s. Resolves when the first process is gone. */
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
    // No process is left, so the exit of the first one will be reported.
    if (await endSession({ leader: this.pid, device: this.#device })) await this.#gone.promise;
  }

  /** Forgets the output and closes the pty. Ends no process: call it when the process or its session has ended. */
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

  /** A background job of the process may keep the pty open for ever. */
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
