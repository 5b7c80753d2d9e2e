import type { ActiveTurn, ChatAction, ChatOrigin, Message, URI } from '@agenthost/protocol';
import type { Contents } from './contents.ts';
import type { Span } from './span.ts';
import type { SessionFacts, TurnFacts } from './turn-facts.ts';
import { TurnTrace } from './turn-trace.ts';

/** What the spans of a chat say of it. */
export interface ChatFacts extends SessionFacts {
  readonly chat: URI;
  readonly origin: ChatOrigin | undefined;
}

/** Makes the spans of the turns of one chat from its actions, in their order. */
export class ChatTrace {
  readonly #facts: ChatFacts;
  readonly #contents: Contents;
  #turn: TurnTrace | undefined;
  /** The message of the last turn that was seen to start, for its resumption. */
  #last: { readonly turnId: string; readonly message: Message } | undefined;

  constructor(facts: ChatFacts, contents: Contents) {
    this.#facts = facts;
    this.#contents = contents;
  }

  /** The running turn, or the last one. */
  get turn(): TurnTrace | undefined {
    return this.#turn;
  }

  /**
   * Takes the next action, at `ms` since the epoch. Returns the spans that it ends. `active`: the turn that was active before or, if the action starts
   * one, after it; it tells a turn whose start was not seen.
   */
  take(action: ChatAction, ms: number, active?: ActiveTurn): Span[] {
    switch (action.type) {
      case 'chat/turnStarted':
        return this.#begin({ turnId: action.turnId, message: action.message, startMs: ms, isResumed: false });
      case 'chat/turnResume': {
        const message =
          active?.message ?? (this.#last?.turnId === action.turnId ? this.#last.message : UNKNOWN);
        return this.#begin({ turnId: action.turnId, message, startMs: ms, isResumed: true });
      }
      case 'chat/truncated':
        return this.#turn?.end(ms, 'cancelled') ?? [];
      default: {
        if (active !== undefined && (this.#turn === undefined || this.#turn.hasEnded))
          this.#adopt(active, ms);
        return this.#turn?.take(action, ms) ?? [];
      }
    }
  }

  /** The spans of the running turn so far. No more spans follow. */
  finish(ms: number): Span[] {
    return this.#turn?.end(ms, 'open') ?? [];
  }

  #begin(turn: Pick<TurnFacts, 'turnId' | 'message' | 'startMs' | 'isResumed'>): Span[] {
    // The end of an earlier turn was lost, for example by a kill of an older host.
    const spans = this.#turn?.end(turn.startMs, 'cancelled') ?? [];
    this.#last = { turnId: turn.turnId, message: turn.message };
    this.#turn = new TurnTrace({ ...this.#facts, ...turn }, this.#contents);
    return spans;
  }

  /** Goes on with a turn whose start was before anybody listened. */
  #adopt({ id, message, startedAt }: ActiveTurn, ms: number): void {
    const started = Date.parse(startedAt);
    const startMs = Number.isFinite(started) ? Math.min(started, ms) : ms;
    this.#begin({ turnId: id, message, startMs, isResumed: false });
  }
}

/** Stands for a message that is not known. */
const UNKNOWN: Message = { text: '', origin: { kind: 'user' } };
