import type { ChatToolCallCompleteAction, ChatToolCallStartAction, ToolInput } from '@agenthost/protocol';
import type { Attributes } from '../otlp.ts';
import type { Contents } from './contents.ts';
import { partSpanId, type Span, type SpanFailure, toolSpanId } from './span.ts';
import { commonAttributes, type TurnFacts, type TurnIds } from './turn-facts.ts';

/** The reasons for which work waits for a person. */
export type WaitReason = 'approval' | 'result approval' | 'sign-in' | 'answer';

/** Facts of a span that waits for a person. */
interface WaitFacts {
  readonly facts: TurnFacts;
  readonly traceId: string;
  readonly parentSpanId: string;
  readonly number: number;
  readonly startMs: number;
  readonly reason: WaitReason;
  readonly attributes: Attributes;
}

/** A wait for a person. */
export const waitSpan = (wait: WaitFacts, endMs: number, outcome: string | undefined): Span => ({
  role: 'wait',
  traceId: wait.traceId,
  spanId: partSpanId(wait.parentSpanId, 'wait', wait.number),
  parentSpanId: wait.parentSpanId,
  name: `wait for ${wait.reason}`,
  startMs: wait.startMs,
  endMs,
  attributes: {
    ...commonAttributes(wait.facts),
    ...wait.attributes,
    'ahp.wait.reason': wait.reason,
    'ahp.wait.outcome': outcome,
  },
});

/** A tool call that is open. */
export class ToolTrace {
  readonly #facts: TurnFacts;
  readonly #ids: TurnIds;
  readonly #contents: Contents;
  readonly #action: ChatToolCallStartAction;
  readonly #startMs: number;
  #attributes: Attributes = {};
  #failure: SpanFailure | undefined;
  #wait: { readonly startMs: number; readonly reason: WaitReason } | undefined;
  #waitCount = 0;
  /** When the call began to run. Absent: its input is incomplete, or nobody has approved it. */
  #runMs: number | undefined;

  constructor(parts: {
    facts: TurnFacts;
    ids: TurnIds;
    contents: Contents;
    action: ChatToolCallStartAction;
    startMs: number;
  }) {
    this.#facts = parts.facts;
    this.#ids = parts.ids;
    this.#contents = parts.contents;
    this.#action = parts.action;
    this.#startMs = parts.startMs;
  }

  /** The complete input is known. */
  setInput(input: ToolInput | undefined): void {
    this.#attributes = { ...this.#attributes, ...this.#contents.ofInput(input) };
  }

  /** The call runs, or runs on. Returns the wait that has ended. */
  run(ms: number, outcome?: string): Span[] {
    this.#runMs ??= ms;
    return this.#endWait(ms, outcome);
  }

  /** The call waits for a person. Returns an earlier wait. */
  wait(reason: WaitReason, ms: number): Span[] {
    // A question that changes while it is open is one wait.
    if (this.#wait?.reason === reason) return [];
    const spans = this.#endWait(ms, undefined);
    this.#wait = { startMs: ms, reason };
    return spans;
  }

  /** The call has a result. */
  setResult(action: ChatToolCallCompleteAction): void {
    const { success, error } = action.result;
    this.#attributes = { ...this.#attributes, ...this.#contents.ofResult(action) };
    if (success) return;
    const message = this.#contents.text(error?.message);
    this.#failure = { type: error?.code ?? 'tool_error', ...(message === undefined ? {} : { message }) };
  }

  /** The call ends. `outcome`: why it ended without a result; absent: it has one. */
  end(ms: number, outcome?: string): Span[] {
    return [...this.#endWait(ms, outcome), this.#span(ms, outcome)];
  }

  #endWait(ms: number, outcome: string | undefined): Span[] {
    const wait = this.#wait;
    if (wait === undefined) return [];
    this.#wait = undefined;
    this.#waitCount += 1;
    const { toolCallId, toolName } = this.#action;
    return [
      waitSpan(
        {
          ...wait,
          facts: this.#facts,
          traceId: this.#ids.traceId,
          parentSpanId: toolSpanId(this.#facts.chat, toolCallId),
          number: this.#waitCount,
          attributes: { 'ahp.tool_call.id': toolCallId, 'gen_ai.tool.name': toolName },
        },
        ms,
        outcome,
      ),
    ];
  }

  #span(endMs: number, outcome: string | undefined): Span {
    const { toolCallId, toolName, contributor } = this.#action;
    const { traceId, spanId: parentSpanId } = this.#ids;
    return {
      role: 'tool',
      traceId,
      spanId: toolSpanId(this.#facts.chat, toolCallId),
      parentSpanId,
      name: `execute_tool ${toolName}`,
      startMs: this.#startMs,
      endMs,
      attributes: {
        ...commonAttributes(this.#facts),
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': toolName,
        'gen_ai.tool.call.id': toolCallId,
        'gen_ai.tool.type': 'function',
        'ahp.tool_call.id': toolCallId,
        'ahp.tool_call.contributor': contributor?.kind,
        'mcp.method.name': contributor?.kind === 'mcp' ? 'tools/call' : undefined,
        'ahp.mcp.server.id': contributor?.kind === 'mcp' ? contributor.customizationId : undefined,
        'ahp.tool_call.outcome': outcome,
        'ahp.tool_call.run_ms': this.#runMs === undefined ? undefined : endMs - this.#runMs,
        ...this.#attributes,
      },
      ...(this.#failure === undefined ? {} : { failure: this.#failure }),
    };
  }
}
