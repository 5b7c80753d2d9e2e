import type { HostTool } from '@agenthost/host/agent';
import { isObject, type JsonObject, objectOf, textOf } from '../json.ts';
import type { ToolCallFields } from '../session/session-update.ts';

/** Keys of Codex's input for a call of an MCP tool. */
const CODEX_KEYS: readonly string[] = ['server', 'tool', 'arguments'];

/**
 * Whether an agent's call seems to be one of the host's tool server, so that the client's call can be shown
 * instead. The call must not have the kind of an agent's own tool, and a tool name that the agent gives must
 * match. A title may be the model's words.
 */
export function isCallOf({ name }: Pick<HostTool, 'name'>, fields: ToolCallFields): boolean {
  if (isCodexCallOf(name, fields)) return true;
  if (fields.kind !== undefined && fields.kind !== 'other') return false;
  const pattern = patternOf(name);
  const named = namesOf(fields);
  if (named.length > 0) return named.every((text) => pattern.test(text));
  return fields.title !== undefined && pattern.test(fields.title);
}

/**
 * Whether a call can only reach the host's tool server, so that the agent's permission request need not be
 * shown. Everything known about the call matches; its input is known, fits the tool, and is not the source of
 * the title (some agents take the title from the model's words in the input).
 */
export function isSurelyCallOf(tool: HostTool, fields: ToolCallFields): boolean {
  if (!isCallOf(tool, fields) || (fields.locations ?? []).length > 0) return false;
  if ((fields.content ?? []).some((part) => part['type'] !== 'content')) return false;
  if (isCodexCallOf(tool.name, fields)) return true;
  const { title } = fields;
  if (fields.kind !== 'other' || title === undefined || !patternOf(tool.name).test(title)) return false;
  const input = inputOf(fields);
  if (input === undefined) return false;
  const known = objectOf(tool.definition.inputSchema?.properties);
  return (
    Object.keys(input).every((key) => Object.hasOwn(known, key)) && !JSON.stringify(input).includes(title)
  );
}

/** Codex shows MCP calls as commands, with a title and an input of its own format. */
function isCodexCallOf(name: string, { kind, title, rawInput }: ToolCallFields): boolean {
  if (kind !== 'execute' || !isObject(rawInput)) return false;
  return (
    (title === `mcp.${TOOL_SERVER}.${name}` || title === `Tool: ${TOOL_SERVER}/${name}`) &&
    rawInput['server'] === TOOL_SERVER &&
    rawInput['tool'] === name &&
    Object.keys(rawInput).every((key) => CODEX_KEYS.includes(key))
  );
}

/** The tool's name, if the agent gives one besides the title. */
function namesOf({ name, meta }: ToolCallFields): string[] {
  const vendors = Object.values(meta).map((value) => textOf(objectOf(value)['toolName']));
  return [name, textOf(meta['toolName']), ...vendors].filter((text) => text !== undefined);
}

/** The tool's input. Gemini CLI sends it as text only. */
function inputOf({ rawInput, content = [] }: ToolCallFields): JsonObject | undefined {
  if (rawInput !== undefined) return isObject(rawInput) ? rawInput : undefined;
  const [part, ...others] = content;
  const text = textOf(objectOf(part?.['content'])['text']);
  if (text === undefined || others.length > 0) return undefined;
  try {
    const input: unknown = JSON.parse(text);
    return isObject(input) ? input : undefined;
  } catch {
    // Other text, or an input that the agent cut.
    return undefined;
  }
}

/**
 * Agents' names for a server's tool: `mcp__server__tool`, `server_tool`, `server/tool`, `server - tool`,
 * `tool (server MCP Server)`, …
 */
function patternOf(name: string): RegExp {
  const tool = name.replace(/[^A-Za-z0-9]/g, '[^A-Za-z0-9]');
  const before = `(?:tool: ?|mcp(?:__|[:./_ ] ?))?${TOOL_SERVER}(?:__|_|/|\\.|:| - )${tool}`;
  return new RegExp(`^(?:${before}|${tool} \\(${TOOL_SERVER} MCP Server\\))$`, 'i');
}

/** Name of the host's tool server. Agents prefix the names of its tools with it. */
export const TOOL_SERVER = 'agenthost';
