import { AgentError, type TurnOutput } from '@agenthost/host/agent';
import type {
  AssistantModelMessage,
  Instructions,
  LanguageModel,
  LanguageModelUsage,
  ModelMessage,
  streamText as streamTextFunction,
  TextStreamPart,
  ToolSet,
} from 'ai';
import type { ModelTimers } from '../runtime.ts';
import type { ThinkingLevel } from '../settings.ts';
import type { StreamedCalls } from './streamed-calls.ts';

/** Time without anything from the API after which a call counts as cut, in milliseconds. */
const SILENCE_LIMIT_MS = 5 * 60_000;
/** Longest answer of one call, with reasoning and tool inputs, in UTF-16 code units: more comes only from a model that repeats itself. */
const MAX_ANSWER_LENGTH = 1024 * 1024;

/** One call of a model. */
export interface StepRequest {
  readonly model: LanguageModel;
  /** The system prompt. Absent: none. */
  readonly instructions?: Instructions;
  readonly messages: readonly ModelMessage[];
  readonly tools: ToolSet;
  /** Whether the model may call tools. */
  readonly takesTools: boolean;
  readonly thinking: ThinkingLevel;
  readonly maxOutputTokens?: number | undefined;
  /** Absent: the default of the model. */
  readonly temperature?: number;
  /** Texts at which the answer ends. Absent: none. */
  readonly stopSequences?: string[];
  readonly providerOptions: NonNullable<Parameters<typeof streamTextFunction>[0]['providerOptions']>;
  readonly signal: AbortSignal;
  readonly timers: ModelTimers;
}

/** Where the text of an answer goes. */
export type AnswerOutput = Pick<TurnOutput, 'markdown' | 'reasoning'>;

/** A complete call of a tool by the model. */
export interface StepCall {
  /** The id that the model's API uses. */
  readonly id: string;
  readonly toolName: string;
  /** What the model gave as the input, parsed. */
  readonly input: unknown;
  /** Why the call cannot be run: invalid JSON, or no such tool. Absent: it can. */
  readonly problem?: string;
}

/** A complete answer of a model. */
export interface StepResult {
  readonly message: AssistantModelMessage | undefined;
  readonly calls: readonly StepCall[];
  readonly usage: LanguageModelUsage;
  /** Whether the answer stopped at the limit of its length. */
  readonly isCutShort: boolean;
  /** Whether a filter of the API ended the answer. */
  readonly isFiltered: boolean;
}

/** A stream failed after it had begun. `text` was shown already. */
export class BrokenAnswer extends Error {
  override readonly name = 'BrokenAnswer';
  readonly text: string;

  constructor(text: string, cause: unknown) {
    super('The answer broke off', { cause });
    this.text = text;
  }
}

/**
 * Calls a model once and shows its answer while it streams. Rejects with `BrokenAnswer` when the call fails in any way, with
 * the abort reason when `signal` aborts, and with `AgentError` (`outputLimit`) for an endless answer.
 */
export async function runStep(
  request: StepRequest,
  output: AnswerOutput,
  calls: StreamedCalls,
): Promise<StepResult> {
  const { streamText } = await import('ai');
  // The library writes warnings for developers to stderr, which is the log of the host.
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
  const stop = new AbortController();
  const watch = watchSilence(request.timers, () =>
    stop.abort(new Error(`no data for ${SILENCE_LIMIT_MS / 1_000} s`)),
  );
  const answer = new Answer(output, calls);
  const { takesTools, thinking, maxOutputTokens, timers: _, ...rest } = request;
  try {
    const result = streamText({
      ...rest,
      messages: [...request.messages],
      toolChoice: takesTools ? 'auto' : 'none',
      ...(thinking === 'default' ? {} : { reasoning: thinking }),
      ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
      maxRetries: 0,
      abortSignal: AbortSignal.any([request.signal, stop.signal]),
      // The error is a part of the stream.
      onError: () => undefined,
    });
    for await (const part of result.stream) {
      watch.seen();
      await answer.take(part);
    }
    request.signal.throwIfAborted();
    if (stop.signal.aborted) throw stop.signal.reason;
    if (answer.failure !== undefined) throw answer.failure.error;
    if (answer.fault !== undefined) throw new Error(answer.fault);
    const { messages } = await result.response;
    return answer.result(messages.find((message) => message.role === 'assistant'));
  } catch (error) {
    // What streams on is not read any more.
    stop.abort();
    request.signal.throwIfAborted();
    if (error instanceof AgentError) throw error;
    throw new BrokenAnswer(answer.text, error);
  } finally {
    watch.end();
  }
}

