import { createHash } from 'node:crypto';
import type { ChildCustomization } from '@agenthost/protocol';
import type { McpServerEntry } from '../../config/mcp-servers.ts';
import type { ParseFault } from './front-matter.ts';

/** A command that a hook runs. */
export interface HookCommand {
  /** Such as `UserPromptSubmit`. */
  readonly event: string;
  readonly command: string;
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
  /** URI of the folder with its other files. Only for skills with a folder. */
  readonly folder?: string;
  /** How an MCP server is reached. Absent for one with a fault. */
  readonly server?: McpServerEntry;
  /** The commands of a hook. */
  readonly commands?: readonly HookCommand[];
}

/** The result of reading one file. */
export interface ParsedFile {
  readonly children: readonly ParsedChild[];
  readonly faults: readonly ParseFault[];
}

/** An id of a customization: the same whenever it is read, in every session. */
export function idOf(type: string, ...parts: readonly string[]): string {
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 22);
  return `${type}-${digest}`;
}
