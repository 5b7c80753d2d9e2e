import type { ToolDefinition, ToolSchema } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import type { Tool } from '@modelcontextprotocol/client';

/** Longest description of a tool for agents. */
const MAX_DESCRIPTION = 16 * 1024;

/** A tool of a server as agents see it. */
export function toolDefinition(name: string, server: string, tool: Tool): ToolDefinition {
  const { title, description, inputSchema, outputSchema, annotations } = tool;
  return {
    name,
    description: (description ?? `${title ?? tool.name} of ${server}`).slice(0, MAX_DESCRIPTION),
    inputSchema: schemaOf(inputSchema),
    ...defined({ title, annotations: annotations && defined(annotations) }),
    ...(outputSchema?.['type'] === 'object' ? { outputSchema: schemaOf(outputSchema) } : {}),
  };
}

/** The schema came as JSON; the type of the library allows `undefined` in it. */
const schemaOf = (schema: Readonly<Record<string, unknown>>): ToolSchema => ({
  ...JSON.parse(JSON.stringify(schema)),
  type: 'object',
});
