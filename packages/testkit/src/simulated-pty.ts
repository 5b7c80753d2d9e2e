import {
  type AdoptedPtys,
  type Pty,
  PtyError,
  type PtyExit,
  type PtyOwner,
  type PtySink,
  type PtySpec,
} from '@agenthost/host';

/** Bytes delivered ahead of acknowledgements while a reader is on hold. */
const HELD_BYTES = 64 * 1024;

/** Options of simulated ptys. */
export interface SimulatedPtyOptions {
  /** Bytes delivered ahead of acknowledgements. Default 1 MiB. */
  readonly highWater?: number;
  /**
   * True: `close` leaves the ptys running for the owner that `restart` makes, as the pty keeper does. Default:
   * false, `close` ends them.
   */
  readonly outlivesHost?: boolean;
}

/**
 * Ptys without processes: a test plays output and exit of their programs and reads their input. All calls are
 * synchronous: the sink gets output before `output` returns.
 */
export class SimulatedPtyOwner implements PtyOwner {
  /** All ptys, oldest first, including those of owners before a `restart`. */
  readonly ptys: SimulatedPty[];
  readonly #options: SimulatedPtyOptions;
  #failures: PtyError[] = [];
  #silence: Promise<boolean> | undefined;
  #isClosed = false;
  #isAbandoned = false;
  readonly #isGone = (): boolean => this.#isAbandoned;

  constructor(options: SimulatedPtyOptions = {}, ptys: SimulatedPty[] = []) {
    this.#options = options;
    this.ptys = ptys;
  }

  get outlivesHost(): boolean {
    return this.#options.outlivesHost ?? false;
  }

  /** The latest pty. Throws when there is none. */
  get last(): SimulatedPty {
    const last = this.ptys.at(-1);
    if (last === undefined) throw new Error('no pty was spawned');
    return last;
  }

  /** The latest pty with this id. Throws when there is none. */
  get(id: string): SimulatedPty {
    const found = this.ptys.findLast((pty) => pty.spec.id === id);
    if (found === undefined)
      throw new Error(`no pty ${id} among ${this.ptys.map((pty) => pty.spec.id).join(', ')}`);
    return found;
  }

  /**
   * Makes the next spawn that would succeed reject with a `PtyError` of this message and fault (default
   * `spec`).
   */
  failNextSpawn(message: string, fault: PtyError['fault'] = 'spec'): void {
    this.#failures.push(new PtyError(message, { fault }));
  }

  /**
   * Makes the next `adopt`, also of an owner made by `restart`, hand over its ptys late: when the promise
   * resolves with true. If the promise resolves with false, `adopt` hands over no ptys.
   */
  fallSilent(until: Promise<boolean>): void {
    this.#silence = until;
  }

  /** Plays the kill of the host: its sinks get no more output, and its calls have no effect. */
  abandon(): void {
    this.#isClosed = true;
    this.#isAbandoned = true;
    for (const pty of this.ptys) pty.detach();
  }

