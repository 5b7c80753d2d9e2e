import { CHANNEL_LIMITS, LIST_LIMITS, type ToolDefinition } from '@agenthost/protocol';

/** Maximum number of tools of one client in a session. Models receive all of them in each request. */
const MAX_TOOLS = LIST_LIMITS.tools.max;
/** Maximum length of a client's tool definitions as JSON, in UTF-16 code units. */
const MAX_LENGTH = CHANNEL_LIMITS.toolsLength.max;

/** Tool names that the Model Context Protocol allows. */
const NAME = /^[A-Za-z0-9_.-]{1,128}$/;

/** The reason why these tools cannot be offered; `undefined` if they can. */
export function findToolFault(tools: readonly ToolDefinition[]): string | undefined {
  if (tools.length > MAX_TOOLS) return `at most ${MAX_TOOLS} tools a client, got ${tools.length}`;
  const names = new Set<string>();
  for (const { name, inputSchema, outputSchema } of tools) {
    const shown = JSON.stringify(name.slice(0, 150));
    if (!NAME.test(name)) {
      return `a tool's name is 1 to 128 letters, digits, underscores, dots and hyphens, got ${shown}`;
    }
    if (names.has(name)) return `two tools are named ${shown}`;
    names.add(name);
    for (const [key, schema] of Object.entries({ inputSchema, outputSchema })) {
      if (schema !== undefined && schema.type !== 'object')
        return `${key} of ${shown}: expected the type object`;
    }
  }
  const { length } = JSON.stringify(tools);
  return length > MAX_LENGTH
    ? `all definitions together take at most ${MAX_LENGTH} characters of JSON, these take ${length}`
    : undefined;
}
