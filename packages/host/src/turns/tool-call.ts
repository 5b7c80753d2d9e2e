import type {
  ChatAction,
  ChatState,
  StringOrMarkdown,
  ToolCallResult,
  ToolCallState,
  ToolResultContent,
  ToolResultSubagentContent,
} from '@agenthost/protocol';
import type { ToolCallAnswer, ToolCallHandle, ToolCallQuestion, ToolCallReady } from '../agents/provider.ts';
import type { Channel } from '../sync/channel.ts';
import { previewOf } from './content.ts';
import type { Pace } from './pace.ts';
import { SubagentBlocks } from './subagent-blocks.ts';

type Emit = (make: (chat: Channel<'chat'>) => ChatAction | undefined) => void;
type Confirmed = Extract<ChatAction, { type: 'chat/toolCallConfirmed' }>;

const SKIPPED: ToolCallAnswer = { approved: false, reason: 'skipped' };

/** The state of a tool call of the active turn. */
export function findToolCall(state: ChatState, toolCallId: string): ToolCallState | undefined {
  const part = state.activeTurn?.responseParts.findLast(
    (each) => each.kind === 'toolCall' && each.toolCall.toolCallId === toolCallId,
  );
  return part?.kind === 'toolCall' ? part.toolCall : undefined;
}

/** Walks one tool call of an open turn through its states [CHAT-7]. */
export class LiveToolCall implements ToolCallHandle {
  readonly id: string;
  readonly #turnId: string;
  readonly #pace: Pace;
  readonly #send: Emit;
  readonly #fit: (result: ToolCallResult) => ToolCallResult;
  /** Who waits for a person, asked already or not: at the end all of them go on. */
  readonly #waiting = new Set<() => void>();
  /** The question, or the result, that a person sees now. */
  #resolveAnswer: ((answer: ToolCallAnswer) => void) | undefined;
  #resolveResult: ((result: { approved: boolean }) => void) | undefined;
  readonly #subagents = new SubagentBlocks();
  #isOver = false;

  constructor(parts: {
    id: string;
    turnId: string;
    pace: Pace;
    emit: Emit;
    fit(result: ToolCallResult): ToolCallResult;
  }) {
    this.id = parts.id;
    this.#turnId = parts.turnId;
    this.#pace = parts.pace;
    this.#send = parts.emit;
    this.#fit = parts.fit;
  }

