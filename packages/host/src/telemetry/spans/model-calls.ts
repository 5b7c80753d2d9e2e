import type { UsageInfo } from '@agenthost/protocol';
import { partSpanId, type Span } from './span.ts';
import { commonAttributes, type TurnFacts, type TurnIds } from './turn-facts.ts';
import { addedTokens, modelProviderOf, tokenAttributes } from './usage.ts';

/**
 * An assumed call that is shorter was none: the agent reported the usage of an answer before it ran the calls in it, as the model agent does.
 * Milliseconds.
 */
const LEAST_ASSUMED_MS = 20;

interface Call {
  readonly startMs: number;
  /** Absent: no output of the call was seen. */
  firstOutputMs?: number;
  /** Whether the call is only assumed, because the usage of the one before it came. It is none without output. */
  readonly isAssumed?: true;
}

/**
 * The model calls of a turn. Agents do not report when a call begins, so the calls are derived: a call begins with the turn and whenever no tool
 * call is open any more; it ends when a tool call runs, when the agent reports more tokens, and with the turn.
 */
export class ModelCalls {
  readonly #facts: TurnFacts;
  readonly #ids: TurnIds;
  #open: Call | undefined;
  /** The last call, which waits for its usage. */
  #ended: (Call & { readonly endMs: number }) | undefined;
  #count = 0;
  /** Calls that ended without usage. The next usage covers them too, so it belongs to no single call. */
  #unreportedCount = 0;
  #usage: UsageInfo = {};
  #model: string | undefined;

  constructor(facts: TurnFacts, ids: TurnIds) {
    this.#facts = facts;
    this.#ids = ids;
    this.#model = facts.message.model?.id;
    this.#open = { startMs: facts.startMs };
  }

  /** Id of the model that answers, as far as known. */
  get model(): string | undefined {
    return this.#model;
  }

  /** The latest usage of the turn. */
  get usage(): UsageInfo {
    return this.#usage;
  }

  /** A call begins, unless one is open. The usage of the call before it may still follow, until the call has output. */
  begin(ms: number): void {
    this.#open ??= { startMs: ms };
  }

  /** Output of the model has arrived. Returns the call before the open one. */
  output(ms: number): Span[] {
    if (this.#open === undefined) return [];
    this.#open.firstOutputMs ??= ms;
    return this.#settle();
  }

  /** The call ends; its usage may follow. Returns the call before it. */
  end(ms: number): Span[] {
    const open = this.#open;
    if (open === undefined) return [];
    this.#open = undefined;
    if (open.isAssumed === true && (open.firstOutputMs === undefined || ms - open.startMs < LEAST_ASSUMED_MS))
      return [];
    const spans = this.#settle();
    this.#ended = { ...open, endMs: ms };
    return spans;
  }

  /** The host does something by itself: a call without output has not begun yet. Returns the call before it. */
  interrupt(ms: number): Span[] {
    if (this.#open?.firstOutputMs !== undefined) return this.end(ms);
    this.#open = undefined;
    return [];
  }

  /** The agent reports the usage of the turn so far. */
  report(usage: UsageInfo, ms: number): Span[] {
    const added = addedTokens(usage, this.#usage);
    this.#usage = usage;
    this.#model = usage.model ?? this.#model;
    if (added === undefined) return [];
    if (this.#ended !== undefined) return this.#settle(added);
    if (this.#open === undefined) return [];
    const before = this.end(ms);
    this.#open = { startMs: ms, isAssumed: true };
    return [...before, ...this.#settle(added)];
  }

  /** The turn ends. A call that has shown no output and no usage was none. */
  finish(ms: number): Span[] {
    const isFirst = this.#count === 0 && this.#ended === undefined;
    const isCall = this.#open !== undefined && (isFirst || this.#open.firstOutputMs !== undefined);
    const spans = isCall ? this.end(ms) : [];
    this.#open = undefined;
    return [...spans, ...this.#settle()];
  }

  #settle(added?: UsageInfo): Span[] {
    const call = this.#ended;
    if (call === undefined) return [];
    this.#ended = undefined;
    this.#count += 1;
    const usage = added !== undefined && this.#unreportedCount === 0 ? added : undefined;
    this.#unreportedCount = added === undefined ? this.#unreportedCount + 1 : 0;
    const { traceId, spanId: parentSpanId } = this.#ids;
    const model = this.#model;
    return [
      {
        role: 'model',
        traceId,
        spanId: partSpanId(parentSpanId, 'model', this.#count),
        parentSpanId,
        name: model === undefined ? 'chat' : `chat ${model}`,
        startMs: call.startMs,
        endMs: call.endMs,
        attributes: {
          ...commonAttributes(this.#facts),
          'gen_ai.provider.name': modelProviderOf(this.#usage) ?? this.#facts.provider,
          'gen_ai.operation.name': 'chat',
          'gen_ai.request.model': model,
          ...tokenAttributes(usage),
          'ahp.time_to_first_output_ms':
            call.firstOutputMs === undefined ? undefined : call.firstOutputMs - call.startMs,
        },
      },
    ];
  }
}
