import { createHash } from 'node:crypto';
import type { ApprovalCoverage } from '@agenthost/protocol';
import { fileUriOf } from '../workspace/file-uri.ts';
import { type Ask, isEditOfFiles } from './ask.ts';

/** Maximum characters of an input in lists of approvals. */
const MAX_SHOWN = 1_000;
/** Kinds of tools that may be allowed for every use, because they change nothing. */
const HARMLESS_KINDS: ReadonlySet<string> = new Set(['read', 'search', 'think']);
/** A name that can be shown in an option without quotes. */
const PLAIN_NAME = /^[A-Za-z0-9][\w.:/-]{0,63}$/;
/** Fields that models add to describe a command. They have no meaning to the shell. */
const REMARKS: ReadonlySet<string> = new Set(['description', 'justification']);

/** Coverages that the host can check; excludes the one that an agent stores itself. */
export type HostCoverage = Exclude<ApprovalCoverage, { kind: 'agent' }>;

/** The calls that an approval allows, and how they are recognized. */
export interface Coverage {
  readonly shown: HostCoverage;
  /** Fingerprint of the input; absent if any input is allowed. */
  readonly fingerprint?: string;
}

/**
 * The meaning of "always" for a call: edits of the same files, any use of a reading tool, or the same input.
 * `undefined`: the call cannot be allowed permanently. `isAgents`: the option is the agent's. The host does
 * not know its meaning, so it never allows any use of a tool.
 */
export function coverageOf(ask: Ask, isAgents: boolean): Coverage | undefined {
  if (isEditOfFiles(ask)) return { shown: { kind: 'files', files: ask.files.map(fileUriOf) } };
  const isHarmless = HARMLESS_KINDS.has(ask.kind) && ask.edits.length === 0 && PLAIN_NAME.test(ask.toolName);
  if (isHarmless && !isAgents) return { shown: { kind: 'tool' } };
  const { toolInput, edits } = ask;
  if (toolInput === undefined || toolInput === '') return undefined;
  // New file text is shown beside the input, and the next call may have another text.
  if (edits.some(({ after }) => after !== undefined)) return undefined;
  const input = commandOf(ask) ?? toolInput;
  const isWhole = input.length <= MAX_SHOWN;
  return {
    shown: { kind: 'input', input: isWhole ? input : input.slice(0, MAX_SHOWN), isWhole },
    fingerprint: fingerprintOf(ask),
  };
}

/** Whether an approval with this coverage allows a call of the same tool. */
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
 * Fingerprint of a call. Equal for calls that look the same to users: same input in any key order, and same
 * files. Includes the text shown to users, unless the input is a command line, which is complete by itself.
 */
function fingerprintOf(ask: Ask): string {
  const { toolInput = '', invocationMessage, edits, contributor } = ask;
  const input = objectOf(toolInput) ?? toolInput;
  const isCommand = commandOf(ask) !== undefined;
  const identity = {
    input: isCommand ? withoutRemarks(input) : input,
    // The text for a client's tool is written by the host, in the language of the client.
    message: isCommand || contributor?.kind === 'client' ? null : invocationMessage,
    edits: edits.map(({ before, after }) => [before?.uri ?? null, after?.uri ?? null]),
  };
  return createHash('sha256').update(JSON.stringify(identity, inOrder)).digest('base64url');
}

/** The command line of a call: the field `command` of its input. */
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
    // The input may not be JSON.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const withoutRemarks = (input: unknown): unknown =>
  isRecord(input) ? Object.fromEntries(Object.entries(input).filter(([key]) => !REMARKS.has(key))) : input;

/** Replacer for `JSON.stringify` that sorts keys. */
const inOrder = (_: string, value: unknown): unknown =>
  isRecord(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1)))
    : value;
