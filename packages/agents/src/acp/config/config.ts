import { isAbsolute } from 'node:path';
import { isObject } from '../json.ts';

/** An agent that speaks the Agent Client Protocol over its stdin and stdout. */
export interface AcpAgentConfig {
  /** Provider id: `[a-z][a-z0-9+.-]*`. */
  readonly id: string;
  /** Shown to people. */
  readonly displayName: string;
  /** Description of the agent in one line. Default: empty. */
  readonly description?: string;
  /**
   * A command name, looked up on the host's PATH, or an absolute path. Never relative to a working directory.
   */
  readonly command: string;
  /** Command that installs the agent, shown when `command` is not found. Default: none. */
  readonly install?: string;
  /** Arguments. Default: none. */
  readonly args?: readonly string[];
  /** Environment variables of the agent, in addition to the allowed ones. Default: none. */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * Names of variables of the host's environment to pass on besides the common ones; `FOO_*` matches every
   * name that starts with `FOO_`. Default: none.
   */
  readonly envAllow?: readonly string[];
  /** Command that signs in to the agent's service. Default: none. */
  readonly signIn?: string;
  /**
   * How to log in, with commands that exist once `command` does. Shown when the agent needs a login. Default:
   * the agent's own description.
   */
  readonly loginHint?: string;
  /** Whether to offer `fs/read_text_file`. Default true. */
  readonly offersReadTextFile?: boolean;
  /** Whether to offer `fs/write_text_file`. Default true. */
  readonly offersWriteTextFile?: boolean;
  /** Whether one process serves all chats. False gives each chat a process in its working directory. Default true. */
  readonly sharesProcess?: boolean;
  /**
   * Whether the agent lists the tools of MCP servers by itself after it has opened a session, and sends an earlier message to the model without
   * them. The first message then waits for the list, for 5 s at most. Default false.
   */
  readonly listsToolsLate?: boolean;
  /** Folders in working directories whose rules and skills the agent reads itself, such as `.claude`. Default: none. */
  readonly readsFolders?: readonly string[];
}

/** An entry of the config file: changed fields of a known agent, or a complete new agent. */
export interface AcpAgentEntry extends Partial<Omit<AcpAgentConfig, 'id'>> {
  readonly id: string;
  /** `false` hides the agent. Default true. */
  readonly enabled?: boolean;
}

/** An invalid config file. The message names file, key, expected and actual value. */
export class AgentConfigError extends Error {
  override readonly name = 'AgentConfigError';
}

type Check = { readonly expected: string; readonly holds: (value: unknown) => boolean };

const isString = (value: unknown): value is string => typeof value === 'string';
const aBoolean: Check = { expected: 'true or false', holds: (value) => typeof value === 'boolean' };
const aText: Check = { expected: 'a non-empty string', holds: (value) => isString(value) && value !== '' };
const texts: Check = {
  expected: 'a list of strings',
  holds: (value) => Array.isArray(value) && value.every(isString),
};

const checks: Readonly<Record<string, Check>> = {
  displayName: aText,
  description: { expected: 'a string', holds: isString },
  command: {
    expected: 'a command name to find on PATH, or an absolute path',
    holds: (value) => isString(value) && value !== '' && (isAbsolute(value) || !/[\\/]/.test(value)),
  },
  install: aText,
  args: texts,
  env: {
    expected: 'an object of strings',
    holds: (value) => isObject(value) && Object.values(value).every(isString),
  },
  envAllow: texts,
  signIn: aText,
  loginHint: aText,
  offersReadTextFile: aBoolean,
  offersWriteTextFile: aBoolean,
  sharesProcess: aBoolean,
  listsToolsLate: aBoolean,
  readsFolders: texts,
  enabled: aBoolean,
} satisfies Record<keyof Omit<AcpAgentEntry, 'id'>, Check>;

const ID_PATTERN = /^[a-z][a-z0-9+.-]*$/;

/** Schemes of the protocol's channels; they cannot be provider ids. */
const TAKEN_IDS = /^(ahp-.*|mcp|file)$/;

/**
 * Reads the `agents` member of a parsed config file, except model agents and entries that name a package. Absent: no entries. Throws `AgentConfigError`.
 * @param file Path of the file, for messages.
 */
export function readAgentEntries(config: unknown, file: string): AcpAgentEntry[] {
  if (!isObject(config)) throw wrongValue(file, 'the file', 'an object', config);
  const agents = config['agents'];
  if (agents === undefined) return [];
  if (!isObject(agents)) throw wrongValue(file, 'agents', 'an object of agents by id', agents);
  return Object.entries(agents)
    .filter(([, value]) => !isPackageEntry(value) && !isModelEntry(value))
    .map(([id, value]) => readEntry(id, value, file));
}

/** Whether an entry of `agents` names a package. Such entries are those of `readPackageEntries`. */
export const isPackageEntry = (value: unknown): boolean => isObject(value) && 'package' in value;

/** Whether an entry of `agents` is an agent over a model API. Such entries are those of `readModelAgents`. */
export const isModelEntry = (value: unknown): boolean => isObject(value) && value['kind'] === 'model';

/** Throws `AgentConfigError` for a key of `agents` that cannot be a provider id. */
export function checkAgentId(id: string, file: string): void {
  if (ID_PATTERN.test(id) && !TAKEN_IDS.test(id)) return;
  throw new AgentConfigError(
    `${file}: agents.${id}: expected an id of lower-case letters, digits, +, . and - that starts with a letter and is not a scheme of the protocol`,
  );
}

function readEntry(id: string, value: unknown, file: string): AcpAgentEntry {
  const key = `agents.${id}`;
  checkAgentId(id, file);
  if (!isObject(value)) throw wrongValue(file, key, 'an object', value);
  if ('kind' in value) throw wrongValue(file, `${key}.kind`, '"model", or no kind', value['kind']);
  for (const [name, member] of Object.entries(value)) {
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
    if (check === undefined) {
      throw new AgentConfigError(
        `${file}: ${key}.${name}: unknown; expected one of ${Object.keys(checks).join(', ')}`,
      );
    }
    if (!check.holds(member)) throw wrongValue(file, `${key}.${name}`, check.expected, member);
  }
  // oxlint-disable-next-line typescript/consistent-type-assertions -- every member has passed its check above
  return { ...(value as Omit<AcpAgentEntry, 'id'>), id };
}

/** The error for a value of a config file. */
export function wrongValue(file: string, key: string, expected: string, got: unknown): AgentConfigError {
  const shown = JSON.stringify(got)?.slice(0, 80) ?? String(got);
  return new AgentConfigError(`${file}: ${key}: expected ${expected}, got ${shown}`);
}
