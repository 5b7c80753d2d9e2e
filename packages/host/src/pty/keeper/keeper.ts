import { createServer, type Server, type Socket } from 'node:net';
import {
  type Cancel,
  type Clock,
  steadyNow,
  systemClock,
  systemTimers,
  type Timers,
} from '../../lib/clock.ts';
import { PtyError } from '../pty.ts';
import { KeepBudget } from '../running/keep-budget.ts';
import { RunningPty, type RunningPtyOptions } from '../running/running-pty.ts';
import { HeldPty } from './held-pty.ts';
import { HostLink } from './host-link.ts';
import type { HostMessage } from './protocol.ts';

/** Options of a keeper. */
export interface KeeperOptions {
  /** Version in its hello. */
  readonly build: string;
  /** The keeper ends after this time without a pty and without a host, in ms. Default 5 s. */
  readonly idleMs?: number;
  /** An ended pty that no host asks for is kept at least this long, in ms. Default 24 h. */
  readonly endedKeepMs?: number;
  /**
   * Whether a host can still find the keeper. Called every 30 s while there are ptys and no host. When it returns false, the keeper ends its
   * ptys and itself. Default: always true.
   */
  readonly isReachable?: () => boolean;
  /** Limits of each pty. */
  readonly limits?: RunningPtyOptions;
  /** Default: the clock of the system. */
  readonly clock?: Clock;
  /** Default: the timers of Node. */
  readonly timers?: Timers;
}

/** Limit of the output that all ptys keep while there is no host. */
const KEPT_LIMIT_BYTES = 64 * 1024 * 1024;
/** Longest interval between removals of ended ptys while there is no host. */
const SWEEP_MS = 60 * 60 * 1_000;
/** Interval of checks whether a host can find the keeper, while there is none. */
const LOOK_MS = 30_000;

/**
 * Owns ptys for the connected host. There is one host at a time: a new host replaces the former one and closes its connection, because
 * the socket of a killed host may stay open. Without a host, the keeper continues to read and keeps the newest output. It ends when it has
 * neither a host nor a pty. It also ends, with its ptys, when no host can find it again. A malformed message closes only its connection.
 */
