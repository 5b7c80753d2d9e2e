import {
  type ChatAction,
  type ChatState,
  type ContentRef,
  findToolCallPart,
  type McpAuthRequirement,
  type StringOrMarkdown,
  TEXT_LIMITS,
  type ToolCallResult,
  type ToolCallState,
  type ToolInput,
  type ToolInputRef,
  type ToolResultContent,
  type ToolResultSubagentContent,
} from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import type {
  SignInToken,
  ToolCallAnswer,
  ToolCallHandle,
  ToolCallQuestion,
  ToolCallReady,
} from '../../agents/tool-call.ts';
import type { OpenQuestion } from '../../approvals/approvals.ts';
import type { Verdict } from '../../approvals/policy.ts';
import { beginningOf } from '../../lib/beginning-of.ts';
import type { Channel } from '../../sync/channel.ts';
import { lengthOf, previewOf } from '../contents/content-store.ts';
import { answerOf, type DecisionMark, markedMeta, markOf } from './decision-mark.ts';
import { SubagentBlocks } from './subagent-blocks.ts';

/** Emits an action as one step of `length` characters. Resolves when the agent may take the next step. */
type Emit = (make: (chat: Channel<'chat'>) => ChatAction | undefined, length?: number) => Promise<void>;
type Confirmed = Extract<ChatAction, { type: 'chat/toolCallConfirmed' }>;

/** Whether state has a reference in place of the input [CHAT-35]. */
const isLarge = ({ toolInput = '' }: ToolCallReady): boolean => toolInput.length > TEXT_LIMITS.text.max;

/** Characters of a large input that stay in state. */
const SHOWN_LENGTH = 32 * 1024;

/** At most this many paths outside of a worktree are named. */
const SHOWN_PATHS = 3;

const SKIPPED: ToolCallAnswer = { approved: false, reason: 'skipped' };

/** The state of a tool call of the active turn. */
export const findToolCall = ({ activeTurn }: ChatState, toolCallId: string): ToolCallState | undefined =>
  activeTurn && findToolCallPart(activeTurn.responseParts, toolCallId)?.toolCall;

interface ToolCallParts {
  readonly id: string;
  readonly turnId: string;
  readonly emit: Emit;
  fit(result: ToolCallResult): ToolCallResult;
  /** Stores a large input outside of state. */
  store(input: string): ContentRef;
  /** Applies approvals and the policy to a question. */
  open(question: ToolCallQuestion): OpenQuestion;
  /** Waits for a token for a resource. Returns a function that ends the wait. */
  awaitToken(
    auth: McpAuthRequirement,
    outcome: { granted(token: SignInToken): void; givenUp(): void },
  ): () => void;
}

/** Moves one tool call of an open turn through its states [CHAT-7]. */
export class LiveToolCall implements ToolCallHandle {
  readonly id: string;
  readonly #turnId: string;
  readonly #send: Emit;
  readonly #fit: (result: ToolCallResult) => ToolCallResult;
  readonly #store: (input: string) => ContentRef;
  /** The last large input, so that agents which repeat it do not store it again. */
  #stored: { readonly text: string; readonly reference: ToolInputRef } | undefined;
  readonly #open: (question: ToolCallQuestion) => OpenQuestion;
  readonly #awaitToken: ToolCallParts['awaitToken'];
  /**
   * Callbacks that end each pending wait for a user when the turn ends. Absent if nothing waits, because a
   * turn can have thousands of calls.
   */
  #waiting: Set<() => void> | undefined;
  /** Resolves the question that users see now. */
  #resolveAnswer: ((answer: ToolCallAnswer) => void) | undefined;
  /** The current or last question to users. */
  #question: OpenQuestion | undefined;
  /** The record of a decision made without a user. */
  #mark: DecisionMark | undefined;
  #resolveResult: ((result: { approved: boolean }) => void) | undefined;
  #subagents: SubagentBlocks | undefined;
  #isOver = false;

  constructor(parts: ToolCallParts) {
    this.id = parts.id;
    this.#turnId = parts.turnId;
    this.#send = parts.emit;
    this.#fit = parts.fit;
    this.#store = (input) => parts.store(input);
    this.#open = (question) => parts.open(question);
    this.#awaitToken = (auth, outcome) => parts.awaitToken(auth, outcome);
  }

  input(delta: string, invocationMessage?: StringOrMarkdown): Promise<void> {
    if (this.#isOver) return Promise.resolve();
    return this.#emitIn(
      ['streaming'],
      () => ({
        type: 'chat/toolCallDelta',
        ...this.#target,
        content: delta,
        ...(invocationMessage === undefined ? {} : { invocationMessage }),
      }),
      { length: delta.length },
    );
  }

