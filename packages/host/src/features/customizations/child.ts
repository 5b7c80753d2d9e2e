import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { ChildCustomization } from '@agenthost/protocol';
import type { McpServerEntry } from '../../config/mcp-servers.ts';
import type { ParseFault } from './front-matter.ts';

/** The events at which this host runs hooks. */
export const HOOK_EVENTS = ['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'Stop'] as const;

/** An event at which hooks run. */
export type HookEvent = (typeof HOOK_EVENTS)[number];

/** A command that a hook runs. */
export interface HookCommand {
  readonly event: HookEvent;
  /** For the shell. */
  readonly command: string;
  /** The names of the tools that it is for; see `matchesTool`. Absent: all. */
  readonly matcher?: string;
  /** Time limit. */
  readonly limitMs: number;
}

/** A customization inside a container, with the parts that are not in the state of the session. */
export interface ParsedChild {
  readonly child: ChildCustomization;
  /** Instructions for the model, or the prompt. Empty for hooks and MCP servers. */
  readonly body: string;
  /** Hint for the arguments of a command. */
  readonly hint?: string;
  /** URI of the folder with its other files. Only for skills with a folder, and for hooks of plugins. */
  readonly folder?: string;
  /** How an MCP server is reached. Absent for one with a fault. */
  readonly server?: McpServerEntry;
  /** The commands of a hook. */
  readonly commands?: readonly HookCommand[];
  /** The client whose plugin it is in. Its URIs name files of the client, also those with the scheme `file`. */
  readonly clientId?: string;
  /** Absolute path of the copy of a plugin that it is in [AUTO-14]. Agents cannot read there, hooks and MCP servers can. */
  readonly copyRoot?: string;
}

/** The result of reading one file. */
export interface ParsedFile {
  readonly children: readonly ParsedChild[];
  readonly faults: readonly ParseFault[];
}

/** Absolute path of a file or folder of a customization on this machine. `undefined`: it is not here. */
export function hostPath({ clientId }: ParsedChild, uri: string | undefined): string | undefined {
  return clientId === undefined && uri?.startsWith('file:') === true ? fileURLToPath(uri) : undefined;
}

/** As `hostPath`, for agents. */
export const agentPath = (child: ParsedChild, uri: string | undefined): string | undefined =>
  child.copyRoot === undefined ? hostPath(child, uri) : undefined;

/** An id of a customization: the same whenever it is read, in every session. */
export function idOf(type: string, ...parts: readonly string[]): string {
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 22);
  return `${type}-${digest}`;
}
