import { createHash } from 'node:crypto';
import type { ApprovalCoverage } from '@agenthost/protocol';
import { fileUriOf } from '../workspace/file-uri.ts';
import { type Ask, isEditOfFiles } from './ask.ts';

/** What is shown of a long input in lists; characters. */
const MAX_SHOWN = 1_000;
/** Tools whose every use may be allowed: what they do by nature changes nothing. */
const HARMLESS_KINDS: ReadonlySet<string> = new Set(['read', 'search', 'think']);
/** A name that stands in an option as it is. */
const PLAIN_NAME = /^[A-Za-z0-9][\w.:/-]{0,63}$/;
/** What models write about a command without it meaning anything to the shell. */
const REMARKS: ReadonlySet<string> = new Set(['description', 'justification']);

/** What the host can decide by: all but what an agent keeps by itself. */
export type HostCoverage = Exclude<ApprovalCoverage, { kind: 'agent' }>;

/** What an approval lets run, and how such calls are recognised. */
export interface Coverage {
  readonly shown: HostCoverage;
  /** Of the input; absent when the input does not matter. */
  readonly fingerprint?: string;
}

/**
 * What "always" may mean for a call: edits of the same files, any use of a tool that reads, or the very same input; `undefined`: nothing.
 * `isAgents`: the option is the agent's, whose words the host cannot read, so that any use of a tool is too much.
 */
export function coverageOf(ask: Ask, isAgents: boolean): Coverage | undefined {
  if (isEditOfFiles(ask)) return { shown: { kind: 'files', files: ask.files.map(fileUriOf) } };
  const isHarmless = HARMLESS_KINDS.has(ask.kind) && ask.edits.length === 0 && PLAIN_NAME.test(ask.toolName);
  if (isHarmless && !isAgents) return { shown: { kind: 'tool' } };
  const { toolInput, edits } = ask;
  if (toolInput === undefined || toolInput === '') return undefined;
  // New text of a file is shown beside the input, and the next call may have another.
  if (edits.some(({ after }) => after !== undefined)) return undefined;
  const input = commandOf(ask) ?? toolInput;
  const isWhole = input.length <= MAX_SHOWN;
  return {
    shown: { kind: 'input', input: isWhole ? input : input.slice(0, MAX_SHOWN), isWhole },
    fingerprint: fingerprintOf(ask),
  };
}

/** Whether an approval of this coverage lets a call run, the tool being the same. */
export function covers({ shown, fingerprint }: Coverage, ask: Ask): boolean {
  switch (shown.kind) {
    case 'tool':
      return ask.edits.length === 0;
    case 'files':
      return isEditOfFiles(ask) && ask.files.every((file) => shown.files.includes(fileUriOf(file)));
    case 'input':
      return fingerprint === fingerprintOf(ask);
    default:
      return shown satisfies never;
  }
}

/**
 * The same for calls that are the same to whoever was asked: all of the input, whatever its order, and the files; what a person read
 * about the call too, unless the input is a command line, which says it all.
 */
function fingerprintOf(ask: Ask): string {
  const { toolInput = '', invocationMessage, edits, contributor } = ask;
  const input = objectOf(toolInput) ?? toolInput;
  const isCommand = commandOf(ask) !== undefined;
  const identity = {
    input: isCommand ? withoutRemarks(input) : input,
    // What a client's tool is called is the host's own sentence, in somebody's language.
    message: isCommand || contributor?.kind === 'client' ? null : invocationMessage,
    edits: edits.map(({ before, after }) => [before?.uri ?? null, after?.uri ?? null]),
  };
  return createHash('sha256').update(JSON.stringify(identity, inOrder)).digest('base64url');
}

/** The command line of a call that runs one: its input has it under `command`. */
function commandOf({ kind, toolInput = '' }: Ask): string | undefined {
  if (kind !== 'execute') return undefined;
  const command = objectOf(toolInput)?.['command'];
  if (typeof command === 'string' && command !== '') return command;
  return Array.isArray(command) && command.length > 0 ? JSON.stringify(command) : undefined;
}

function objectOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch (error) {
    // Not all input is JSON.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const withoutRemarks = (input: unknown): unknown =>
  isRecord(input) ? Object.fromEntries(Object.entries(input).filter(([key]) => !REMARKS.has(key))) : input;

/** For `JSON.stringify`: keys in their order. */
const inOrder = (_: string, value: unknown): unknown =>
  isRecord(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1)))
    : value;
