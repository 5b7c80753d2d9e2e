import { readFile } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import {
  type AcpAgentEntry,
  AgentConfigError,
  type ModelAgentConfig,
  type PackageEntry,
  readAgentEntries,
  readModelAgents,
  readPackageEntries,
} from '@agenthost/agents';
import {
  findMcpServersFault,
  type HostOptions,
  isAllowedHostEntry,
  isProxyAddress,
  isPushContact,
} from '@agenthost/host';
import { errorText, hasCode } from '@agenthost/protocol/values';
import { fileTrouble } from '../process/files.ts';
import { findJournalFault } from './journal-url.ts';
import { isOidcConfig, OIDC_EXPECTED, type OidcConfig } from './oidc-options.ts';

/** Content of a config file (`agenthost.json`). */
export interface ServeConfig {
  readonly agents: readonly AcpAgentEntry[];
  /** Agents that are packages. Absent: none. */
  readonly packages?: readonly PackageEntry[];
  /** The entries of `agents` with `"kind": "model"`. Absent: none. */
  readonly modelAgents?: readonly ModelAgentConfig[];
  /** Agent for sessions that name none. Absent: the only real one that is found, else `demo`. */
  readonly defaultAgent?: string;
  /** Folders that sessions may work in without an admin's token. Absent: the home folder. */
  readonly roots?: readonly string[];
  /** Folders that clients may read, in addition to the working directories of sessions. */
  readonly readable?: readonly string[];
  /** Folders that clients may read and write, in addition to the working directories of sessions. */
  readonly writable?: readonly string[];
  /** Folder for git worktrees of sessions. Absent: `worktrees` in the data folder. */
  readonly worktreeDir?: string;
  /** URL of the PostgreSQL database to keep sessions in, without a password. Absent: a file in the data folder. */
  readonly journal?: string;
  /** Folder of the user's customizations. Absent: `.agents` in the home folder. False: the host looks for no customizations at all. */
  readonly customizations?: string | false;
  /** Origins of web pages that may connect besides the host's own. */
  readonly allowedOrigins?: readonly string[];
  /** Values of `Host` accepted besides the address listened on. */
  readonly allowedHosts?: readonly string[];
  /** Addresses and subnets of proxies whose forwarded headers are accepted. Absent: none. */
  readonly trustedProxies?: readonly string[];
  /** `contact`: URL in the signature of pushes. Absent: that of the host. */
  readonly push?: { readonly contact?: string };
  /** Sign-in of people on the page by an OpenID Connect provider. Absent: none. */
  readonly oidc?: OidcConfig;
  /** MCP servers for the agents of all sessions, by name. Absent: none. */
  readonly mcpServers?: NonNullable<HostOptions['mcpServers']>;
  /** False: the `.mcp.json` of projects is not read. Absent: true. */
  readonly projectMcpServers?: boolean;
  /** False: commands do not ask npm for a newer version. Absent: true. */
  readonly updateCheck?: boolean;
  /** Limits of the history. Absent: no limits. */
  readonly retention?: NonNullable<HostOptions['retention']>;
}

type Check = { readonly expected: string; readonly holds: (value: unknown) => boolean };

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const listOf = (what: string, holds: (text: string) => boolean): Check => ({
  expected: `a list of ${what}`,
  holds: (value) => Array.isArray(value) && value.every((item) => typeof item === 'string' && holds(item)),
});
const isCount = (value: unknown): boolean =>
  value === undefined || (typeof value === 'number' && Number.isInteger(value) && value >= 1);

