import { outputLength } from '@agenthost/protocol';
import { type Cancel, steadyNow } from '../../lib/clock.ts';
import type { Channel } from '../../sync/channel.ts';
import type { TerminalParts } from '../parts.ts';

/** Content of terminals without subscribers, in UTF-16 code units: with more in memory, one is unloaded before the next is loaded. */
const CONTENT_LENGTH = 8 * 1024 * 1024;
/** A terminal whose output does not end makes room for others after so long, ms. */
const TURN_MS = 500;
/** How often it is looked whether the next one can be loaded, ms. */
const LOOK_MS = 10;
/** A channel that could not be read is tried again after so long, ms. */
const RETRY_MS = 30_000;
/** After the start of a host nothing is loaded for this long, ms: clients that reconnect come first. */
const START_MS = 1_000;

/** A running terminal, as far as it matters whether its channel is in memory: see `TerminalRunner`. */
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
 * Takes the output of terminals without subscribers. Their channels are loaded one after another, each once the one before it has
 * caught up or had its turn, and leave memory when others need the room, or when they have been silent for long. What has to wait
 * stays with the owner of the ptys, which stops reading when its buffer is full.
 */
export class UnwatchedOutput {
  readonly #parts: TerminalParts;
  /** They have output, or an exit, and no channel in memory; the longest waiting first. */
  readonly #waiting = new Set<UnwatchedTerminal>();
  /** Their channels are in memory, with when they were loaded, by `steadyNow`; the earliest first. */
  readonly #open = new Map<UnwatchedTerminal, number>();
  /** What was loaded last. */
  #turn: UnwatchedTerminal | undefined;
  #isLoading = false;
  #hasBegun = false;
  #cancelLook: Cancel | undefined;
  readonly #retries = new Set<Cancel>();
  #isOver = false;

  constructor(parts: TerminalParts) {
    this.#parts = parts;
  }

  /** The host takes clients from now on. */
  begin(): void {
    this.#hasBegun = true;
    if (this.#waiting.size > 0) this.#lookLater(START_MS);
  }

  /** There is output, or an exit, and no channel to put it into. */
  wants(runner: UnwatchedTerminal): void {
    if (this.#isOver) return;
    this.#waiting.add(runner);
    this.#next();
  }

  /** Its channel is in memory. */
  opened(runner: UnwatchedTerminal): void {
    this.#waiting.delete(runner);
    this.#open.set(runner, steadyNow(this.#parts.clock));
  }

  /** Its channel is not in memory any more, or nothing comes any more. */
  closed(runner: UnwatchedTerminal): void {
    this.#open.delete(runner);
    this.#waiting.delete(runner);
  }

  /** Unloads the channels that had no output since `before` (by `steadyNow`) and have no subscriber. */
  unloadIdle(before: number): void {
    for (const runner of [...this.#open.keys()]) if (runner.usedAt < before) runner.letGo(before);
  }

  /** Loads nothing any more: the host stops. */
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
    log.error({ error, uri: runner.uri }, 'a terminal cannot be read: its output waits with its program');
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

  /** Whether what was loaded last is still being caught up with: two at once would take twice the memory. */
  get #isTurnOn(): boolean {
    const since = this.#turn === undefined ? undefined : this.#open.get(this.#turn);
    return since !== undefined && this.#turn?.isBusy === true && !this.#isOverdue(since);
  }

  #isOverdue(since: number): boolean {
    return steadyNow(this.#parts.clock) - since >= TURN_MS;
  }

  /** Where there is none, one is let go of that has caught up, or else the one whose turn was longest ago. */
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

  /** A channel that was asked for earlier than this, by `steadyNow`, and has no subscriber is not needed. */
  get #unwantedBefore(): number {
    return steadyNow(this.#parts.clock) - this.#parts.unloadAfterMs;
  }
}

const contentLength = ({ channel }: UnwatchedTerminal): number =>
  channel === undefined ? 0 : outputLength({ content: channel.state.content });
