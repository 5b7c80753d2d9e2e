import type { Pty } from '../../pty/pty.ts';
import type { Channel } from '../../sync/channel.ts';
import type { Tx } from '../../sync/tx.ts';
import type { TerminalParts } from '../parts.ts';
import { ScrollbackKeeper } from '../scrollback/scrollback-keeper.ts';
import { Answers } from './answers.ts';
import { ViewerBackpressure } from './viewer-backpressure.ts';

/** The channel of a running terminal while it is in memory, with its scrollback, answers and backpressure. */
export class OpenTerminal {
  readonly channel: Channel<'terminal'>;
  readonly scrollback: ScrollbackKeeper;
  readonly answers: Answers;
  readonly #viewers: ViewerBackpressure;
  readonly #unpin: () => void;

  /** Keeps the channel in memory until `close`. For `pace` see `ViewerBackpressure`. */
  constructor(
    parts: TerminalParts,
    channel: Channel<'terminal'>,
    pty: Pty,
    pace: { readonly isNew: boolean; caughtUp(): void },
  ) {
    this.channel = channel;
    this.answers = new Answers(parts, pty);
    this.#viewers = new ViewerBackpressure(parts, channel, pace);
    this.scrollback = new ScrollbackKeeper(parts, channel, () => pace.caughtUp());
    this.#unpin = channel.pin();
  }

  /** Whether output should wait for viewers or for the scrollback. */
  get isBehind(): boolean {
    return this.scrollback.isBehind || this.#viewers.isBehind;
  }

  /** Trims the content after output. The first viewer of a new terminal gets all its output. */
  trim(tx: Tx): void {
    if (!this.#viewers.isAwaitingFirst) this.scrollback.trim(tx);
  }

  /** Whether the scrollback is short and no query waits for its answer. */
  get isCalm(): boolean {
    return this.scrollback.isShort && !this.answers.isAnswering;
  }

  /** Whether the channel has no subscriber and no other pin, and was not opened since `before`, by `steadyNow`. */
  isUnwatched(before: number): boolean {
    const { subscriptions, pinCount, openedAt } = this.channel;
    return subscriptions.size === 0 && pinCount === 1 && openedAt < before;
  }

  /** Releases the channel. Idempotent. */
  close(): void {
    this.#viewers.end();
    this.answers.forget();
    this.#unpin();
  }
}
