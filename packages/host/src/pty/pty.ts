/**
 * The port of owners of ptys: an owner starts pseudo-terminals and holds their masters. The implementations are `running/node-pty.ts` in
 * this process and `keeper/` in a process that outlives it. Both pass `contract/pty-contract.ts`.
 *
 * Output is bytes with absolute offsets: the first byte of a pty has offset 0. An owner keeps unacknowledged output, so that a reader that
 * starts again at the last acknowledged offset misses nothing.
 */
export interface PtyOwner {
  /** True when its ptys outlive `close` and this process. Absent: they end with this process. */
  readonly outlivesHost?: boolean;
  /**
   * Resolves with the ptys, running or ended, that an earlier host left with this owner. Call it once, before the first `spawn`. End a pty
   * that has no terminal with `kill` and `forgets`, then `release` it.
   */
  adopt(): Promise<AdoptedPtys>;
  /** Starts a process on a new pty. Rejects with `PtyError` when it cannot be started. */
  spawn(spec: PtySpec): Promise<Pty>;
  /** Releases everything: ptys that outlive the host keep running, others are ended. Idempotent. */
  close(): Promise<void>;
}

/** The ptys of an earlier host. */
export interface AdoptedPtys {
  readonly ptys: readonly Pty[];
  /**
   * A promise for each keeper that did not answer in time. Resolves with its ptys when it answers, or with none when it is gone. Never
   * rejects. Ignore results after `close`.
   */
  readonly late: readonly Promise<readonly Pty[]>[];
}

/** The process of a new pty, and the size of the pty. */
export interface PtySpec {
  /** The id of the pty across restarts of the host. Not empty. */
  readonly id: string;
  /** Program (absolute, or looked up in `env.PATH`) and its arguments. */
  readonly command: readonly [program: string, ...args: string[]];
  /** Absolute path of a folder that exists. */
  readonly cwd: string;
  /** The complete environment. Only `PWD` has a default: `cwd`. */
  readonly env: Readonly<Record<string, string>>;
  /** Columns. */
  readonly cols: number;
  /** Rows. */
  readonly rows: number;
}

/** One pty and the session of processes on it. Calls after the end do nothing. */
export interface Pty {
  readonly id: string;
  /** Process id of the session leader, the first process. */
  readonly pid: number;
  /**
   * Begins to deliver output from `offset` on, then the exit. Call it once. If the owner has dropped that output, delivery begins later, at
   * a line start; the offset of the first `data` tells where.
   */
  read(offset: number, sink: PtySink): void;
  /** The owner may forget output before `offset`. It stops reading the pty while too much output is unacknowledged. */
  acknowledge(offset: number): void;
  /**
   * While on, the owner delivers one block, about 64 KiB ahead of the acknowledged offset, to tell that there is output. May be called before
   * `read`. Off by default.
   */
  hold(isOn: boolean): void;
  /** Writes input, in order. */
  write(data: string): void;
  resize(cols: number, rows: number): void;
  /** Sends a signal to the foreground process group. */
  signal(signal: NodeJS.Signals): void;
  /**
   * Ends all processes of the session: sends HUP and TERM, and KILL after 2 s. Resolves when the first process is gone. With `forgets`, the
   * owner forgets the pty when it has ended, even if this host ends before `release`.
   */
  kill(options?: { readonly forgets?: boolean }): Promise<void>;
  /** Makes the owner forget the pty. Call it when the pty has ended and all output was read. */
  release(): void;
}

/** A reader of a pty. */
export interface PtySink {
  /** `bytes` are valid only during the call. `offset`: the offset of the first byte. */
  data(bytes: Uint8Array, offset: number): void;
  /** The process has ended and all its output was delivered. Called once. */
  exit(exit: PtyExit): void;
}

/** How a process ended. */
export interface PtyExit {
  /** 128 + n for signal n [TERM-6]. */
  readonly exitCode: number;
}

/** A pty could not be started, or its owner is gone. The message gives the reason for users. */
export class PtyError extends Error {
  override readonly name = 'PtyError';
  /** `spec`: the program, folder or environment is at fault. `owner`: no pty can be started now. */
  readonly fault: 'spec' | 'owner';

  constructor(
    message: string,
    { fault = 'owner', ...options }: ErrorOptions & { fault?: PtyError['fault'] } = {},
  ) {
    super(message, options);
    this.fault = fault;
  }
}
