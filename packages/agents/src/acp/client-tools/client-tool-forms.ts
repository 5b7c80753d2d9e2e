import type { ClientTool } from '@agenthost/host/agent';
import { isObject, type JsonObject, objectOf, textOf } from '../json.ts';
import type { ToolCallFields } from '../session/session-update.ts';

/** Keys of what Codex gives as the input of a server's tool. */
const CODEX_KEYS: readonly string[] = ['server', 'tool', 'arguments'];

/**
 * Whether an agent's call seems to be one of the host's tool server, so that the client's call can show in its place. Its kind has to be
 * none of the agent's own tools, and a name that the agent gives has to be the tool's; titles may be what a model says.
 */
export function isCallOf({ name }: ClientTool, fields: ToolCallFields): boolean {
  if (isCodexCallOf(name, fields)) return true;
  if (fields.kind !== undefined && fields.kind !== 'other') return false;
  const pattern = patternOf(name);
  const named = namesOf(fields);
  if (named.length > 0) return named.every((text) => pattern.test(text));
  return fields.title !== undefined && pattern.test(fields.title);
}

/**
 * Whether such a call can do nothing but reach the host's tool server, so that the agent's question about it need not be a person's: all
 * that is said of it fits, its input is known, is one for the tool, and is not where its title comes from (some agents take a call's
 * title from the model's words in its input).
 */
export function isSurelyCallOf(tool: ClientTool, fields: ToolCallFields): boolean {
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

/** Codex calls all tools of servers commands, by a title and an input of its own making. */
function isCodexCallOf(name: string, { kind, title, rawInput }: ToolCallFields): boolean {
  if (kind !== 'execute' || !isObject(rawInput)) return false;
  return (
    (title === `mcp.${TOOL_SERVER}.${name}` || title === `Tool: ${TOOL_SERVER}/${name}`) &&
    rawInput['server'] === TOOL_SERVER &&
    rawInput['tool'] === name &&
    Object.keys(rawInput).every((key) => CODEX_KEYS.includes(key))
  );
}

/** The tool's name, where the agent gives one beside the title. */
function namesOf({ name, meta }: ToolCallFields): string[] {
  const vendors = Object.values(meta).map((value) => textOf(objectOf(value)['toolName']));
  return [name, textOf(meta['toolName']), ...vendors].filter((text) => text !== undefined);
}

/** What the tool is called with; Gemini CLI gives it as text alone. */
function inputOf({ rawInput, content = [] }: ToolCallFields): JsonObject | undefined {
  if (rawInput !== undefined) return isObject(rawInput) ? rawInput : undefined;
  const [part, ...others] = content;
  const text = textOf(objectOf(part?.['content'])['text']);
  if (text === undefined || others.length > 0) return undefined;
  try {
    const input: unknown = JSON.parse(text);
    return isObject(input) ? input : undefined;
  } catch {
    // Words, or an input that was too long for the agent to give.
    return undefined;
  }
}

/** How agents write a server's tool: `mcp__server__tool`, `server_tool`, `server/tool`, `server - tool`, `tool (server MCP Server)`, … */
function patternOf(name: string): RegExp {
  const tool = name.replace(/[^A-Za-z0-9]/g, '[^A-Za-z0-9]');
  const before = `(?:tool: ?|mcp(?:__|[:./_ ] ?))?${TOOL_SERVER}(?:__|_|/|\\.|:| - )${tool}`;
  return new RegExp(`^(?:${before}|${tool} \\(${TOOL_SERVER} MCP Server\\))$`, 'i');
}

/** Name of the host's tool server in an agent's list; agents put it in front of the tools' names. */
export const TOOL_SERVER = 'agenthost';
