import { outputLength, type TerminalState, type TrimmedOutput } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import type { Channel } from '../../sync/channel.ts';
import type { Tx } from '../../sync/tx.ts';
import type { TerminalParts } from '../parts.ts';
import { Scrollback } from './scrollback.ts';
import { headOf } from './trim.ts';

/** Bounds the content of a running terminal [TERM-4]. */
export class ScrollbackKeeper {
  readonly #parts: Pick<TerminalParts, 'sync' | 'settings' | 'log'>;
  readonly #channel: Channel<'terminal'>;
  readonly #caughtUp: () => void;
  /** The setting that `#scrollback` has. */
  #limit: number;
  #scrollback: Scrollback;
  /** Number of the cause in whose `undo` it is already. */
  #changedIn = 0;

  /** `caughtUp` is called when `isBehind` may have become false. */
  constructor(
    parts: Pick<TerminalParts, 'sync' | 'settings' | 'log'>,
    channel: Channel<'terminal'>,
    caughtUp: () => void,
  ) {
    this.#parts = parts;
    this.#channel = channel;
    this.#caughtUp = caughtUp;
    this.#limit = parts.settings.scrollbackLength();
    this.#scrollback = this.#fresh();
  }

  /** Whether output comes faster than it can be folded, so that reading should stop. */
  get isBehind(): boolean {
    return this.#scrollback.isBehind(this.#channel.state.content);
  }

  /** Whether there is nothing to fold. */
  get isShort(): boolean {
    return this.#scrollback.isShort(this.#channel.state.content);
  }

  /** Trims the content after output. */
  trim(tx: Tx): void {
    const limit = this.#parts.settings.scrollbackLength();
    if (limit !== this.#limit) {
      this.#limit = limit;
      this.#scrollback = this.#fresh();
    }
    this.#replace(tx, (content) => this.#scrollback.trim(content));
    tx.effect(() => this.#fold());
  }

  /** The terminal was resized. Call it behind the action. */
  resized(tx: Tx, cols: number, rows: number): void {
    this.#undoable(tx);
    this.#scrollback.resized(this.#channel.state.content, { cols, rows });
    tx.effect(() => this.#fold());
  }

  /** The terminal was cleared. `content`: the content before. Call it behind the action. */
  cleared(tx: Tx, content: TerminalState['content']): void {
    this.#undoable(tx);
    const front = this.#scrollback.cleared(content);
    tx.effect(() => this.#settle(this.#prepend(front)));
  }

  async #prepend(front: Promise<string>): Promise<void> {
    const text = await front;
    if (text === '') return;
    this.#parts.sync.transact('host', (tx) => {
      if (!this.#channel.isAlive) return;
      this.#replace(tx, (content) => this.#scrollback.prepend(content, text));
      // A replay of the envelopes would not give this content.
      this.#parts.sync.registry.writeSnapshot(tx, this.#channel);
    });
  }

  #fold(): void {
    if (!this.#channel.isAlive) return;
    const folding = this.#scrollback.fold(this.#channel.state.content);
    if (folding === undefined) return;
    this.#settle(
      folding.then((folded) => {
        const { path } = this.#parts.sync;
        path.transact('host', (tx) => {
          // In an effect, because the transaction waits while the journal is down; the same text would be folded repeatedly.
          tx.effect(() => {
            this.#caughtUp();
            // Output during the fold may be too long already.
            this.#fold();
          });
          if (!this.#channel.isAlive) return;
          this.#replace(tx, (content) => this.#scrollback.apply(content, folded));
        });
      }),
    );
  }

  #replace(tx: Tx, next: (content: TerminalState['content']) => TerminalState['content']): void {
    const { state } = this.#channel;
    this.#undoable(tx);
    const content = next(state.content);
    if (content === state.content) return;
    const trimmed = trimmedOutput(state, content);
    tx.setWindow(this.#channel, {
      ...state,
      content,
      ...defined({ 'x-trimmed': trimmed }),
    });
  }

  /** The scrollback's knowledge of the content is wrong after an undo, so it starts anew. */
  #undoable(tx: Tx): void {
    if (this.#changedIn === tx.cause) return;
    this.#changedIn = tx.cause;
    tx.undo(() => {
      this.#scrollback = this.#fresh();
    });
  }

  #fresh(): Scrollback {
    const { cols = 80, rows = 24 } = this.#channel.state;
    return new Scrollback({ cols, rows }, { limit: this.#limit });
  }

  #settle(work: Promise<void>): void {
    work.catch((error: unknown) =>
      this.#parts.log.error({ error, uri: this.#channel.uri }, 'could not fold a scrollback'),
    );
  }
}

/** The `x-trimmed` of a terminal whose content changes without an action; `undefined` if the terminal has none. */
function trimmedOutput(before: TerminalState, content: TerminalState['content']): TrimmedOutput | undefined {
  const { 'x-trimmed': trimmed } = before;
  if (trimmed === undefined) return undefined;
  const isFolded = headOf(content) !== undefined;
  const units =
    trimmed.units + outputLength(before) - outputLength({ content, 'x-trimmed': { units: 0, isFolded } });
  return { units, isFolded };
}
