import type { AgentSessionHost, ClientTool, HostTool } from '@agenthost/host/agent';
import type { ToolCallResult, ToolResultContent } from '@agenthost/protocol';
import type { JsonObject } from '../../acp/json.ts';
import { cutMiddle, MAX_RESULT_LENGTH, type ModelTool, type ToolOutcome } from './tool.ts';

/** Longest name of a tool that all APIs accept. */
const MAX_NAME_LENGTH = 64;

/** The tools of active clients and of the host, under names that the APIs accept and that are not `taken`. */
export function offeredTools(
  host: Pick<AgentSessionHost, 'clientTools' | 'hostTools'>,
  taken: ReadonlySet<string>,
): ModelTool[] {
  const used = new Set(taken);
  return [...host.hostTools(), ...host.clientTools()].map((tool) => {
    const name = freeName(tool.name, used);
    used.add(name);
    return wrapped(tool, name);
  });
}

function freeName(wanted: string, used: ReadonlySet<string>): string {
  const base = wanted.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, MAX_NAME_LENGTH) || 'tool';
  let name = base;
  for (let number = 2; used.has(name); number += 1) {
    const suffix = `_${number}`;
    name = base.slice(0, MAX_NAME_LENGTH - suffix.length) + suffix;
  }
  return name;
}

function wrapped(tool: ClientTool | HostTool, name: string): ModelTool {
  const { definition } = tool;
  const schema: unknown = definition.inputSchema;
  return {
    name,
    displayName: definition.title ?? definition.name,
    description: definition.description ?? definition.title ?? definition.name,
    inputSchema: { type: 'object', properties: {}, ...(isSchema(schema) ? schema : {}) },
    isShownByHost: true,
    run: async (_, { output, toolInput, signal, askModel }) =>
      outcomeOf(
        await ('clientId' in tool
          ? output.clientTool({ clientId: tool.clientId, toolName: definition.name, toolInput }, signal)
          : output.hostTool({ name: tool.name, toolInput, askModel })),
      ),
  };
}

const isSchema = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null;

function outcomeOf({ success, content = [], structuredContent, error }: ToolCallResult): ToolOutcome {
  const texts = content.map(textOf);
  if (content.length === 0 && structuredContent !== undefined) texts.push(JSON.stringify(structuredContent));
  if (!success) texts.unshift(error?.message ?? 'The tool failed');
  const images = content.flatMap((block) =>
    block.type === 'embeddedResource' && block.contentType.startsWith('image/')
      ? [{ data: block.data, contentType: block.contentType }]
      : [],
  );
  const said = texts.filter((each) => each !== '').join('\n');
  const text = cutMiddle(said || (images.length === 0 ? '(no result)' : ''), MAX_RESULT_LENGTH);
  return { text, images, ...(success ? {} : { isError: true }) };
}

function textOf(block: ToolResultContent): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'embeddedResource':
      return block.contentType.startsWith('image/') ? '' : `(data of type ${block.contentType})`;
    case 'resource':
      return `(stored at ${block.uri})`;
    case 'terminal':
      return block.result?.preview ?? '(a terminal)';
    default:
      return `(${block.type})`;
  }
}
