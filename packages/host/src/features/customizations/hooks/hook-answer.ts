import type { HookEvent } from '../child.ts';
import type { HookResult } from './hook-command.ts';

/** What a hook says. */
export interface HookAnswer {
  /** Why the message or the tool call must not go on. Absent: it may. */
  readonly blocks?: string;
  /** Text for the model. */
  readonly context?: string;
  /** Text for people. */
  readonly note?: string;
  /** Why the hook has failed. A failure never stops anything. */
  readonly failure?: string;
}

/** Exit code by which a hook blocks; its standard error says why. */
const BLOCKED = 2;
const NO_REASON = 'the hook gave no reason';

/** Events whose plain output is text for the model. */
const TELLS_MODEL: ReadonlySet<HookEvent> = new Set(['SessionStart', 'UserPromptSubmit']);

/** Reads the end and the output of a hook. Its output may be a JSON object with `decision`, `continue`, `systemMessage` or `hookSpecificOutput`. */
export function answerOfHook(event: HookEvent, result: HookResult): HookAnswer {
  const { exitCode, trouble, stdout, stderr } = result;
  if (exitCode === undefined) return { failure: trouble ?? 'it has no exit code' };
  if (exitCode === BLOCKED) return { blocks: stderr.trim() || NO_REASON };
  if (exitCode !== 0) return { failure: `exit code ${exitCode}` };
  const text = stdout.trim();
  const answer = text.startsWith('{') ? objectOf(text) : undefined;
  if (answer === undefined) return text !== '' && TELLS_MODEL.has(event) ? { context: text } : {};
  const specific = asObject(answer['hookSpecificOutput']) ?? {};
  const isDenied = answer['decision'] === 'block' || specific['permissionDecision'] === 'deny';
  const reason =
    textOf(answer['reason']) ?? textOf(specific['permissionDecisionReason']) ?? textOf(answer['stopReason']);
  const context = textOf(specific['additionalContext']);
  const note = textOf(answer['systemMessage']);
  return {
    ...(isDenied || answer['continue'] === false ? { blocks: reason ?? NO_REASON } : {}),
    ...(context === undefined ? {} : { context }),
    ...(note === undefined ? {} : { note }),
  };
}

function objectOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return asObject(JSON.parse(text));
  } catch {
    // It is plain text that begins with a brace.
    return undefined;
  }
}

function asObject(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : undefined;
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