type Part = TextStreamPart<ToolSet>;

const NO_USAGE: LanguageModelUsage = {
  inputTokens: undefined,
  inputTokenDetails: { noCacheTokens: undefined, cacheReadTokens: undefined, cacheWriteTokens: undefined },
  outputTokens: undefined,
  outputTokenDetails: { textTokens: undefined, reasoningTokens: undefined },
  totalTokens: undefined,
};

/** What has arrived of an answer. */
class Answer {
  readonly #output: AnswerOutput;
  readonly #streamed: StreamedCalls;
  readonly #calls: StepCall[] = [];
  #usage = NO_USAGE;
  #finish: { readonly reason: string; readonly raw: string | undefined } | undefined;
  #length = 0;
  /** All text so far. */
  text = '';
  /** The first error of the stream. */
  failure: { readonly error: unknown } | undefined;

  constructor(output: AnswerOutput, streamed: StreamedCalls) {
    this.#output = output;
    this.#streamed = streamed;
  }

  async take(part: Part): Promise<void> {
    switch (part.type) {
      case 'text-delta':
        this.#grow(part.text);
        this.text += part.text;
        if (part.text !== '') await this.#output.markdown(part.text);
        return;
      case 'reasoning-delta':
        this.#grow(part.text);
        if (part.text !== '') await this.#output.reasoning(part.text);
        return;
      case 'tool-input-start':
        return this.#streamed.begin(part.id, part.toolName);
      case 'tool-input-delta':
        this.#grow(part.delta);
        return this.#streamed.input(part.id, part.delta);
      case 'tool-call': {
        const problem = 'invalid' in part && part.invalid === true ? problemOf(part.error) : undefined;
        this.#calls.push({
          id: part.toolCallId,
          toolName: part.toolName,
          input: part.input,
          ...(problem === undefined ? {} : { problem }),
        });
        return;
      }
      case 'finish-step':
        this.#usage = part.usage;
        this.#finish = { reason: part.finishReason, raw: part.rawFinishReason };
        return;
      case 'error':
        this.failure ??= { error: part.error };
        return;
      default:
    }
  }

  /** Why the answer is not complete. `undefined`: it is. */
  get fault(): string | undefined {
    const { reason, raw } = this.#finish ?? { reason: 'other', raw: undefined };
    if (this.#finish !== undefined && this.#calls.length > 0) return undefined;
    // Google ends a malformed call so.
    if (reason === 'error') return `the API ended the answer: ${raw ?? 'it gave no reason'}`;
    // Servers that break off in order send no reason to finish.
    return reason === 'other' && raw === undefined ? 'the connection ended before the answer did' : undefined;
  }

  result(message: AssistantModelMessage | undefined): StepResult {
    return {
      message: message === undefined ? undefined : withoutVendorParts(message),
      calls: this.#calls,
      usage: this.#usage,
      isCutShort: this.#finish?.reason === 'length',
      isFiltered: this.#finish?.reason === 'content-filter',
    };
  }

  #grow(text: string): void {
    this.#length += text.length;
    if (this.#length > MAX_ANSWER_LENGTH) {
      throw new AgentError(
        'outputLimit',
        `The model did not stop: its answer was ended after ${MAX_ANSWER_LENGTH} characters`,
      );
    }
  }
}

/** Parts such as Anthropic's `message_start` only describe the answer. */
function withoutVendorParts(message: AssistantModelMessage): AssistantModelMessage {
  if (typeof message.content === 'string') return message;
  return { ...message, content: message.content.filter(({ type }) => type !== 'custom') };
}

function problemOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replaceAll(/AI_\w+: /g, '').slice(0, 2_000);
}

/** Calls back once when nothing was seen for the limit. One timer serves all parts of a stream. */
function watchSilence(timers: ModelTimers, onSilent: () => void): { seen(): void; end(): void } {
  let isSeen = false;
  let cancel = (): void => undefined;
  const arm = (): void => {
    isSeen = false;
    cancel = timers.after(SILENCE_LIMIT_MS, () => (isSeen ? arm() : onSilent()));
  };
  arm();
  return {
    seen: () => {
      isSeen = true;
    },
    end: () => cancel(),
  };
}
