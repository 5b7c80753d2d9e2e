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

/** The result of a tool: text, content blocks, a JSON object for programs, or nothing. */
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
  /**
   * Aborts when nothing waits for the result any more: the turn ended, the time limit passed, or the tool is
   * no longer offered.
   */
  readonly signal: AbortSignal;
  /**
   * Shows partial content to all clients, in place of what was shown before. Rapid updates are dropped except
   * the latest.
   */
  show(content: string | readonly ToolResultContent[]): void;
}

/** A tool that this client runs. Name and schemas follow the Model Context Protocol. */
export interface OfferedTool extends ToolDefinition {
  /** Runs one call. An error becomes a failed result with its message. */
  run(input: Readonly<Record<string, unknown>>, call: ToolRun): ToolAnswer | Promise<ToolAnswer>;
}

type Dispatch = (chat: URI, action: ClientToolAction) => Promise<DispatchOutcome>;
type ClientToolAction = Extract<
  ChatAction,
  { type: 'chat/toolCallComplete' | 'chat/toolCallContentChanged' | 'chat/toolCallConfirmed' }
>;

/** One call of a tool, until it is answered or over. */
export class RunningTool {
  /** Absent: the tool is unknown here and the call was denied. */
  readonly tool: OfferedTool | undefined;
  readonly #request: SessionToolClientExecutionRequest;
  readonly #dispatch: Dispatch;
  readonly #readText: (uri: URI) => Promise<string>;
  readonly #abort = new AbortController();
  #shown: readonly ToolResultContent[] | undefined;
  #isShowing = false;

  /** Starts at once. A call without a `tool` is denied, which the host turns into a failed call [CHAT-9]. */
  constructor(
    request: SessionToolClientExecutionRequest,
    tool: OfferedTool | undefined,
    { dispatch, readText }: { dispatch: Dispatch; readText: (uri: URI) => Promise<string> },
  ) {
    this.#request = request;
    this.tool = tool;
    this.#dispatch = dispatch;
    this.#readText = readText;
    if (tool === undefined) this.#deny();
    else void this.#run(tool);
  }

  /** Ends the run because nothing waits for it any more. */
  end(reason: string): void {
    this.#abort.abort(new Error(reason));
  }

  /** Fails the call with a reason for the agent; the tool's own result is ignored. */
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
      const input = readInput(await this.#inputText());
      result = succeeded(tool, await tool.run(input, call));
    } catch (error) {
      result = failed(tool, errorText(error));
    }
    if (signal.aborted) return;
    this.end('The call was answered');
    await this.#complete(result);
  }

  /** A large input is a reference, which the host resolves [CHAT-35]. */
  async #inputText(): Promise<string | undefined> {
    const { toolCall } = this.#request;
    const input = 'toolInput' in toolCall ? toolCall.toolInput : undefined;
    return typeof input === 'object' ? this.#readText(input.uri) : input;
  }

  #show(content: readonly ToolResultContent[]): void {
    if (this.#abort.signal.aborted) return;
    this.#shown = content;
    if (!this.#isShowing) void this.#sendShown();
  }

  /** One dispatch at a time, so that a slow host gets only the latest content. */
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
    // Invalid content must not leave the agent waiting. Other rejections mean that the host ended the call
    // first.
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
  throw new Error('Expected a JSON object as the input');
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
