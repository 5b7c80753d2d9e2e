/**
 * The pty port: who starts pseudo-terminals and holds their masters. Implementations are named for what they are
 * (`node-pty.ts` in this process, `keeper/` in a process that outlives it) and pass `pty-contract.ts`.
 *
 * Output is bytes with absolute offsets: the first byte that a pty ever puts out has offset 0. An owner keeps what was not
 * acknowledged yet, so that whoever reads again from the last acknowledged offset misses nothing.
 */
export interface PtyOwner {
  /** True when its ptys go on after `close`, and after the end of this process. Absent: they end with it. */
  readonly outlivesHost?: boolean;
  /**
   * The ptys that an earlier host left with this owner, running or ended: asked once, before the first `spawn`. What nobody
   * asks for stays with the owner: end it with `kill`, for good, and `release`.
   */
  adopt(): Promise<AdoptedPtys>;
  /** Starts a process on a new pty. Rejects with `PtyError` when it cannot be started. */
  spawn(spec: PtySpec): Promise<Pty>;
  /** Lets go of everything: ptys that can outlive this host go on, the others are ended. Idempotent. */
  close(): Promise<void>;
}

/** What an earlier host left. */
export interface AdoptedPtys {
  readonly ptys: readonly Pty[];
  /**
   * One for each place where there may be more and that did not answer in time: resolves with its ptys once it does, with none
   * when it is gone. Never rejects; nothing is to be made of what comes after `close`.
   */
  readonly late: readonly Promise<readonly Pty[]>[];
}

/** What runs on a pty, and how large it is. */
export interface PtySpec {
  /** Names the pty over restarts of the host; not empty. */
  readonly id: string;
  /** Program (absolute, or looked up in `env.PATH`) and its arguments. */
  readonly command: readonly [program: string, ...args: string[]];
  /** Absolute path; exists. */
  readonly cwd: string;
  /** The whole environment, but for `PWD`, which is `cwd` unless given. */
  readonly env: Readonly<Record<string, string>>;
  /** Characters. */
  readonly cols: number;
  /** Lines. */
  readonly rows: number;
}

/** One pty and the session of processes on it. Calls after the end do nothing. */
export interface Pty {
  readonly id: string;
  /** Of the first process, the session leader. */
  readonly pid: number;
  /**
   * Begins to hand over output from `offset` on, then the exit. Called once. Where the owner could not keep that much
   * (nobody read for long), it begins later, at a line start, and the first `data` shows it.
   */
  read(offset: number, sink: PtySink): void;
  /** Everything before `offset` is safe: the owner may forget it. While too much is not, the pty is not read from. */
  acknowledge(offset: number): void;
  /**
   * While it is on, the reader takes no output: the owner hands over one block, which tells that there is some, about 64 KiB ahead of what
   * is acknowledged. May be called before `read`. Off at first.
   */
  hold(isOn: boolean): void;
  /** Keys, in order. */
  write(data: string): void;
  resize(cols: number, rows: number): void;
  /** Sends a signal to the foreground process group (what a person at the keys would hit). */
  signal(signal: NodeJS.Signals): void;
  /**
   * Ends all processes of its session: HUP and TERM, KILL for what is left after 2 s. Resolves when the first process is gone.
   * With `forgets`, nobody will ask for it again: should this host go before `release`, its owner carries on alone and forgets it.
   */
  kill(options?: { readonly forgets?: boolean }): Promise<void>;
  /** It has ended and everything was read: the owner forgets it. */
  release(): void;
}

/** Who reads a pty. */
export interface PtySink {
  /** `bytes` are valid only during the call; `offset` is that of its first byte. */
  data(bytes: Uint8Array, offset: number): void;
  /** The process has gone and all its output was handed over. Called once. */
  exit(exit: PtyExit): void;
}

/** How a process ended. */
export interface PtyExit {
  /** 128 + n for signal n [TERM-6]. */
  readonly exitCode: number;
}

/** A pty that could not be started, or whose owner is gone; the message says why, for people. */
export class PtyError extends Error {
  override readonly name = 'PtyError';
  /** `spec`: another program, folder or environment could be started. `owner`: nothing can now. */
  readonly fault: 'spec' | 'owner';

  constructor(
    message: string,
    { fault = 'owner', ...options }: ErrorOptions & { fault?: PtyError['fault'] } = {},
  ) {
    super(message, options);
    this.fault = fault;
  }
}
