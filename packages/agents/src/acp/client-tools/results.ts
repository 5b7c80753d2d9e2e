import type { ToolCallResult, ToolResultContent } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import type { CallToolResult } from '@modelcontextprotocol/server';

type Block = CallToolResult['content'][number];

/** A client's result as an MCP tool result. */
export function toolResult({
  success,
  content = [],
  structuredContent,
  error,
}: ToolCallResult): CallToolResult {
  const blocks = content.map(block);
  if (!success) {
    const text = error?.message ?? 'The tool failed';
    return { isError: true, content: [{ type: 'text', text }, ...blocks] };
  }
  return { content: blocks, ...defined({ structuredContent }) };
}

/** A failed result, which the model reads. */
export const failedResult = (text: string): CallToolResult => ({
  isError: true,
  content: [{ type: 'text', text }],
});

function block(content: ToolResultContent): Block {
  switch (content.type) {
    case 'text':
      return { type: 'text', text: content.text };
    case 'embeddedResource': {
      const { data, contentType } = content;
      if (contentType.startsWith('image/')) return { type: 'image', data, mimeType: contentType };
      if (contentType.startsWith('audio/')) return { type: 'audio', data, mimeType: contentType };
      return { type: 'text', text: `(data of type ${contentType}, which cannot be shown as text)` };
    }
    case 'resource':
      return {
        type: 'text',
        text: `(${content.sizeHint === undefined ? 'content' : `${content.sizeHint} bytes`} stored at ${content.uri})`,
      };
    case 'terminal':
      return { type: 'text', text: content.result?.preview ?? '(terminal)' };
    default:
      return { type: 'text', text: `(${content.type})` };
  }
}
