import type { ClientTool } from '@agenthost/host';
import { objectOf, textOf } from './json.ts';
import { TOOL_SERVER } from './mcp/server-name.ts';
import type { ToolCallFields } from './session-update.ts';

interface Twin {
  readonly name: string;
  fields: ToolCallFields;
  isClaimed: boolean;
  /** The agent has asked whether it may run it. */
  isAsked: boolean;
  isShown: boolean;
}

/**
 * Agents announce what they call of the host's own tool server as calls of theirs. The host shows the client's call in their place, so
 * such a twin is kept back until it is clear that there is none: it ended, and nothing came for it.
 */
export class ClientToolTwins {
  readonly #tools: () => readonly ClientTool[];
  readonly #twins = new Map<string, Twin>();
  /** Calls that came before they were announced, by name. */
  readonly #early = new Map<string, number>();

  constructor(tools: () => readonly ClientTool[]) {
    this.#tools = tools;
  }

  /** What of an announcement or update there is to show as the agent's own; `undefined`: nothing. */
  shown(fields: ToolCallFields): ToolCallFields | undefined {
    const twin = this.#twins.get(fields.toolCallId) ?? this.#begin(fields);
    if (twin === undefined || twin.isShown) return fields;
    twin.fields = { ...twin.fields, ...fields };
    const isOver = fields.status === 'completed' || fields.status === 'failed';
    if (!isOver || twin.isClaimed) return undefined;
    twin.isShown = true;
    return twin.fields;
  }

  /** Whether a question of the agent is about a twin: a person is then asked about the client's call, once it comes. */
  asks(fields: ToolCallFields): boolean {
    if (this.shown(fields) !== undefined) return false;
    const twin = this.#twins.get(fields.toolCallId);
    if (twin !== undefined) twin.isAsked = true;
    return twin !== undefined;
  }

  /**
   * A call that shows already says more of itself. Qwen Code asks about a server's tool without saying whose it is, so that its question
   * is a call of its own; only when it is over it turns out that the client's call came for it.
   */
  sawShown(fields: ToolCallFields): void {
    if (fields.status !== 'completed' && fields.status !== 'failed') return;
    const name = this.#tools().find((tool) => isCallOf(tool.name, fields))?.name;
    const earlyCount = this.#early.get(name ?? '') ?? 0;
    if (name !== undefined && earlyCount > 0) this.#early.set(name, earlyCount - 1);
  }

  /** The client's call has come. True when the agent has asked whether it may. */
  claim(name: string): boolean {
    const twin = [...this.#twins.values()].find(
      (each) => each.name === name && !each.isClaimed && !each.isShown,
    );
    if (twin === undefined) this.#early.set(name, (this.#early.get(name) ?? 0) + 1);
    else twin.isClaimed = true;
    return twin?.isAsked === true;
  }

  #begin(fields: ToolCallFields): Twin | undefined {
    const tool = this.#tools().find(({ name }) => isCallOf(name, fields));
    if (tool === undefined) return undefined;
    const { name } = tool;
    const earlyCount = this.#early.get(name) ?? 0;
    if (earlyCount > 0) this.#early.set(name, earlyCount - 1);
    const twin = { name, fields, isClaimed: earlyCount > 0, isAsked: false, isShown: false };
    this.#twins.set(fields.toolCallId, twin);
    return twin;
  }
}

/**
 * Whether an agent's call is one of the host's tool server. Its kind has to be none of the agent's own tools: their titles may
 * be what a model says, and it must not talk its way past a question.
 */
function isCallOf(name: string, { kind, title, name: ownName, rawInput, meta }: ToolCallFields): boolean {
  const input = objectOf(rawInput);
  if (input['server'] === TOOL_SERVER && input['tool'] === name) return true;
  if (kind !== undefined && kind !== 'other') return false;
  const vendors = Object.values(meta).map((value) => textOf(objectOf(value)['toolName']));
  const pattern = patternOf(name);
  return [title, ownName, textOf(meta['toolName']), ...vendors].some(
    (text) => text !== undefined && pattern.test(text.trim()),
  );
}

/** How agents write a server's tool: `mcp__server__tool`, `server_tool`, `server/tool`, `server - tool`, `tool (server MCP Server)`, … */
function patternOf(name: string): RegExp {
  const tool = name.replace(/[^A-Za-z0-9]/g, '[^A-Za-z0-9]');
  const before = `(?:tool:\\s*|mcp(?:__|[:./_\\s]\\s*))?${TOOL_SERVER}(?:__|_|/|\\.|:|\\s-\\s)${tool}`;
  return new RegExp(`^(?:${before}|${tool} \\(${TOOL_SERVER} MCP Server\\))(?![\\w.-])`, 'i');
}