export class Keeper {
  /** Resolves when the keeper has ended by itself or by `close`: its socket is closed, and every pty is gone. */
  readonly ended: Promise<void>;
  readonly #ended = Promise.withResolvers<void>();
  readonly #options: KeeperOptions;
  readonly #clock: Clock;
  readonly #timers: Timers;
  readonly #server: Server;
  readonly #keepBudget = new KeepBudget(KEPT_LIMIT_BYTES);
  readonly #ptys = new Map<number, HeldPty>();
  readonly #links = new Set<HostLink>();
  #host: HostLink | undefined;
  #lastPty = 0;
  #startingCount = 0;
  /** Sessions that are ending, with those of released ptys. */
  readonly #endings = new Set<Promise<void>>();
  #cancelIdle: Cancel | undefined;
  #cancelSweep: Cancel | undefined;
  #cancelLook: Cancel | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: KeeperOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#timers = options.timers ?? systemTimers;
    this.ended = this.#ended.promise;
    this.#server = createServer((socket) => this.#accept(socket));
  }

  /** Begins to accept hosts. Rejects with the error of the system. */
  async listen(address: string): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(address, () => {
        this.#server.off('error', reject);
        resolve();
      });
    });
    this.#settle();
  }

  /** Ends every pty and every connection. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#stopTimers();
    const isClosed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const link of this.#links) link.close();
    await Promise.all(
      [...this.#ptys.values()].map(async ({ pty }) => {
        await pty.endSession();
        pty.release();
      }),
    );
    this.#ptys.clear();
    await Promise.all(this.#endings);
    await isClosed;
    this.#ended.resolve();
  }

  #accept(socket: Socket): void {
    const link: HostLink = new HostLink(socket, this.#options.build, {
      greeted: () => this.#takeOver(link),
      message: (message) => this.#handle(link, message),
      input: (number, bytes) => this.#ptys.get(number)?.pty.write(bytes),
      acknowledge: (number, offset) => this.#ptys.get(number)?.pty.acknowledge(offset),
      closed: () => this.#left(link),
    });
    this.#links.add(link);
  }

  #takeOver(link: HostLink): void {
    const former = this.#host;
    this.#host = link;
    former?.hearOutAndClose();
    for (const held of this.#ptys.values()) {
      if (former !== undefined) held.detach();
      held.endedAt = undefined;
    }
    this.#settle();
  }

  #left(link: HostLink): void {
    this.#links.delete(link);
    if (this.#host !== link) return;
    this.#host = undefined;
    for (const held of this.#ptys.values()) held.detach();
    this.#settle();
  }

  #handle(link: HostLink, message: HostMessage): void {
    switch (message.type) {
      case 'hello':
        return;
      case 'list':
        link.send({ type: 'listed', request: message.request, ptys: this.#list() });
        return;
      case 'spawn':
        this.#answer(link, message.request, this.#spawn(link, message));
        return;
      case 'kill':
        this.#answer(link, message.request, this.#kill(link, message));
        return;
      case 'attach':
        this.#attach(link, message.pty, message.offset);
        return;
      case 'hold':
        this.#ptys.get(message.pty)?.pty.hold(message.isOn);
        return;
      case 'resize':
        this.#ptys.get(message.pty)?.pty.resize(message.cols, message.rows);
        return;
      case 'signal':
        this.#ptys.get(message.pty)?.pty.signal(message.signal);
        return;
      case 'release':
        this.#release(message.pty);
        return;
      default:
        message satisfies never;
    }
  }

  #list() {
    const wanted = [...this.#ptys].filter(([, { isForgotten }]) => !isForgotten);
    return wanted.map(([number, { pty }]) => ({ pty: number, id: pty.id, pid: pty.pid }));
  }

  async #spawn(link: HostLink, { request, spec }: Extract<HostMessage, { type: 'spawn' }>): Promise<void> {
    this.#startingCount += 1;
    try {
      const pty = await RunningPty.start(spec, { ...this.#options.limits, keepBudget: this.#keepBudget });
      this.#lastPty += 1;
      const number = this.#lastPty;
      const held = new HeldPty(pty, () => this.#release(number));
      this.#ptys.set(number, held);
      // The host that asked is gone, and no other host knows this pty.
      if (this.#host !== link) this.#end(held, true);
      else link.send({ type: 'spawned', request, pty: number, pid: pty.pid });
    } finally {
      this.#startingCount -= 1;
      this.#settle();
    }
  }

  async #kill(
    link: HostLink,
    { request, pty: number, forgets }: Extract<HostMessage, { type: 'kill' }>,
  ): Promise<void> {
    const held = this.#ptys.get(number);
    if (held !== undefined) {
      this.#end(held, forgets === true);
      await held.pty.kill();
    }
    link.send({ type: 'killed', request });
  }

  /** Ends a session. The keeper stays until this is done, even if hosts come and go or the pty is released. */
  #end(held: HeldPty, forgets: boolean): void {
    const ending = held.end(forgets);
    this.#endings.add(ending);
    void ending.then(() => {
      this.#endings.delete(ending);
      this.#settle();
    });
  }

  #answer(link: HostLink, request: number, work: Promise<void>): void {
    work.catch((error: unknown) => {
      const isKnown = error instanceof PtyError;
      const message = isKnown ? error.message : String(error);
      link.send({ type: 'failed', request, message, fault: isKnown ? error.fault : 'owner' });
    });
  }

  #attach(link: HostLink, number: number, offset: number): void {
    this.#ptys.get(number)?.attach(offset, {
      data: (bytes, at) => link.data(number, bytes, at),
      exit: ({ exitCode }) => link.send({ type: 'exit', pty: number, exitCode }),
    });
  }

  #release(number: number): void {
    this.#ptys.get(number)?.pty.release();
    this.#ptys.delete(number);
    this.#settle();
  }

  /** Sets the timers that end an unused keeper and remove ended ptys. */
  #settle(): void {
    if (this.#closing !== undefined) return;
    this.#stopTimers();
    if (this.#host !== undefined || this.#startingCount > 0 || this.#endings.size > 0) return;
    if (this.#ptys.size > 0) {
      this.#cancelSweep = this.#timers.after(this.#sweepMs, () => this.#sweep());
      this.#lookLater();
    } else {
      this.#cancelIdle = this.#timers.after(this.#options.idleMs ?? 5_000, () => void this.close());
    }
  }

  #stopTimers(): void {
    this.#cancelIdle?.();
    this.#cancelSweep?.();
    this.#cancelLook?.();
    this.#cancelIdle = this.#cancelSweep = this.#cancelLook = undefined;
  }

  /** Ends the keeper when its data folder was removed: no host could see or end its programs. */
  #lookLater(): void {
    const { isReachable } = this.#options;
    if (isReachable === undefined) return;
    this.#cancelLook = this.#timers.after(LOOK_MS, () => {
      if (isReachable()) this.#lookLater();
      else void this.close();
    });
  }

  get #endedKeepMs(): number {
    return this.#options.endedKeepMs ?? 24 * 60 * 60 * 1_000;
  }

  get #sweepMs(): number {
    return Math.min(SWEEP_MS, this.#endedKeepMs);
  }

  #sweep(): void {
    const now = steadyNow(this.#clock);
    for (const [number, held] of this.#ptys) {
      if (held.pty.exit === undefined) continue;
      held.endedAt ??= now;
      if (now - held.endedAt < this.#endedKeepMs) continue;
      held.pty.release();
      this.#ptys.delete(number);
    }
    this.#settle();
  }
}
