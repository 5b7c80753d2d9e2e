import { outputLength } from '@agenthost/protocol';
import { type Cancel, steadyNow } from '../../lib/clock.ts';
import type { Channel } from '../../sync/channel.ts';
import type { TerminalParts } from '../parts.ts';

/** Limit of the content of loaded terminals without subscribers, in UTF-16 code units. Above it, one is unloaded before the next is loaded. */
const CONTENT_LENGTH = 8 * 1024 * 1024;
/** The turn of a terminal whose output does not end, ms. Others may replace it afterwards. */
const TURN_MS = 500;
/** Interval of checks whether the next terminal can be loaded, ms. */
const LOOK_MS = 10;
/** Delay before a channel that could not be loaded is tried again, ms. */
const RETRY_MS = 30_000;
/** Delay after the start of a host, ms: clients that reconnect come first. */
const START_MS = 1_000;

/** The part of `TerminalRunner` that decides which channels are in memory. */
export interface UnwatchedTerminal {
  readonly uri: string;
  readonly channel: Channel<'terminal'> | undefined;
  readonly isWaiting: boolean;
  readonly isBusy: boolean;
  readonly usedAt: number;
  isUnwatched(before: number): boolean;
  letGo(before: number): void;
}

/**
 * Loads the channels of terminals that have output and no subscriber, one after another. The next channel is loaded when the last one has
 * no more output waiting, or when its turn has passed. A channel leaves memory when another one needs the room, or after a long silence.
 * Other output waits with the owner of the ptys, which stops reading when its buffer is full.
 */
export class UnwatchedOutput {
  readonly #parts: TerminalParts;
  /** Terminals with output or an exit and without a channel in memory. The longest waiting is first. */
  readonly #waiting = new Set<UnwatchedTerminal>();
  /** Terminals with a channel in memory, and the time of the load by `steadyNow`. The earliest is first. */
  readonly #open = new Map<UnwatchedTerminal, number>();
  /** The terminal that was loaded last. */
  #turn: UnwatchedTerminal | undefined;
  #isLoading = false;
  #hasBegun = false;
  #cancelLook: Cancel | undefined;
  readonly #retries = new Set<Cancel>();
  #isOver = false;

  constructor(parts: TerminalParts) {
    this.#parts = parts;
  }

  /** Clients can connect from now on. */
  begin(): void {
    this.#hasBegun = true;
    if (this.#waiting.size > 0) this.#lookLater(START_MS);
  }

  /** A terminal has output or an exit, and no channel in memory. */
  wants(runner: UnwatchedTerminal): void {
    if (this.#isOver) return;
    this.#waiting.add(runner);
    this.#next();
  }

  /** The channel of a terminal is in memory now. */
  opened(runner: UnwatchedTerminal): void {
    this.#waiting.delete(runner);
    this.#open.set(runner, steadyNow(this.#parts.clock));
  }

  /** The channel of a terminal has left memory, or the terminal has ended. */
  closed(runner: UnwatchedTerminal): void {
    this.#open.delete(runner);
    this.#waiting.delete(runner);
  }

  /** Unloads the channels that had no output since `before` (by `steadyNow`) and have no subscriber. */
  unloadIdle(before: number): void {
    for (const runner of [...this.#open.keys()]) if (runner.usedAt < before) runner.letGo(before);
  }

  /** Loads no more channels, because the host stops. */
  end(): void {
    this.#isOver = true;
    this.#cancelLook?.();
    for (const cancel of this.#retries) cancel();
    this.#waiting.clear();
  }

  #next(): void {
    if (!this.#hasBegun || this.#isOver || this.#isLoading || this.#cancelLook !== undefined) return;
    const [runner] = this.#waiting;
    if (runner === undefined) return;
    if (!this.#parts.sync.path.isHealthy || this.#isTurnOn || !this.#hasRoom()) return this.#lookLater();
    this.#waiting.delete(runner);
    this.#isLoading = true;
    this.#load(runner)
      .catch((error: unknown) => this.#failed(runner, error))
      .finally(() => {
        this.#isLoading = false;
        this.#next();
      });
  }

  async #load(runner: UnwatchedTerminal): Promise<void> {
    this.#turn = runner;
    await this.#parts.sync.registry.load(runner.uri);
  }

  #failed(runner: UnwatchedTerminal, error: unknown): void {
    const { log, timers } = this.#parts;
    log.error({ error, uri: runner.uri }, 'could not load a terminal: its output waits in the pty');
    const cancel = timers.after(RETRY_MS, () => {
      this.#retries.delete(cancel);
      if (runner.isWaiting) this.wants(runner);
    });
    this.#retries.add(cancel);
  }

  #lookLater(ms = LOOK_MS): void {
    this.#cancelLook = this.#parts.timers.after(ms, () => {
      this.#cancelLook = undefined;
      this.#next();
    });
  }

  /** Whether the terminal that was loaded last still has output waiting: two at once would take twice the memory. */
  get #isTurnOn(): boolean {
    const since = this.#turn === undefined ? undefined : this.#open.get(this.#turn);
    return since !== undefined && this.#turn?.isBusy === true && !this.#isOverdue(since);
  }

  #isOverdue(since: number): boolean {
    return steadyNow(this.#parts.clock) - since >= TURN_MS;
  }

  /** Whether there is room. If not, lets go of a terminal without waiting output, or else of the one that was loaded first. */
  #hasRoom(): boolean {
    const before = this.#unwantedBefore;
    const unwatched = [...this.#open].filter(([runner]) => runner.isUnwatched(before));
    const length = unwatched.reduce((sum, [runner]) => sum + contentLength(runner), 0);
    if (length <= CONTENT_LENGTH) return true;
    const [leaving] =
      unwatched.find(([runner]) => !runner.isBusy) ??
      unwatched.find(([, since]) => this.#isOverdue(since)) ??
      [];
    leaving?.letGo(before);
    return false;
  }

  /** A channel without a subscriber is not needed if it was opened before this time, by `steadyNow`. */
  get #unwantedBefore(): number {
    return steadyNow(this.#parts.clock) - this.#parts.unloadAfterMs;
  }
}

const contentLength = ({ channel }: UnwatchedTerminal): number =>
  channel === undefined ? 0 : outputLength({ content: channel.state.content });