  /** Abandons this owner. Returns the next host's owner, whose `adopt` hands over the same ptys. */
  restart(): SimulatedPtyOwner {
    this.abandon();
    const next = new SimulatedPtyOwner(this.#options, this.ptys);
    next.#silence = this.#silence;
    return next;
  }

  async adopt(): Promise<AdoptedPtys> {
    const left = this.ptys.filter(({ isReleased }) => !isReleased);
    const handles = left.map((simulated) => simulated.handle(this.#isGone));
    const silence = this.#silence;
    this.#silence = undefined;
    if (silence === undefined) return { ptys: handles, late: [] };
    return { ptys: [], late: [silence.then((isThere) => (isThere ? handles : []))] };
  }

  async spawn(spec: PtySpec): Promise<Pty> {
    const failure = this.#isClosed ? new PtyError('the host is stopping') : this.#failures.shift();
    if (failure !== undefined) throw failure;
    const simulated = new SimulatedPty(
      spec,
      this.ptys.length + 100_000,
      this.#options.highWater ?? 1024 * 1024,
    );
    this.ptys.push(simulated);
    return simulated.handle(this.#isGone);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const pty of this.ptys) {
      pty.detach();
      if (this.#options.outlivesHost === true) continue;
      pty.end(129);
      pty.handle().release();
    }
  }
}

/** One pty without a process, with controls for a test. */
export class SimulatedPty {
  readonly spec: PtySpec;
  readonly pid: number;
  /** All written texts, one entry per call. */
  readonly writes: string[] = [];
  /** Sizes set by `resize`, oldest first. */
  readonly sizes: (readonly [cols: number, rows: number])[] = [];
  /** Signals to the foreground process group, oldest first. */
  readonly signals: NodeJS.Signals[] = [];
  /** Effect of `kill`. Default: the process exits with 129, as after SIGHUP. */
  onKill: () => void = () => this.end(129);
  readonly #highWater: number;
  #output: Buffer = Buffer.alloc(0);
  #acknowledged = 0;
  #delivered = 0;
  #sink: PtySink | undefined;
  #exit: PtyExit | undefined;
  #killCount = 0;
  #isReleased = false;
  #isHeld = false;
  #gone = Promise.withResolvers<void>();

  constructor(spec: PtySpec, pid: number, highWater: number) {
    this.spec = spec;
    this.pid = pid;
    this.#highWater = highWater;
  }

  /** All written texts, joined. */
  get keys(): string {
    return this.writes.join('');
  }

  /** All output of the program. */
  get text(): string {
    return this.#output.toString();
  }

  /** The reader has acknowledged everything before this offset. */
  get acknowledged(): number {
    return this.#acknowledged;
  }

  /** The reader has received everything before this offset. */
  get delivered(): number {
    return this.#delivered;
  }

  get hasEnded(): boolean {
    return this.#exit !== undefined;
  }

  /** Number of `kill` calls while the process ran. */
  get killCount(): number {
    return this.#killCount;
  }

  get isReleased(): boolean {
    return this.#isReleased;
  }

  /** Whether a reader is attached. */
  get isRead(): boolean {
    return this.#sink !== undefined;
  }

  /**
   * Adds output of the program; a string as UTF-8. Bytes beyond the high-water mark wait for
   * acknowledgements.
   */
  output(data: string | Uint8Array): void {
    if (this.#exit !== undefined) throw new Error(`pty ${this.spec.id} has ended: it puts out nothing more`);
    this.#output = Buffer.concat([this.#output, Buffer.from(data)]);
    this.#deliver();
  }

  /** Ends the process. The reader gets the exit after all output. A second call does nothing. */
  end(exitCode = 0): void {
    if (this.#exit !== undefined) return;
    this.#exit = { exitCode };
    this.#gone.resolve();
    this.#deliver();
  }

  /** Drops output before this offset, as after a long time without a reader. */
  drop(offset: number): void {
    this.#acknowledged = Math.max(this.#acknowledged, offset);
    this.#delivered = Math.max(this.#delivered, offset);
  }

  /** The reader receives nothing more. */
  detach(): void {
    this.#sink = undefined;
    this.#isHeld = false;
  }

  /** A new handle for one host. `isGone`: whether that host was killed. */
  handle(isGone: () => boolean = () => false): Pty {
    const unlessGone = (act: () => void): void => {
      if (!isGone()) act();
    };
    const unlessEnded = (act: () => void): void => {
      if (this.#exit === undefined) unlessGone(act);
    };
    return {
      id: this.spec.id,
      pid: this.pid,
      read: (offset, sink) => unlessGone(() => this.#read(offset, sink)),
      acknowledge: (offset) => unlessGone(() => this.#acknowledge(offset)),
      hold: (isOn) => unlessGone(() => this.#hold(isOn)),
      write: (data) => unlessEnded(() => this.writes.push(data)),
      resize: (cols, rows) => unlessEnded(() => this.sizes.push([cols, rows])),
      signal: (signal) => unlessEnded(() => this.signals.push(signal)),
      kill: async () => {
        if (this.#exit !== undefined || isGone()) return;
        this.#killCount += 1;
        this.onKill();
        await this.#gone.promise;
      },
      release: () =>
        unlessGone(() => {
          this.#isReleased = true;
          this.#sink = undefined;
        }),
    };
  }

  #hold(isOn: boolean): void {
    this.#isHeld = isOn;
    if (!isOn) this.#deliver();
  }

  #read(offset: number, sink: PtySink): void {
    if (this.#sink !== undefined) throw new Error(`pty ${this.spec.id} is being read`);
    this.#acknowledged = Math.min(Math.max(this.#acknowledged, offset), this.#output.length);
    this.#delivered = this.#acknowledged;
    this.#sink = sink;
    this.#deliver();
  }

  #acknowledge(offset: number): void {
    if (offset > this.#delivered) {
      throw new Error(`pty ${this.spec.id}: ${offset} acknowledged, only ${this.#delivered} handed over`);
    }
    this.#acknowledged = Math.max(this.#acknowledged, offset);
    this.#deliver();
  }

  #deliver(): void {
    const sink = this.#sink;
    if (sink === undefined) return;
    const from = this.#delivered;
    const ahead = this.#isHeld ? Math.min(HELD_BYTES, this.#highWater) : this.#highWater;
    const to = Math.min(this.#output.length, this.#acknowledged + ahead);
    if (to > from) {
      // Set before the call, because the sink may acknowledge during it.
      this.#delivered = to;
      sink.data(this.#output.subarray(from, to), from);
    }
    if (this.#exit === undefined || this.#delivered < this.#output.length || this.#sink !== sink) return;
    this.#sink = undefined;
    sink.exit(this.#exit);
  }
}
