import { type ActionEnvelope, type ChatAction, notFound, type Turn, type URI } from '@agenthost/protocol';
import type { Clock } from '../../lib/clock.ts';
import type { Channel } from '../../sync/channel.ts';
import type { Sync } from '../../sync/sync.ts';
import { readTurn } from '../../sync/window.ts';
import { type ChatFacts, ChatTrace } from './chat-trace.ts';
import type { Contents } from './contents.ts';
import type { Span } from './span.ts';
import { sessionSpan } from './tracer.ts';
import { sessionFacts } from './turn-facts.ts';
import { TurnTrace } from './turn-trace.ts';

/** Bytes of envelopes that are in memory at once. */
const PAGE_BYTES = 512 * 1024;
/** Most bytes of envelopes that are read for one trace. */
const MAX_BYTES = 64 * 1024 * 1024;
/** The start of a turn is by the clock of its client, which may differ from the host's. */
const CLOCK_SLACK_MS = 5 * 60_000;
/** Range of numbers in which the search for a time stops. */
const SEARCH_RANGE = 256;
/** Most worker chats of one trace. */
const MAX_WORKERS = 16;

/** A stretch of time, in ms since the epoch. */
interface Stretch {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Rebuilds the spans of turns from the envelopes that the journal still holds. */
export class PastTraces {
  readonly #sync: Sync;
  readonly #clock: Clock;
  readonly #contents: Contents;

  constructor({ sync, clock, contents }: { sync: Sync; clock: Clock; contents: Contents }) {
    this.#sync = sync;
    this.#clock = clock;
    this.#contents = contents;
  }

