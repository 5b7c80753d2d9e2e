import type {
  ChatAction,
  SessionToolClientExecutionRequest,
  ToolCallResult,
  ToolDefinition,
  ToolResultContent,
  URI,
} from '@agenthost/protocol';
import { errorText } from '@agenthost/protocol/values';
import type { DispatchOutcome } from '../mirror/pending-actions.ts';

/** What a tool answers: text, content blocks, a JSON object for programs, or nothing. */
export type ToolAnswer =
  | string
  | readonly ToolResultContent[]
  | Readonly<Record<string, unknown>>
  | undefined;

/** One call of an offered tool. */
export interface ToolRun {
  readonly toolCallId: string;
  readonly turnId: string;
  readonly chat: URI;
  /** Aborts when nobody waits for the answer any more: the turn or its time is over, or the tool is offered no longer. */
  readonly signal: AbortSignal;
  /** Shows what there is so far to everybody who looks; replaces what it showed before. Fast successions are thinned out. */
  show(content: string | readonly ToolResultContent[]): void;
}

/** A tool that this client runs. Name and schemas as in the Model Context Protocol. */
export interface OfferedTool extends ToolDefinition {
  /** Runs one call. What it throws becomes a failed result with that message. */
  run(input: Readonly<Record<string, unknown>>, call: ToolRun): ToolAnswer | Promise<ToolAnswer>;
}

type Dispatch = (chat: URI, action: ClientToolAction) => Promise<DispatchOutcome>;
type ClientToolAction = Extract<
  ChatAction,
  { type: 'chat/toolCallComplete' | 'chat/toolCallContentChanged' | 'chat/toolCallConfirmed' }
>;

/** Runs one call of a tool, from when it is seen until it is answered or over. */
export class RunningTool {
  /** Absent: the call was denied, since the tool is unknown here. */
  readonly tool: OfferedTool | undefined;
  readonly #request: SessionToolClientExecutionRequest;
  readonly #dispatch: Dispatch;
  readonly #abort = new AbortController();
  #shown: readonly ToolResultContent[] | undefined;
  #isShowing = false;

  /** Begins at once. A call of a tool that is `undefined` is denied, which the host makes a failed one [CHAT-9]. */
  constructor(request: SessionToolClientExecutionRequest, tool: OfferedTool | undefined, dispatch: Dispatch) {
    this.#request = request;
    this.tool = tool;
    this.#dispatch = dispatch;
    if (tool === undefined) this.#deny();
    else void this.#run(tool);
  }

  /** Nobody waits for it any more. */
  end(reason: string): void {
    this.#abort.abort(new Error(reason));
  }

  /** It will not be answered by its tool; the agent is told why. */
  fail(reason: string): void {
    if (this.#abort.signal.aborted) return;
    this.end(reason);
    void this.#complete(failed(this.tool, reason));
  }

  async #run(tool: OfferedTool): Promise<void> {
    const { chat, turnId, toolCall } = this.#request;
    const { signal } = this.#abort;
    const call: ToolRun = {
      toolCallId: toolCall.toolCallId,
      turnId,
      chat,
      signal,
      show: (content) => this.#show(blocks(content)),
    };
    let result: ToolCallResult;
    try {
      const input = readInput('toolInput' in toolCall ? toolCall.toolInput : undefined);
      result = succeeded(tool, await tool.run(input, call));
    } catch (error) {
      result = failed(tool, errorText(error));
    }
    if (signal.aborted) return;
    this.end('It is answered');
    await this.#complete(result);
  }

  #show(content: readonly ToolResultContent[]): void {
    if (this.#abort.signal.aborted) return;
    this.#shown = content;
    if (!this.#isShowing) void this.#sendShown();
  }

  /** One at a time, so that a slow host gets the newest and not all. */
  async #sendShown(): Promise<void> {
    this.#isShowing = true;
    while (this.#shown !== undefined && !this.#abort.signal.aborted) {
      const content = [...this.#shown];
      this.#shown = undefined;
      await this.#dispatch(this.#request.chat, {
        type: 'chat/toolCallContentChanged',
        ...this.#target,
        content,
      });
    }
    this.#isShowing = false;
  }

  #deny(): void {
    const { toolName } = this.#request.toolCall;
    void this.#dispatch(this.#request.chat, {
      type: 'chat/toolCallConfirmed',
      ...this.#target,
      approved: false,
      reason: 'denied',
      reasonMessage: `This client has no tool ${toolName}`,
    });
  }

  async #complete(result: ToolCallResult): Promise<void> {
    const { chat } = this.#request;
    const outcome = await this.#dispatch(chat, { type: 'chat/toolCallComplete', ...this.#target, result });
    // Content that is none must not leave the agent waiting. Other refusals say that the host ended the call first.
    if (outcome.outcome === 'rejected' && outcome.code === 'invalidAction' && result.success)
      await this.#complete(failed(this.tool, `Its answer was refused: ${outcome.reason}`));
  }

  get #target(): { turnId: string; toolCallId: string } {
    const { turnId, toolCall } = this.#request;
    return { turnId, toolCallId: toolCall.toolCallId };
  }
}

function readInput(text: string | undefined): Readonly<Record<string, unknown>> {
  const input: unknown = text === undefined || text.trim() === '' ? {} : JSON.parse(text);
  if (isObject(input)) return input;
  throw new Error('The input is no JSON object');
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isBlocks = (answer: ToolAnswer): answer is readonly ToolResultContent[] => Array.isArray(answer);

function blocks(content: string | readonly ToolResultContent[]): ToolResultContent[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : [...content];
}

function succeeded(tool: OfferedTool, answer: ToolAnswer): ToolCallResult {
  const result = { success: true, pastTenseMessage: `Ran ${titleOf(tool)}` };
  if (answer === undefined) return result;
  if (typeof answer === 'string' || isBlocks(answer)) return { ...result, content: blocks(answer) };
  const structuredContent = { ...answer };
  return { ...result, content: blocks(JSON.stringify(structuredContent)), structuredContent };
}

const failed = (tool: OfferedTool | undefined, message: string): ToolCallResult => ({
  success: false,
  pastTenseMessage: `${tool === undefined ? 'A tool' : titleOf(tool)} failed`,
  error: { message },
});

const titleOf = ({ name, title }: ToolDefinition): string => title ?? name;