  confirm(question: ToolCallQuestion): Promise<ToolCallAnswer> {
    if (this.#isOver) return Promise.resolve(SKIPPED);
    const { promise, resolve, giveUp } = this.#wait(SKIPPED);
    const input = this.#inputOf(question);
    void this.#emitIn(
      ['streaming', 'running'],
      (call) => {
        const open = this.#open(question);
        this.#mark = undefined;
        if (open.verdict.outcome === 'run') {
          this.#mark = markOf(open.verdict);
          resolve(answerOf(open.verdict, question.toolInput, undefined));
          const ready = this.#ready(question, input, call);
          return { type: 'chat/toolCallReady', ...this.#target, ...ready, confirmed: 'setting' };
        }
        this.#question = open;
        this.#resolveAnswer = resolve;
        open.onDecided((verdict) => this.#decide(verdict));
        return {
          type: 'chat/toolCallReady',
          ...this.#target,
          ...this.#ready(question, input, call),
          ...defined({
            confirmationTitle: leavingTitle(open.outside) ?? question.confirmationTitle,
            // An input by reference is too long for an edit in an action.
            editable: isLarge(question) ? undefined : question.editable,
          }),
          options: [...open.options],
        };
      },
      { refused: giveUp, length: question.toolInput?.length ?? 0 },
    );
    const verdict = this.#question?.verdict;
    if (verdict?.outcome === 'deny') this.#decide(verdict);
    this.#showSubagents();
    return promise;
  }

  run(question: ToolCallReady): void {
    const input = this.#inputOf(question);
    void this.#emitIn(
      ['streaming', 'running'],
      (call) => ({
        type: 'chat/toolCallReady',
        ...this.#target,
        ...this.#ready(question, input, call),
        // New fields of a running call do not change why it was allowed.
        confirmed: call.status === 'running' ? call.confirmed : 'not-needed',
      }),
      { length: question.toolInput?.length ?? 0 },
    );
    this.#showSubagents();
  }

  content(content: readonly ToolResultContent[]): void {
    if (this.#isOver) return;
    const shown = previewOf(this.#subagents?.into(content) ?? [...content]);
    void this.#emitIn(
      ['running'],
      () => ({ type: 'chat/toolCallContentChanged', ...this.#target, content: shown }),
      { length: lengthOf(shown) },
    );
  }

  signIn(auth: McpAuthRequirement): Promise<SignInToken | undefined> {
    if (this.#isOver) return Promise.resolve(undefined);
    const { promise, resolve, giveUp } = this.#wait<SignInToken | undefined>(undefined);
    void this.#emitIn(
      ['running'],
      (call) => {
        if (call.contributor?.kind !== 'mcp') {
          giveUp();
          return undefined;
        }
        const leave = this.#awaitToken(auth, {
          granted: (token) => {
            this.#endSignIn();
            resolve(token);
          },
          givenUp: giveUp,
        });
        void promise.then(leave);
        return { type: 'chat/toolCallAuthRequired', ...this.#target, auth };
      },
      { refused: giveUp },
    );
    return promise;
  }

  complete(
    result: ToolCallResult,
    options: { requiresResultConfirmation?: boolean; meta?: Record<string, unknown> } = {},
  ): Promise<{ approved: boolean }> {
    if (this.#isOver) return Promise.resolve({ approved: false });
    const fitted = this.#fit(this.#subagents?.intoResult(result) ?? result);
    const { promise, resolve, giveUp } = this.#wait({ approved: false });
    if (result.success) this.#endSignIn();
    void this.#emitIn(
      ['running', 'pending-confirmation', 'auth-required'],
      (call) => {
        // A call that waits for a token fails at once [CHAT-31].
        const mustConfirm = options.requiresResultConfirmation === true && call.status !== 'auth-required';
        this.#takeAnswer()?.(SKIPPED);
        if (mustConfirm) this.#resolveResult = resolve;
        else resolve({ approved: true });
        return {
          type: 'chat/toolCallComplete',
          ...this.#target,
          ...markedMeta(options.meta, call._meta, this.#mark),
          result: fitted,
          ...(mustConfirm ? { requiresResultConfirmation: true } : {}),
        };
      },
      { refused: giveUp, length: lengthOf(result.content ?? []) },
    );
    return promise;
  }

  /** Lets a call that waits for a token run again. */
  #endSignIn(): void {
    void this.#emitIn(['auth-required'], () => ({ type: 'chat/toolCallAuthResolved', ...this.#target }));
  }

  /** Adds a reference to a worker chat of the call, as soon as the call runs. */
  subagent(block: ToolResultSubagentContent): void {
    this.#subagents ??= new SubagentBlocks();
    this.#subagents.add(block);
    this.#showSubagents();
  }

  /** Passes on a user's answer, which state already shows. */
  answered(state: ChatState, action: Confirmed): void {
    this.#showSubagents();
    const call = findToolCall(state, this.id);
    const selected = call !== undefined && 'selectedOption' in call ? call.selectedOption : undefined;
    // The agent does not know the options of the host.
    const selectedOption = this.#question?.hasHostsOptions === true ? undefined : selected;
    const resolve = this.#takeAnswer();
    if (action.approved) {
      const toolInput = inlineInput(call);
      resolve?.({ approved: true, ...defined({ toolInput, selectedOption }) });
      return;
    }
    resolve?.({
      approved: false,
      reason: action.reason,
      ...defined({ message: action.reasonMessage, suggestion: action.userSuggestion, selectedOption }),
    });
  }

  resultAnswered(approved: boolean): void {
    this.#resolveResult?.({ approved });
    this.#resolveResult = undefined;
  }

  end(): void {
    this.#isOver = true;
    this.#stored = undefined;
    this.#question?.close();
    for (const giveUp of this.#waiting ?? []) giveUp();
  }

  /** Applies a decision that replaces the answer of users. */
  #decide(verdict: Verdict): void {
    void this.#emitIn(['pending-confirmation'], (call) => {
      const toolInput = inlineInput(call);
      const answer = answerOf(verdict, toolInput, this.#question?.deniedMessage);
      this.#takeAnswer()?.(answer);
      this.#mark = markOf(verdict);
      const confirmed = { type: 'chat/toolCallConfirmed' as const, ...this.#target };
      const meta = markedMeta(undefined, call._meta, this.#mark);
      if (answer.approved) return { ...confirmed, approved: true, confirmed: 'setting', ...meta };
      const { reason, message } = answer;
      return { ...confirmed, approved: false, reason, ...defined({ reasonMessage: message }), ...meta };
    });
    this.#showSubagents();
  }

  /** The input for state: of a large one a reference [CHAT-35]. */
  #inputOf(question: ToolCallReady): ToolInput | undefined {
    const { toolInput } = question;
    if (toolInput === undefined || !isLarge(question) || this.#isOver) return toolInput;
    if (this.#stored?.text !== toolInput)
      this.#stored = {
        text: toolInput,
        reference: { ...this.#store(toolInput), 'x-beginning': beginningOf(toolInput, SHOWN_LENGTH) },
      };
    return this.#stored.reference;
  }

  #ready(question: ToolCallReady, toolInput: ToolInput | undefined, call: ToolCallState) {
    return {
      invocationMessage: question.invocationMessage,
      ...defined({ toolInput }),
      ...(question.edits === undefined || question.edits.length === 0
        ? {}
        : { edits: { items: [...question.edits] } }),
      ...markedMeta(question.meta, call._meta, this.#mark),
    };
  }

  /** Adds missing references to worker chats. Questions and new fields remove the content of a call. */
  #showSubagents(): void {
    const subagents = this.#subagents;
    if (subagents === undefined) return;
    void this.#emitIn(['running'], (call) => {
      const { content = [] } = call.status === 'running' ? call : {};
      return subagents.areIn(content)
        ? undefined
        : { type: 'chat/toolCallContentChanged', ...this.#target, content: subagents.into(content) };
    });
  }

  #takeAnswer(): ((answer: ToolCallAnswer) => void) | undefined {
    const resolve = this.#resolveAnswer;
    this.#resolveAnswer = undefined;
    this.#question?.close();
    return resolve;
  }

  /** A promise that also resolves, with `otherwise`, when the turn ends. */
  #wait<T>(otherwise: T): { promise: Promise<T>; resolve: (value: T) => void; giveUp: () => void } {
    const { promise, resolve: settle } = Promise.withResolvers<T>();
    const waiting = (this.#waiting ??= new Set());
    const giveUp = (): void => resolve(otherwise);
    const resolve = (value: T): void => {
      waiting.delete(giveUp);
      if (waiting.size === 0 && this.#waiting === waiting) this.#waiting = undefined;
      settle(value);
    };
    waiting.add(giveUp);
    return { promise, resolve, giveUp };
  }

  get #target(): { turnId: string; toolCallId: string } {
    return { turnId: this.#turnId, toolCallId: this.id };
  }

  /**
   * Emits only if the call is in one of these states. In other states the action would change nothing
   * [CHAT-7].
   */
  #emitIn(
    statuses: readonly ToolCallState['status'][],
    make: (call: ToolCallState) => ChatAction | undefined,
    { refused = () => undefined, length = 0 }: { refused?: () => void; length?: number } = {},
  ): Promise<void> {
    return this.#send((chat) => {
      const call = findToolCall(chat.state, this.id);
      if (call !== undefined && statuses.includes(call.status)) return make(call);
      refused();
      return undefined;
    }, length);
  }
}

/** The title of a question about a call that leaves its worktree. `undefined`: it does not. */
function leavingTitle(outside: readonly string[]): string | undefined {
  if (outside.length === 0) return undefined;
  const more = outside.length > SHOWN_PATHS ? `, and ${outside.length - SHOWN_PATHS} more` : '';
  return `Outside of the worktree: ${outside.slice(0, SHOWN_PATHS).join(', ')}${more}`;
}

/** The input of a call as text; `undefined`: it has none, or a reference. */
function inlineInput(call: ToolCallState | undefined): string | undefined {
  const input = call !== undefined && 'toolInput' in call ? call.toolInput : undefined;
  return typeof input === 'string' ? input : undefined;
}
