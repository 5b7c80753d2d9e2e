import type { ToolCallResult, ToolResultContent } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import type { CallToolResult } from '@modelcontextprotocol/client';

/** Longest text of one result that agents get, in UTF-16 code units. */
export const MAX_TEXT_LENGTH = 256 * 1024;
/** Most base64 characters of pictures and other data of one result that agents get. */
export const MAX_DATA_LENGTH = 8 * 1024 * 1024;
const MAX_BLOCKS = 1_000;

/** The result of a tool as content of a tool call. Text and data above the limits are left out, and a text says so. */
export function toolCallResult(
  result: Pick<CallToolResult, 'content' | 'structuredContent' | 'isError'>,
  title: string,
): ToolCallResult {
  const blocks = result.content.slice(0, MAX_BLOCKS).map(blockOf);
  const content = limited(blocks);
  if (result.content.length > MAX_BLOCKS)
    content.push(text(`[${result.content.length - MAX_BLOCKS} more blocks are left out]`));
  if (result.isError === true) {
    const said = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
    return {
      success: false,
      pastTenseMessage: `${title} failed`,
      content,
      error: { code: 'toolError', message: said.slice(0, 4_000) || 'The tool failed without a reason' },
    };
  }
  const structuredContent = smallObject(result.structuredContent);
  return { success: true, pastTenseMessage: `Ran ${title}`, content, ...defined({ structuredContent }) };
}

function limited(blocks: readonly ToolResultContent[]): ToolResultContent[] {
  let textLeft = MAX_TEXT_LENGTH;
  let dataLeft = MAX_DATA_LENGTH;
  return blocks.map((block) => {
    if (block.type === 'text') {
      const shown = block.text.slice(0, textLeft).replace(/[\uD800-\uDBFF]$/, '');
      textLeft -= shown.length;
      if (shown.length === block.text.length) return block;
      return text(`${shown}\n[Cut here: the tool returned ${block.text.length} characters]`);
    }
    if (block.type !== 'embeddedResource') return block;
    if (block.data.length > dataLeft)
      return text(`[Left out: ${block.data.length} base64 characters of type ${block.contentType}]`);
    dataLeft -= block.data.length;
    return block;
  });
}

function blockOf(block: CallToolResult['content'][number]): ToolResultContent {
  switch (block.type) {
    case 'text':
      return text(block.text);
    case 'image':
    case 'audio':
      return { type: 'embeddedResource', data: block.data, contentType: block.mimeType };
    case 'resource_link':
      return text(`${block.title ?? block.name}: ${block.uri}`);
    case 'resource': {
      const { resource } = block;
      if ('text' in resource) return text(resource.text);
      const { blob, mimeType = 'application/octet-stream' } = resource;
      return { type: 'embeddedResource', data: blob, contentType: mimeType };
    }
    default:
      return text('[A block of a type that this host does not know]');
  }
}

const text = (value: string): ToolResultContent & { type: 'text' } => ({ type: 'text', text: value });

/** The object with its members; `undefined` for anything else, and above the limit. */
function smallObject(value: unknown): Record<string, unknown> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return JSON.stringify(value).length <= MAX_TEXT_LENGTH
    ? Object.fromEntries(Object.entries(value))
    : undefined;
}
