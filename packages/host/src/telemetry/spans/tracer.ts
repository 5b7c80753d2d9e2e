import type { URI } from '@agenthost/protocol';
import type { Clock } from '../../lib/clock.ts';
import type { Sync } from '../../sync/sync.ts';
import type { Change } from '../../sync/tx.ts';
import { ChatTrace } from './chat-trace.ts';
import type { Contents } from './contents.ts';
import { runSpan } from './run-span.ts';
import { type Span, sessionSpanId, traceIdOf } from './span.ts';
import { automationAttributes, sessionFacts, type TurnFacts } from './turn-facts.ts';
import { costOf } from './usage.ts';

/** Most sessions whose spans are remembered as reported. Above it, they are reported again. */
const MAX_REPORTED = 10_000;

interface Parts {
  readonly sync: Sync;
  readonly clock: Clock;
  readonly contents: Contents;
  /** Whether anybody reads telemetry. While nobody does, the tracer does nothing. */
  isWanted(): boolean;
  onSpans(spans: readonly Span[]): void;
  /** `costBefore`: the cost that the agent had reported before the turn; absent: none. */
  onTurnStarted(turn: TurnFacts, costBefore: number | undefined): void;
}

/** Follows the committed actions of all chats and of runs of automations, and makes spans of them. */
export class Tracer {
  readonly #parts: Parts;
  readonly #chats = new Map<URI, ChatTrace>();
  /** Sessions whose span was reported. */
  readonly #reported = new Set<URI>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Registers the observers. */
  observe(): void {
    this.#parts.sync.observe('chat', (tx, change) => {
      if (!this.#parts.isWanted()) return this.#forget();
      // A failed commit undoes the action; then it did not happen.
      tx.effect(() => this.#take(change));
    });
    this.#parts.sync.observe('automationRun', (tx, { action, after }) => {
      if (action.type !== 'automationRun/lifecycleChanged' || !this.#parts.isWanted()) return;
      const span = runSpan(after, this.#parts.contents);
      if (span !== undefined) tx.effect(() => this.#parts.onSpans([span]));
    });
  }

  /** Drops what belongs to chats that are gone. */
  sweep(): void {
    for (const uri of this.#chats.keys())
      if (this.#parts.sync.registry.get(uri) === undefined) this.#chats.delete(uri);
  }

  #forget(): void {
    if (this.#chats.size > 0) this.#chats.clear();
    if (this.#reported.size > 0) this.#reported.clear();
  }

  #take({ channel, before, after, action, envelope }: Change<'chat'>): void {
    const { session } = channel;
    if (session === undefined) return;
    const active = before.activeTurn ?? after.activeTurn;
    const known = this.#chats.get(channel.uri);
    if (known === undefined && active === undefined) return;
    const chat = known ?? this.#add(channel, session, after.origin);
    const turnBefore = chat.turn;
    const ms = envelope['x-time'] ?? this.#parts.clock.now();
    const spans = chat.take(action, ms, active);
    if (chat.turn !== undefined && chat.turn !== turnBefore) {
      const costBefore = costOf(before.turns.at(-1)?.usage)?.amount;
      this.#parts.onTurnStarted(chat.turn.facts, costBefore);
    }
    if (spans.length > 0) this.#parts.onSpans([...this.#withSession(session, spans, ms), ...spans]);
    if (after.activeTurn === undefined) this.#chats.delete(channel.uri);
  }

  #add(
    { uri }: Change<'chat'>['channel'],
    session: URI,
    origin: Change<'chat'>['after']['origin'],
  ): ChatTrace {
    const facts = { ...sessionFacts(this.#parts.sync, session), chat: uri, origin };
    const chat = new ChatTrace(facts, this.#parts.contents);
    this.#chats.set(uri, chat);
    return chat;
  }

  /** The span of a session goes out once, with the end of its first turn: a session itself has no end. */
  #withSession(session: URI, spans: readonly Span[], ms: number): Span[] {
    if (this.#reported.has(session) || !spans.some(({ role }) => role === 'turn')) return [];
    if (this.#reported.size >= MAX_REPORTED) this.#reported.clear();
    this.#reported.add(session);
    const span = sessionSpan(this.#parts.sync, session, ms, this.#parts.contents);
    return span === undefined ? [] : [span];
  }
}

/** The span of a session from its creation until now; `undefined`: it is not in memory. */
export function sessionSpan(sync: Sync, session: URI, ms: number, contents: Contents): Span | undefined {
  const channel = sync.registry.getOf('session', session);
  if (channel === undefined) return undefined;
  const { provider, title, origin } = channel.state;
  const created = Date.parse(channel.hostData.summary.createdAt);
  return {
    role: 'session',
    traceId: traceIdOf(session),
    spanId: sessionSpanId(session),
    name: 'session',
    startMs: Number.isFinite(created) ? Math.min(created, ms) : ms,
    endMs: ms,
    attributes: {
      'ahp.session.id': session,
      'gen_ai.provider.name': provider,
      'gen_ai.agent.id': provider,
      'ahp.session.title': contents.text(title),
      ...automationAttributes(origin),
    },
  };
}