  input(delta: string, invocationMessage?: StringOrMarkdown): Promise<void> {
    if (this.#isOver) return Promise.resolve();
    this.#emitIn(['streaming'], () => ({
      type: 'chat/toolCallDelta',
      ...this.#target,
      content: delta,
      ...(invocationMessage === undefined ? {} : { invocationMessage }),
    }));
    return this.#pace.step();
  }

  confirm(question: ToolCallQuestion): Promise<ToolCallAnswer> {
    if (this.#isOver) return Promise.resolve(SKIPPED);
    const { promise, resolve, giveUp } = this.#wait(SKIPPED);
    this.#emitIn(
      ['streaming', 'running'],
      () => {
        this.#resolveAnswer = resolve;
        return {
          type: 'chat/toolCallReady',
          ...this.#target,
          ...ready(question),
          ...(question.confirmationTitle === undefined
            ? {}
            : { confirmationTitle: question.confirmationTitle }),
          ...(question.editable === undefined ? {} : { editable: question.editable }),
          ...(question.options === undefined ? {} : { options: [...question.options] }),
        };
      },
      giveUp,
    );
    return promise;
  }

  run(question: ToolCallReady): void {
    this.#emitIn(['streaming', 'running'], (call) => ({
      type: 'chat/toolCallReady',
      ...this.#target,
      ...ready(question),
      // New fields for a call that runs do not change why it may.
      confirmed: call.status === 'running' ? call.confirmed : 'not-needed',
    }));
    this.#showSubagents();
  }

  content(content: readonly ToolResultContent[]): void {
    this.#emitIn(['running'], () => ({
      type: 'chat/toolCallContentChanged',
      ...this.#target,
      content: previewOf(this.#subagents.into(content)),
    }));
  }

  complete(
    result: ToolCallResult,
    options: { requiresResultConfirmation?: boolean; meta?: Record<string, unknown> } = {},
  ): Promise<{ approved: boolean }> {
    if (this.#isOver) return Promise.resolve({ approved: false });
    const fitted = this.#fit(this.#subagents.intoResult(result));
    const { promise, resolve, giveUp } = this.#wait({ approved: false });
    const mustConfirm = options.requiresResultConfirmation === true;
    this.#emitIn(
      ['running', 'pending-confirmation'],
      () => {
        this.#takeAnswer()?.(SKIPPED);
        if (mustConfirm) this.#resolveResult = resolve;
        else resolve({ approved: true });
        return {
          type: 'chat/toolCallComplete',
          ...this.#target,
          ...(options.meta === undefined ? {} : { _meta: options.meta }),
          result: fitted,
          ...(mustConfirm ? { requiresResultConfirmation: true } : {}),
        };
      },
      giveUp,
    );
    return promise;
  }

  /** Names a worker chat of the call: at once while it runs, else as soon as it does. */
  subagent(block: ToolResultSubagentContent): void {
    this.#subagents.add(block);
    this.#showSubagents();
  }

  /** The question was answered: state already shows it. */
  answered(state: ChatState, action: Confirmed): void {
    this.#showSubagents();
    const call = findToolCall(state, this.id);
    const selected =
      call !== undefined && 'selectedOption' in call ? { selectedOption: call.selectedOption } : {};
    const selectedOption =
      selected.selectedOption === undefined ? {} : { selectedOption: selected.selectedOption };
    const resolve = this.#takeAnswer();
    if (action.approved) {
      const toolInput = call !== undefined && 'toolInput' in call ? call.toolInput : undefined;
      resolve?.({ approved: true, ...(toolInput === undefined ? {} : { toolInput }), ...selectedOption });
      return;
    }
    resolve?.({
      approved: false,
      reason: action.reason,
      ...(action.reasonMessage === undefined ? {} : { message: action.reasonMessage }),
      ...(action.userSuggestion === undefined ? {} : { suggestion: action.userSuggestion }),
      ...selectedOption,
    });
  }

  resultAnswered(approved: boolean): void {
    this.#resolveResult?.({ approved });
    this.#resolveResult = undefined;
  }

  end(): void {
    this.#isOver = true;
    for (const giveUp of this.#waiting) giveUp();
  }

  /** Questions and new fields take the content of a call away; the workers stay in it. */
  #showSubagents(): void {
    this.#emitIn(['running'], (call) => {
      const { content = [] } = call.status === 'running' ? call : {};
      return this.#subagents.areIn(content)
        ? undefined
        : { type: 'chat/toolCallContentChanged', ...this.#target, content: this.#subagents.into(content) };
    });
  }

  #takeAnswer(): ((answer: ToolCallAnswer) => void) | undefined {
    const resolve = this.#resolveAnswer;
    this.#resolveAnswer = undefined;
    return resolve;
  }

  /** A promise that also resolves, as `otherwise`, when nobody will answer any more. */
  #wait<T>(otherwise: T): { promise: Promise<T>; resolve: (value: T) => void; giveUp: () => void } {
    const { promise, resolve: settle } = Promise.withResolvers<T>();
    const giveUp = (): void => resolve(otherwise);
    const resolve = (value: T): void => {
      this.#waiting.delete(giveUp);
      settle(value);
    };
    this.#waiting.add(giveUp);
    return { promise, resolve, giveUp };
  }

  get #target(): { turnId: string; toolCallId: string } {
    return { turnId: this.#turnId, toolCallId: this.id };
  }

  /** Emits when the call is in one of these states; anything else would change nothing [CHAT-7]. */
  #emitIn(
    statuses: readonly ToolCallState['status'][],
    make: (call: ToolCallState) => ChatAction | undefined,
    refused: () => void = () => undefined,
  ): void {
    this.#send((chat) => {
      const call = findToolCall(chat.state, this.id);
      if (call !== undefined && statuses.includes(call.status)) return make(call);
      refused();
      return undefined;
    });
  }
}

const ready = (question: ToolCallReady) => ({
  invocationMessage: question.invocationMessage,
  ...(question.toolInput === undefined ? {} : { toolInput: question.toolInput }),
  ...(question.edits === undefined || question.edits.length === 0
    ? {}
    : { edits: { items: [...question.edits] } }),
  ...(question.meta === undefined ? {} : { _meta: question.meta }),
});
