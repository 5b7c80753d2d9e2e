import { outputLength, type TerminalState, type TrimmedOutput } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import type { Channel } from '../../sync/channel.ts';
import type { Tx } from '../../sync/tx.ts';
import type { TerminalParts } from '../parts.ts';
import { Scrollback } from './scrollback.ts';
import { headOf } from './trim.ts';

/** Keeps one terminal's content within its bound while it runs [TERM-4]. */
export class ScrollbackKeeper {
  readonly #parts: Pick<TerminalParts, 'sync' | 'settings' | 'log'>;
  readonly #channel: Channel<'terminal'>;
  readonly #caughtUp: () => void;
  #scrollback: Scrollback;
  /** Number of the cause in whose `undo` it is already. */
  #changedIn = 0;

  /** `caughtUp`: `isBehind` may have become false. */
  constructor(
    parts: Pick<TerminalParts, 'sync' | 'settings' | 'log'>,
    channel: Channel<'terminal'>,
    caughtUp: () => void,
  ) {
    this.#parts = parts;
    this.#channel = channel;
    this.#caughtUp = caughtUp;
    this.#scrollback = this.#fresh();
  }

  /** True while output comes faster than it can be folded: read no further. */
  get isBehind(): boolean {
    return this.#scrollback.isBehind(this.#channel.state.content);
  }

  /** True when nothing is to be folded. */
  get isShort(): boolean {
    return this.#scrollback.isShort(this.#channel.state.content);
  }

  /** There is more output. */
  trim(tx: Tx): void {
    this.#replace(tx, (content) => this.#scrollback.trim(content));
    tx.effect(() => this.#fold());
  }

  /** It has this size from now on. Call it behind the action. */
  resized(tx: Tx, cols: number, rows: number): void {
    this.#undoable(tx);
    this.#scrollback.resized(this.#channel.state.content, { cols, rows });
    tx.effect(() => this.#fold());
  }

  /** It was cleared; `content` is what it showed. Call it behind the action. */
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
      // The envelopes alone would not lead there.
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
          // Not before: while the journal is down this waits, and the same text would be folded again and again.
          tx.effect(() => {
            this.#caughtUp();
            // What came meanwhile may be too much already.
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

  /** What it knows beside the content fits only a content that stays. */
  #undoable(tx: Tx): void {
    if (this.#changedIn === tx.cause) return;
    this.#changedIn = tx.cause;
    tx.undo(() => {
      this.#scrollback = this.#fresh();
    });
  }

  #fresh(): Scrollback {
    const { cols = 80, rows = 24 } = this.#channel.state;
    return new Scrollback({ cols, rows }, { limit: this.#parts.settings.scrollbackLength });
  }

  #settle(work: Promise<void>): void {
    work.catch((error: unknown) =>
      this.#parts.log.error({ error, uri: this.#channel.uri }, 'a scrollback could not be kept short'),
    );
  }
}

/** What is to be told of a terminal whose content becomes this one without an action that says so; nothing where nothing was told. */
function trimmedOutput(before: TerminalState, content: TerminalState['content']): TrimmedOutput | undefined {
  const { 'x-trimmed': trimmed } = before;
  if (trimmed === undefined) return undefined;
  const isFolded = headOf(content) !== undefined;
  const units =
    trimmed.units + outputLength(before) - outputLength({ content, 'x-trimmed': { units: 0, isFolded } });
  return { units, isFolded };
}
