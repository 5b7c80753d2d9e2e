import type { TurnOutput } from '@agenthost/host/agent';
import { agentErrorOf, failureOf, type ModelFailure } from '../api/model-failure.ts';
import type { Conversation } from '../conversation/conversation.ts';
import { type ModelTimers, pause } from '../runtime.ts';
import { type AnswerOutput, BrokenAnswer, runStep, type StepRequest, type StepResult } from './step.ts';
import type { StreamedCalls } from './streamed-calls.ts';

/** Attempts for one answer. */
const MAX_ATTEMPTS = 6;
/** Pause before the second attempt; it doubles with each further one. Milliseconds. */
const FIRST_PAUSE_MS = 1_000;
/** Longest pause that an API may ask for. An API that asks for more fails the turn, which people can resume later. */
const MAX_PAUSE_MS = 5 * 60_000;

/** What a model is asked, and where its answer goes. */
export interface Question {
  readonly conversation: Conversation;
  readonly output: AnswerOutput & Pick<TurnOutput, 'activity'>;
  readonly timers: ModelTimers;
  readonly signal: AbortSignal;
  /** The key, which is removed from error texts. */
  readonly key: string | undefined;
  /** The request with the conversation as it is now. */
  request(): StepRequest;
  /** New record of the calls of one answer. */
  newCalls(): StreamedCalls;
  /** What to do about a refused key, for people. */
  readonly keyHint: string;
}

/** An answer, and its calls as they are shown. */
export interface Answered {
  readonly step: StepResult;
  readonly calls: StreamedCalls;
}

/** The conversation is too long for the model. */
export class TooLong extends Error {
  override readonly name = 'TooLong';
}

/**
 * Gets an answer. Repeats failed calls with growing pauses, which people see as activity. An answer that broke off stays in the conversation
 * and is continued. Rejects with `TooLong`, with `AgentError`, or with the abort reason.
 */
export async function askModel(question: Question): Promise<Answered> {
  for (let attempt = 1; ; attempt += 1) {
    const calls = question.newCalls();
    try {
      const step = await runStep(question.request(), question.output, calls);
      if (attempt > 1) question.output.activity(undefined);
      return { step, calls };
    } catch (error) {
      await calls.abandon();
      if (!(error instanceof BrokenAnswer)) throw error;
      question.conversation.breakOff(error.text);
      const failure = failureOf(error.cause, question.key);
      if (failure.kind === 'tooLong') throw new TooLong(failure.message, { cause: error.cause });
      const pauseMs = pauseBefore(attempt, failure);
      if (pauseMs === undefined) {
        question.output.activity(undefined);
        throw agentErrorOf(explained(failure, question.keyHint, attempt), error.cause);
      }
      question.output.activity(
        `${failure.message}. Attempt ${attempt + 1} of ${MAX_ATTEMPTS} in ${Math.ceil(pauseMs / 1_000)} s`,
      );
      await pause(question.timers, pauseMs, question.signal);
    }
  }
}

/** Milliseconds until the next attempt; `undefined`: there is none. */
function pauseBefore(attempt: number, { kind, waitMs }: ModelFailure): number | undefined {
  if (kind !== 'retry' || attempt >= MAX_ATTEMPTS) return undefined;
  const pauseMs = Math.max(FIRST_PAUSE_MS * 2 ** (attempt - 1), waitMs ?? 0);
  return pauseMs > MAX_PAUSE_MS ? undefined : pauseMs;
}

function explained(failure: ModelFailure, keyHint: string, attempt: number): ModelFailure {
  if (failure.kind === 'auth') return { ...failure, message: `${failure.message}. To set a key, ${keyHint}` };
  if (failure.kind !== 'retry') return failure;
  return { ...failure, message: `${failure.message}. ${attempt} attempts failed` };
}
