import type {
  AgentSessionHost,
  ModelRequest,
  ModelRequestAnswer,
  ToolCallHandle,
  ToolCallQuestion,
  ToolKind,
  TurnOutput,
} from '@agenthost/host/agent';
import { type ToolCallResult, type ToolResultContent, textOf } from '@agenthost/protocol';
import type { JsonObject } from '../../acp/json.ts';
import type { ConfinedFolder } from '../../working-files/confined-path.ts';
import type { ScopedRules } from '../conversation/scoped-rules.ts';
import type { ModelTimers } from '../runtime.ts';
import type { ModelSettings } from '../settings.ts';

/** Longest result of a tool that a model gets, in UTF-16 code units. The host keeps results up to 256 KiB in its state. */
export const MAX_RESULT_LENGTH = 48 * 1024;

/** A tool that a model can call. */
export interface ModelTool {
  readonly name: string;
  readonly displayName: string;
  /** For the model. */
  readonly description: string;
  /** JSON Schema of the input, an object. */
  readonly inputSchema: JsonObject;
  /** Default `other`. */
  readonly kind?: ToolKind;
  /** Whether the host shows the calls itself, so that `run` gets a handle that it must not use. Default false. */
  readonly isShownByHost?: boolean;
  /**
   * Runs a call, and ends the handle with its result. A rejection becomes a failed result, whose message the model gets.
   */
  run(input: JsonObject, call: ToolRun): Promise<ToolOutcome>;
}

/** What the model gets of a call. */
export interface ToolOutcome {
  readonly text: string;
  readonly isError?: boolean;
  /** Files that were read or changed, absolute or from the working directory. */
  readonly paths?: readonly string[];
  /** Images for the model, as base64. */
  readonly images?: readonly { readonly data: string; readonly contentType: string }[];
}

/** One call of a tool, with what its session offers. */
export interface ToolRun {
  /** The shown call. Opens it on first use. */
  readonly handle: ToolCallHandle;
  /** Raw input as JSON. */
  readonly toolInput: string;
  readonly turnId: string;
  readonly output: TurnOutput;
  readonly host: AgentSessionHost;
  readonly folder: ConfinedFolder;
  readonly settings: ModelSettings;
  readonly timers: ModelTimers;
  /** The rules that come with files. */
  readonly rules: ScopedRules;
  /** Aborts when the turn is cancelled. */
  readonly signal: AbortSignal;
  /** Runs `work` when no other call of the session changes anything. */
  exclusive<T>(work: () => Promise<T>): Promise<T>;
  /** Runs a worker with this prompt in a chat of its own, which belongs to the call. Resolves with its last answer. */
  work(task: {
    readonly toolCallId: string;
    readonly title: string;
    readonly prompt: string;
  }): Promise<string>;
  /** Answers a request of a tool with the model of the turn. Rejects with the reason for people. */
  askModel(request: ModelRequest, withdrawn: AbortSignal): Promise<ModelRequestAnswer>;
}

/** A failure of a call that the model and people are told. */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure';
}

/** A call was denied or skipped; the message tells the model what the person said. */
export class Denied extends Error {
  override readonly name = 'Denied';
}

/**
 * Asks by the host's policy. Resolves with the input to use, which the person may have edited. Rejects with `Denied`.
 */
export async function approve(run: ToolRun, question: ToolCallQuestion): Promise<string> {
  const answer = await run.handle.confirm({ toolInput: run.toolInput, ...question });
  run.signal.throwIfAborted();
  if (answer.approved) return answer.toolInput ?? run.toolInput;
  const message = answer.message && textOf(answer.message);
  if (answer.by === 'hook') throw new Denied(`${message ?? 'A hook has denied the call'}. It was not run.`);
  const reason = message === undefined ? '' : `\nThe user said: ${message}`;
  const instead =
    answer.suggestion === undefined ? '' : `\nThe user wants instead: ${answer.suggestion.text}`;
  throw new Denied(`The user denied this call. It was not run.${reason}${instead}`);
}

/** Ends a call with a text that the model gets too. */
export async function succeed(
  run: ToolRun,
  done: {
    readonly past: ToolCallResult['pastTenseMessage'];
    readonly text: string;
    readonly content?: readonly ToolResultContent[];
    /** Default true. */
    readonly success?: boolean;
    readonly error?: string;
  },
): Promise<ToolOutcome> {
  const text = cutMiddle(done.text, MAX_RESULT_LENGTH);
  const success = done.success ?? true;
  await run.handle.complete({
    success,
    pastTenseMessage: done.past,
    content: [...(done.content ?? [{ type: 'text' as const, text }])],
    ...(success ? {} : { error: { message: done.error ?? text.slice(0, 500) } }),
  });
  return success ? { text } : { text, isError: true };
}

/** A text with its middle left out when it is too long: errors are at the end, context at the beginning. */
export function cutMiddle(text: string, length: number): string {
  if (text.length <= length) return text;
  const half = Math.floor(length / 2);
  const [head, tail] = [text.slice(0, half), text.slice(-half)];
  return `${head.replace(/[\uD800-\uDBFF]$/, '')}\n… (${text.length - 2 * half} characters left out) …\n${tail.replace(/^[\uDC00-\uDFFF]/, '')}`;
}
