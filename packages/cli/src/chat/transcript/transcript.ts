import type { ChatHandle } from '@agenthost/client';
import type { ActiveTurn, ChatState, Turn } from '@agenthost/protocol';
import { type Environment, messageOf } from '../app/environment.ts';
import { EMPTY_LINE, type Line, line, span } from '../text/line.ts';
import { findTurn } from './find-turn.ts';
import { TerminalTails } from './terminal-tails.ts';
import { TurnLayout } from './turn-lines.ts';
import { look, type Position, revealed, scrolled, type TurnSource } from './viewport.ts';

/** Turns of a chat that are loaded at first, and asked for at a time. */
const WINDOW_TURNS = 20;

/** How chats are subscribed to. The latency is below what a person notices. */
export const CHAT_VIEW = { turns: WINDOW_TURNS, maxLatencyMs: 30 } as const;

/** The turns of a chat on the screen: only those that show are laid out, and older ones are fetched when their place is reached. */
export class Transcript {
  readonly #env: Environment;
  readonly #chat: ChatHandle;
  readonly #layout: TurnLayout;
  readonly #tails: TerminalTails;
  readonly #expanded = new Set<string>();
  #position: Position = 'end';
  #isFetching = false;
  #size = { width: 80, height: 10 };
  /** The turn that is selected; `undefined` while nobody browses. */
  #selected: string | undefined;
  /** The last match of `/find`. */
  #found: { readonly text: string; readonly id: string } | undefined;

  constructor(env: Environment, chat: ChatHandle) {
    this.#env = env;
    this.#chat = chat;
    this.#layout = new TurnLayout(env.marks);
    this.#tails = new TerminalTails(env);
  }

  get isAtEnd(): boolean {
    return this.#position === 'end';
  }

  /** The turn that is selected. */
  get selected(): Turn | ActiveTurn | undefined {
    return this.turns.find(({ id }) => id === this.#selected);
  }

  get turns(): readonly (Turn | ActiveTurn)[] {
    return turnsOf(this.#chat.mirror.state);
  }

  /** The chat has changed. */
  update(): void {
    this.#tails.follow(this.#chat.mirror.state.activeTurn);
    if (this.#selected !== undefined && this.selected === undefined) this.#selected = this.turns.at(-1)?.id;
  }

  dispose(): void {
    this.#tails.dispose();
  }

  /** Exactly `height` lines. */
  lines(width: number, height: number): Line[] {
    this.#size = { width, height };
    const view = look(this.#source(), this.#position, height);
    this.#position = view.position;
    if (view.isAtTop) void this.fetchOlder(false);
    const lines = view.lines.map(({ line: text, turnId }): Line => {
      const isSelected = turnId === this.#selected;
      return [isSelected ? span('▌', { color: 'yellow' }) : span(' '), ...text];
    });
    // Few turns stand at the bottom, next to what is being written.
    const missing = height - lines.length;
    const top: Line[] = Array.from({ length: missing }, () => EMPTY_LINE);
    return view.position === 'end' ? [...top, ...lines] : [...lines, ...top];
  }

  scroll(pages: number): void {
    const by = Math.trunc(pages * Math.max(1, this.#size.height - 2));
    if (by < 0 && look(this.#source(), this.#position, this.#size.height).isAtTop) void this.fetchOlder(true);
    this.#position = scrolled(this.#source(), this.#position, by, this.#size.height);
  }

  toEnd(): void {
    this.#position = 'end';
  }

  /** Begins to browse, at the last turn, or ends it. */
  browse(isOn: boolean): void {
    this.#selected = isOn ? (this.selected ?? this.turns.at(-1))?.id : undefined;
    this.#reveal();
  }

  /** The turn before or after; older ones are fetched at the first. */
  async select(by: -1 | 1): Promise<void> {
    const at = this.turns.findIndex(({ id }) => id === this.#selected);
    if (at === 0 && by < 0) await this.fetchOlder(true);
    const from = this.turns.findIndex(({ id }) => id === this.#selected);
    const next = this.turns[Math.max(0, Math.min(from + by, this.turns.length - 1))];
    this.#selected = next?.id;
    this.#reveal();
    this.#env.changed();
  }

  /**
   * Selects the newest turn with a text; the same text again selects the next older one. Older turns are fetched as needed. Resolves with false when
   * there is none.
   */
  async find(text: string): Promise<boolean> {
    let before = this.#found?.text === text ? this.#found.id : undefined;
    for (;;) {
      const { turns } = this;
      const hit = findTurn(turns, text, before);
      if (hit !== undefined) {
        this.#found = { text, id: hit.id };
        this.#selected = hit.id;
        this.#reveal();
        return true;
      }
      // The turns that are fetched next are older than these.
      before = turns[0]?.id;
      await this.fetchOlder(true);
      if (this.turns.length <= turns.length) break;
    }
    this.#found = undefined;
    return false;
  }

  /** Shows all there is of the selected turn, or less again. */
  expand(): void {
    const id = this.#selected;
    if (id === undefined) return;
    if (!this.#expanded.delete(id)) this.#expanded.add(id);
    this.#reveal();
  }

  /** Loads turns before those that are there. `tells`: says why when it fails. */
  async fetchOlder(tells: boolean): Promise<void> {
    const { mirror } = this.#chat;
    if (this.#isFetching || mirror.confirmed.turnsNextCursor === undefined) return;
    if (this.#env.client.status.state !== 'online') return;
    this.#isFetching = true;
    // What shows stays where it is when there is more above it.
    if (this.#position === 'end' && tells) this.#anchor();
    try {
      await mirror.fetchOlderTurns();
    } catch (error) {
      if (tells) this.#env.notice(`older turns: ${messageOf(error)}`, 'problem');
    } finally {
      this.#isFetching = false;
      this.#env.changed();
    }
  }

  /** Label at the top edge of the transcript; '' for none. */
  get edgeText(): string {
    const { turnsNextCursor, turns } = this.#chat.mirror.state;
    if (this.#isFetching) return 'loading older turns';
    if (this.#position === 'end') return '';
    return turnsNextCursor === undefined
      ? `${turns.length} turns`
      : `${turns.length} turns loaded, older ones above`;
  }

  #anchor(): void {
    const first = look(this.#source(), this.#position, this.#size.height).lines[0];
    if (first !== undefined && this.turns[0] !== undefined)
      this.#position = { turnId: first.turnId, offset: 0 };
  }

  #reveal(): void {
    if (this.#selected === undefined) return;
    this.#position = revealed(this.#source(), this.#position, this.#selected, this.#size.height);
  }

  #source(): TurnSource {
    const { turns } = this;
    return {
      count: turns.length,
      idOf: (index) => turns[index]?.id ?? '',
      indexOf: (id) => turns.findIndex((turn) => turn.id === id),
      linesOf: (index) => {
        const turn = turns[index];
        if (turn === undefined) return [];
        return this.#layout.lines(turn, {
          width: this.#size.width - 1,
          isExpanded: this.#expanded.has(turn.id),
          terminalTail: this.#tails.tail,
        });
      },
    };
  }
}

/** All turns of a chat that are here, the running one last. */
const turnsOf = ({ turns, activeTurn }: ChatState): readonly (Turn | ActiveTurn)[] =>
  activeTurn === undefined ? turns : [...turns, activeTurn];

/** Placeholder of an empty chat. */
export const emptyChat = (text: string): Line => line(`  ${text}`, { dim: true });