  /**
   * The spans of a turn with those of its session and of the workers that it started. Open ones end now. Of a turn older than the replay window there is
   * only its own span. Rejects with `-32008` if there is no such turn.
   */
  async read(uri: URI, turnId: string): Promise<Span[]> {
    const chat = await this.#chatOf(uri);
    const turn = chat && (await this.#turnOf(chat, turnId));
    if (chat?.session === undefined || turn === undefined) throw notFound('turn', turnId);
    // Envelopes of the open tick are not in the journal yet.
    await this.#sync.afterCommit();
    const facts = this.#factsOf(chat, chat.session);
    const stretch = stretchOf(turn, this.#clock.now());
    const found = await this.#spansIn(chat, facts, turnId, stretch);
    // The clock of the client was wrong.
    const exact =
      found.length > 0 ? found : await this.#spansIn(chat, facts, turnId, { ...stretch, fromMs: 0 });
    const own = exact.length > 0 ? exact : this.#roughly(facts, turn);
    const [ended] = own.filter(({ role }) => role === 'turn');
    const workers = ended === undefined ? [] : await this.#workersOf(facts, own, ended);
    const session = sessionSpan(this.#sync, chat.session, this.#clock.now(), this.#contents);
    return [...(session === undefined ? [] : [session]), ...own, ...workers];
  }

  async #chatOf(uri: URI): Promise<Channel<'chat'> | undefined> {
    const channel = await this.#sync.registry.load(uri);
    return channel?.is('chat') === true ? channel : undefined;
  }

  #factsOf(chat: Channel<'chat'>, session: URI): ChatFacts {
    return { ...sessionFacts(this.#sync, session), chat: chat.uri, origin: chat.state.origin };
  }

  async #turnOf({ uri, state }: Channel<'chat'>, turnId: string): Promise<KnownTurn | undefined> {
    if (state.activeTurn?.id === turnId) return state.activeTurn;
    const found = state.turns.find(({ id }) => id === turnId);
    if (found !== undefined) return found;
    const ordinal = await this.#sync.journal.findTurn(uri, turnId);
    if (ordinal === undefined) return undefined;
    const [row] = await this.#sync.journal.readTurns(uri, { before: ordinal + 1, limit: 1 });
    return row && readTurn(row);
  }

  /** The spans of one turn, or without an id those of all turns, in a stretch of time. */
  async #spansIn(
    chat: Channel<'chat'>,
    facts: ChatFacts,
    turnId: string | undefined,
    { fromMs, toMs }: Stretch,
  ): Promise<Span[]> {
    const trace = new ChatTrace(facts, this.#contents);
    const spans: Span[] = [];
    const isWanted = (): boolean => turnId === undefined || trace.turn?.facts.turnId === turnId;
    let hasBegun = false;
    let after = await this.#before(chat, fromMs);
    for (let bytes = 0; bytes < MAX_BYTES; ) {
      const page = await this.#sync.journal.readEnvelopesAfter(chat.uri, after, PAGE_BYTES);
      for (const { json, seq, time } of page) {
        after = seq;
        bytes += json.length;
        if (time > toMs) return spans;
        const action = actionOf(json);
        if (action === undefined) continue;
        const isStart = action.type === 'chat/turnStarted' || action.type === 'chat/turnResume';
        // A later turn ends the search: a turn can only begin or go on while it is the last one.
        if (isStart && turnId !== undefined && action.turnId !== turnId)
          if (hasBegun || (await this.#isLater(chat, action.turnId, turnId))) return spans;
        const ended = trace.take(action, time);
        if (!isWanted()) continue;
        hasBegun = true;
        spans.push(...ended);
      }
      if (page.length === 0) break;
      await this.#sync.path.nextTurn();
    }
    return isWanted() ? [...spans, ...trace.finish(this.#clock.now())] : spans;
  }

  /** Whether a turn of the chat is known to be later than another one. */
  async #isLater({ uri, state }: Channel<'chat'>, turnId: string, than: string): Promise<boolean> {
    if (state.activeTurn?.id === than) return false;
    if (state.activeTurn?.id === turnId) return true;
    const ordinal = await this.#sync.journal.findTurn(uri, turnId);
    const other = await this.#sync.journal.findTurn(uri, than);
    return ordinal !== undefined && other !== undefined && ordinal > other;
  }

  /** A number below the chat's first envelope of that time. */
  async #before(chat: Channel<'chat'>, ms: number): Promise<number> {
    let low = 0;
    let high = chat.seq;
    while (high - low > SEARCH_RANGE) {
      const middle = Math.floor((low + high) / 2);
      const [row] = await this.#sync.journal.readEnvelopesAfter(chat.uri, middle, 1);
      if (row === undefined || row.time >= ms) high = middle;
      else low = row.seq;
    }
    return low;
  }

  /** The span of a turn by its state alone. */
  #roughly(facts: ChatFacts, turn: KnownTurn): Span[] {
    const startMs = Date.parse(turn.startedAt ?? '');
    if (!Number.isFinite(startMs)) return [];
    const { id: turnId, message, usage } = turn;
    const trace = new TurnTrace({ ...facts, turnId, message, startMs, isResumed: false }, this.#contents);
    if (usage !== undefined) trace.take({ type: 'chat/usage', turnId, usage }, startMs);
    const { state = 'open', duration = 0 } = turn;
    const endMs = state === 'open' ? this.#clock.now() : startMs + duration;
    return trace.end(endMs, state).filter(({ role }) => role === 'turn');
  }

  async #workersOf(facts: ChatFacts, own: readonly Span[], turn: Span): Promise<Span[]> {
    const calls = new Set(own.map(({ attributes }) => attributes['ahp.tool_call.id']));
    const session = this.#sync.registry.getOf('session', facts.session);
    const chats = (session?.state.chats ?? []).filter(
      ({ origin }) => origin?.kind === 'tool' && origin.chat === facts.chat && calls.has(origin.toolCallId),
    );
    const spans: Span[] = [];
    for (const { resource } of chats.slice(0, MAX_WORKERS)) {
      const chat = await this.#chatOf(resource);
      if (chat === undefined) continue;
      const stretch = { fromMs: turn.startMs, toMs: turn.endMs };
      spans.push(...(await this.#spansIn(chat, this.#factsOf(chat, facts.session), undefined, stretch)));
    }
    return spans;
  }
}

type KnownTurn = Pick<Turn, 'id' | 'message' | 'usage' | 'startedAt'> &
  Partial<Pick<Turn, 'state' | 'duration'>>;

/** The stretch that surely contains a turn. Resumed turns have pauses, so the end is open. */
const stretchOf = ({ startedAt = '' }: KnownTurn, nowMs: number): Stretch => {
  const startMs = Date.parse(startedAt);
  return { fromMs: Number.isFinite(startMs) ? startMs - CLOCK_SLACK_MS : 0, toMs: nowMs };
};

/** The action of a journaled envelope of a chat; `undefined`: streamed text, of which a turn has thousands and a trace needs none. */
function actionOf(json: string): ChatAction | undefined {
  const head = json.slice(0, 700);
  if (head.includes('"action":{"type":"chat/delta"') || head.includes('"action":{"type":"chat/reasoning"'))
    return undefined;
  // This host journaled the envelope after validation, on the channel of a chat.
  const envelope: Omit<ActionEnvelope, 'action'> & { readonly action: ChatAction } = JSON.parse(json);
  return envelope.action;
}
