import type { AgentError, AgentSessionHost, TurnOutput } from '@agenthost/host/agent';
import type { QuestionForm } from './questions.ts';

/** One step of the demo agent in a turn. */
export type Step =
  | { kind: 'say' | 'reason' | 'notify' | 'title'; text: string }
  | { kind: 'stream'; chunkCount: number; everyMs: number | undefined; chunkBytes: number | undefined }
  | { kind: 'parts'; partCount: number }
  | { kind: 'write' | 'edit'; path: string; text: string }
  | { kind: 'read'; path: string }
  | { kind: 'list'; path: string }
  | { kind: 'ask'; form: AskForm }
  | { kind: 'question'; form: QuestionForm }
  | { kind: 'run' | 'serve'; command: string }
  | { kind: 'type'; text: string }
  | { kind: 'peek' | 'kill' }
  | { kind: 'tool'; name: string; input: string }
  | { kind: 'big'; kibibytes: number }
  | { kind: 'delegate'; prompt: string; workerCount: number }
  | { kind: 'progress'; stepCount: number; everyMs: number | undefined }
  | { kind: 'wait'; delayMs: number }
  | { kind: 'usage'; inputTokens: number; outputTokens: number }
  | { kind: 'fail'; reason: string }
  | { kind: 'recall' | 'hang' | 'deaf' }
  | AddedStep;

/**
 * Kinds of question: plain, with options, with a permanent option, with editable input, again while the call
 * runs, or for the result.
 */
export type AskForm = 'plain' | 'options' | 'always' | 'edit' | 'twice' | 'result';

/** A step of a keyword that is not built in. */
export interface AddedStep {
  readonly kind: 'added';
  /** True: the turn reports no counted usage. Default false. */
  readonly skipsUsage?: boolean;
  /** Does the step. A rejection ends the turn with that error. */
  run(stage: DemoStage): Promise<void> | void;
}

/** The turn and the session that an added step runs in. */
export interface DemoStage {
  readonly output: TurnOutput;
  readonly host: AgentSessionHost;
  /** Aborts when the session is closed or terminated. A cancelled turn does not abort it. */
  readonly sessionEnd: AbortSignal;
  /** Ends the session, and its running turn with this error. */
  endSession(error: AgentError): void;
}
