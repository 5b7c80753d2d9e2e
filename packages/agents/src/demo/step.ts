import type { QuestionForm } from './questions.ts';

/** One thing that the demo agent does in a turn, as read from the prompt. */
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
  | { kind: 'fail' | 'crash'; reason: string }
  | { kind: 'recall' | 'silence' | 'forget' | 'hang' | 'deaf' | 'stubborn' };

/** How a call asks: for a plain yes, with options, with one that holds for good, with editable input, once more while it runs, or for its result. */
export type AskForm = 'plain' | 'options' | 'always' | 'edit' | 'twice' | 'result';