const CHECKS: Readonly<Record<string, Check>> = {
  // Read by the agents themselves.
  agents: { expected: 'an object of agents by id', holds: isObject },
  defaultAgent: {
    expected: 'the id of an agent',
    holds: (value) => typeof value === 'string' && value !== '',
  },
  roots: listOf('absolute paths', isAbsolute),
  readable: listOf('absolute paths', isAbsolute),
  writable: listOf('absolute paths', isAbsolute),
  worktreeDir: {
    expected: 'an absolute path',
    holds: (value) => typeof value === 'string' && isAbsolute(value),
  },
  journal: {
    expected: 'a URL such as "postgres://user@server/database?cell=name", without a password',
    // The URL itself is checked below.
    holds: (value) => typeof value === 'string',
  },
  customizations: {
    expected: 'an absolute path, or false',
    holds: (value) => value === false || (typeof value === 'string' && isAbsolute(value)),
  },
  allowedOrigins: listOf('origins such as "https://example.org"', (text) => URL.parse(text)?.origin === text),
  allowedHosts: listOf('hosts such as "example.org:443"', isAllowedHostEntry),
  trustedProxies: listOf('IP addresses and subnets such as "10.0.0.0/8"', isProxyAddress),
  push: {
    expected: 'an object with contact, a URL such as "mailto:me@example.org" or "https://example.org"',
    holds: (value) =>
      isObject(value) &&
      Object.keys(value).every((key) => key === 'contact') &&
      (value['contact'] === undefined ||
        (typeof value['contact'] === 'string' && isPushContact(value['contact']))),
  },
  oidc: { expected: OIDC_EXPECTED, holds: isOidcConfig },
  // Its entries are read below.
  mcpServers: { expected: 'an object of MCP servers by name', holds: isObject },
  projectMcpServers: { expected: 'true or false', holds: (value) => typeof value === 'boolean' },
  // Read by `status`.
  updateCheck: { expected: 'true or false', holds: (value) => typeof value === 'boolean' },
  retention: {
    expected: 'an object with turnsPerChat, maxAgeDays or both, whole numbers from 1',
    holds: (value) =>
      isObject(value) &&
      Object.keys(value).every((key) => key === 'turnsPerChat' || key === 'maxAgeDays') &&
      isCount(value['turnsPerChat']) &&
      isCount(value['maxAgeDays']),
  },
} satisfies Record<Exclude<keyof ServeConfig, 'packages' | 'modelAgents'>, Check>;

/**
 * Reads a config file. A missing file is no error, unless `isRequired`. Rejects with `AgentConfigError`, whose message
 * names file, key, what was expected and what was found.
 */
export async function readConfig(file: string, isRequired: boolean): Promise<ServeConfig> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    const isMissing = hasCode(cause, 'ENOENT');
    if (isMissing && !isRequired) return undefined;
    const why = isMissing ? 'does not exist' : `cannot be read: ${fileTrouble(cause)}`;
    throw new AgentConfigError(`${file}: ${why}`, { cause });
  });
  if (text === undefined) return { agents: [] };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new AgentConfigError(`${file}: expected JSON: ${errorText(cause)}`, {
      cause,
    });
  }
  return parseConfig(value, file);
}

/** Checks a config. Throws `AgentConfigError`. */
export function parseConfig(value: unknown, file: string): ServeConfig {
  const agents = readAgentEntries(value, file);
  if (!isObject(value)) return { agents };
  for (const [key, member] of Object.entries(value)) {
    const check = Object.hasOwn(CHECKS, key) ? CHECKS[key] : undefined;
    if (check === undefined) {
      throw new AgentConfigError(
        `${file}: ${key}: unknown key; expected one of ${Object.keys(CHECKS).join(', ')}`,
      );
    }
    const fault = key === 'mcpServers' && isObject(member) ? findMcpServersFault(member) : undefined;
    if (fault !== undefined) throw new AgentConfigError(`${file}: ${key}.${fault}`);
    const urlFault = key === 'journal' && typeof member === 'string' ? findJournalFault(member) : undefined;
    if (urlFault !== undefined) throw new AgentConfigError(`${file}: ${key}: ${urlFault}`);
    if (check.holds(member)) continue;
    const got = JSON.stringify(member).slice(0, 80);
    throw new AgentConfigError(`${file}: ${key}: expected ${check.expected}, got ${got}`);
  }
  const packages = readPackageEntries(value, file);
  const modelAgents = readModelAgents(value, file);
  // oxlint-disable-next-line typescript/consistent-type-assertions -- every member has passed its check above
  const rest = value as Omit<ServeConfig, 'agents' | 'packages' | 'modelAgents'>;
  return {
    ...rest,
    agents,
    ...(packages.length > 0 ? { packages } : {}),
    ...(modelAgents.length > 0 ? { modelAgents } : {}),
  };
}
