import type { ToolCallState, ToolResultContent } from '@agenthost/protocol';
import { contentOf } from '../chat/cards/card-kind.ts';

/** The result of a completed call in the form of MCP. `undefined`: it has none yet. */
export function callResult(toolCall: ToolCallState): Readonly<Record<string, unknown>> | undefined {
  if (toolCall.status !== 'completed') return undefined;
  const { structuredContent } = toolCall;
  return {
    content: contentOf(toolCall).flatMap(blockOf),
    ...(structuredContent === undefined ? {} : { structuredContent }),
    ...(toolCall.success ? {} : { isError: true }),
  };
}

function blockOf(block: ToolResultContent): object[] {
  if (block.type === 'text') return [{ type: 'text', text: block.text }];
  if (block.type !== 'embeddedResource') return [];
  const { data, contentType: mimeType } = block;
  const [kind] = mimeType.split('/');
  if (kind === 'image' || kind === 'audio') return [{ type: kind, data, mimeType }];
  return [{ type: 'resource', resource: { uri: 'agenthost:/result', mimeType, blob: data } }];
}
