import type { ChatAction, ChatToolCallConfirmedAction } from '@agenthost/protocol';
import type { Contents } from './contents.ts';
import { isHostsTool } from './host-calls.ts';
import { ModelCalls } from './model-calls.ts';
import type { Span, SpanFailure } from './span.ts';
import { ToolTrace, waitSpan } from './tool-trace.ts';
import { commonAttributes, idsOf, type TurnFacts, type TurnIds } from './turn-facts.ts';
import { costOf, tokenAttributes } from './usage.ts';

/** How a turn ended; `open`: it has not. */
export type TurnOutcome = 'complete' | 'cancelled' | 'error' | 'open';

/** Makes the spans of one turn from the actions of its chat. */
export class TurnTrace {
  readonly facts: TurnFacts;
  readonly #ids: TurnIds;
  readonly #contents: Contents;
  readonly #models: ModelCalls;
  readonly #tools = new Map<string, ToolTrace>();
  /** Open input requests, by id. */
  readonly #questions = new Map<string, { readonly startMs: number; readonly number: number }>();
  #toolCount = 0;
  #questionCount = 0;
  #hasEnded = false;

  constructor(facts: TurnFacts, contents: Contents) {
    this.facts = facts;
    this.#ids = idsOf(facts);
    this.#contents = contents;
    this.#models = new ModelCalls(facts, this.#ids);
  }

  /** Whether the turn has ended: no more spans follow. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Takes the next action of the chat, at `ms` since the epoch. Returns the spans that it ends. Actions of other turns change nothing. */
  take(action: ChatAction, ms: number): Span[] {
    if ('turnId' in action && action.turnId !== this.facts.turnId) return [];
    switch (action.type) {
      case 'chat/responsePart':
        return [
          // Notices are of the host.
          ...(action.part.kind === 'systemNotification' ? [] : this.#models.output(ms)),
          ...(action.part.kind === 'inputRequest' ? this.#asked(action.part.request.id, ms) : []),
        ];
      case 'chat/toolCallStart':
        this.#toolCount += 1;
        this.#tools.set(
          action.toolCallId,
          new ToolTrace({
            facts: this.facts,
            ids: this.#ids,
            contents: this.#contents,
            action,
            startMs: ms,
          }),
        );
        return isHostsTool(action.toolName) ? this.#models.interrupt(ms) : this.#models.output(ms);
      case 'chat/usage':
        return this.#models.report(action.usage, ms);
      case 'chat/inputRequested':
        return this.#asked(action.request.id, ms);
      case 'chat/inputCompleted':
        return this.#answered(action.requestId, ms, action.response);
      case 'chat/turnComplete':
        return this.end(ms, 'complete');
      case 'chat/turnCancelled':
        return this.end(ms, 'cancelled');
      case 'chat/error':
        return this.end(ms, 'error', this.#failureOf(action.part.error));
      default:
        return 'toolCallId' in action ? this.#takeOfTool(action, ms) : [];
    }
  }

  /** Ends the turn and all that is open in it. `open`: the turn runs on, and the spans show it so far. */
  end(ms: number, outcome: TurnOutcome, failure?: SpanFailure): Span[] {
    if (this.#hasEnded) return [];
    this.#hasEnded = true;
    const spans = [
      ...[...this.#questions.keys()].flatMap((id) => this.#answered(id, ms, outcome)),
      ...[...this.#tools.values()].flatMap((tool) => tool.end(ms, outcome)),
      ...this.#models.finish(ms),
    ];
    this.#tools.clear();
    return [...spans, this.#span(ms, outcome, failure)];
  }

  #takeOfTool(action: Extract<ChatAction, { toolCallId: string }>, ms: number): Span[] {
    const tool = this.#tools.get(action.toolCallId);
    if (tool === undefined) return [];
    switch (action.type) {
      case 'chat/toolCallReady':
        tool.setInput(action.toolInput);
        return [
          ...this.#models.end(ms),
          ...(action.confirmed === undefined ? tool.wait('approval', ms) : tool.run(ms)),
        ];
      case 'chat/toolCallConfirmed':
        return action.approved ? tool.run(ms, 'approved') : this.#close(tool, action, ms);
      case 'chat/toolCallAuthRequired':
        return tool.wait('sign-in', ms);
      case 'chat/toolCallAuthResolved':
        return tool.run(ms, 'signed in');
      case 'chat/toolCallComplete': {
        tool.setResult(action);
        // A call may end without having been ready.
        const spans = this.#models.end(ms);
        if (action.requiresResultConfirmation === true)
          return [...spans, ...tool.wait('result approval', ms)];
        return [...spans, ...this.#closeWith(tool, action.toolCallId, ms)];
      }
      case 'chat/toolCallResultConfirmed':
        return this.#closeWith(tool, action.toolCallId, ms, action.approved ? undefined : 'result-denied');
      default:
        return [];
    }
  }

  #close(tool: ToolTrace, action: ChatToolCallConfirmedAction, ms: number): Span[] {
    const outcome = action.approved ? undefined : action.reason;
    return this.#closeWith(tool, action.toolCallId, ms, outcome);
  }

  #closeWith(tool: ToolTrace, toolCallId: string, ms: number, outcome?: string): Span[] {
    this.#tools.delete(toolCallId);
    this.#resumeModel(ms);
    return tool.end(ms, outcome);
  }

  #asked(id: string, ms: number): Span[] {
    if (this.#questions.has(id)) return [];
    this.#questionCount += 1;
    this.#questions.set(id, { startMs: ms, number: this.#questionCount });
    // A question of a running tool does not end a model call, because there is none.
    return this.#models.end(ms);
  }

  #answered(id: string, ms: number, outcome: string): Span[] {
    const question = this.#questions.get(id);
    if (question === undefined) return [];
    this.#questions.delete(id);
    const { traceId, spanId: parentSpanId } = this.#ids;
    const wait = { facts: this.facts, traceId, parentSpanId, reason: 'answer', attributes: {} } as const;
    if (!this.#hasEnded) this.#resumeModel(ms);
    return [waitSpan({ ...wait, ...question }, ms, outcome)];
  }

  /** A model call begins when nothing else is open in the turn. */
  #resumeModel(ms: number): void {
    if (this.#tools.size === 0 && this.#questions.size === 0) this.#models.begin(ms);
  }

  #failureOf({ errorType, message }: { errorType: string; message: string }): SpanFailure {
    const text = this.#contents.text(message);
    return { type: errorType, ...(text === undefined ? {} : { message: text }) };
  }

  #span(endMs: number, outcome: TurnOutcome, failure: SpanFailure | undefined): Span {
    const { provider, message, startMs, isResumed, origin } = this.facts;
    const { usage, model } = this.#models;
    const cost = costOf(usage);
    return {
      ...this.#ids,
      role: 'turn',
      name: `invoke_agent ${provider}`,
      startMs,
      endMs,
      attributes: {
        ...commonAttributes(this.facts),
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.id': provider,
        'gen_ai.request.model': message.model?.id,
        'gen_ai.response.model': model,
        ...tokenAttributes(usage),
        'ahp.usage.cost': cost?.amount,
        'ahp.usage.currency': cost?.currency,
        'ahp.turn.outcome': outcome,
        'ahp.turn.is_resumed': isResumed ? true : undefined,
        'ahp.turn.tool_call_count': this.#toolCount,
        'ahp.chat.origin': origin?.kind,
        ...this.#contents.ofMessage(message),
      },
      ...(failure === undefined ? {} : { failure }),
    };
  }
}
