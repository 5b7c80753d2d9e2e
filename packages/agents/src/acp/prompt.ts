import type { ContentBlock } from '@agentclientprotocol/sdk';
import type { TurnInput } from '@agenthost/host';
import type {
  MessageAttachment,
  MessageEmbeddedResourceAttachment,
  MessageResourceAttachment,
} from '@agenthost/protocol';
import type { AgentTraits } from './agent-traits.ts';
import type { AcpLog } from './runtime.ts';

/** The largest resource that is read and put into a prompt. */
const maxResourceBytes = 1024 * 1024;

const textTypes = /^(text\/|application\/(json|xml|yaml|javascript|typescript|x-sh)|.*\+(json|xml)$)/;

/** A user's message as content blocks that this agent takes. What it cannot take is named in words, never dropped in silence. */
export async function promptBlocks(
  input: TurnInput,
  traits: AgentTraits,
  log: AcpLog,
): Promise<ContentBlock[]> {
  const blocks: ContentBlock[] = [];
  for (const attachment of input.message.attachments ?? []) {
    blocks.push(await attachmentBlock(attachment, input, traits, log));
  }
  // Some agents refuse an empty text, which a message of attachments alone has.
  if (input.message.text !== '' || blocks.length === 0) blocks.push(words(input.message.text));
  return blocks;
}

async function attachmentBlock(
  attachment: MessageAttachment,
  input: TurnInput,
  traits: AgentTraits,
  log: AcpLog,
): Promise<ContentBlock> {
  switch (attachment.type) {
    case 'simple':
      return words(attachment.modelRepresentation ?? `[${attachment.label}]`);
    case 'embeddedResource':
      return embeddedBlock(attachment, traits);
    case 'resource':
      return resourceBlock(attachment, input, traits, log);
    case 'annotations':
      return words(`[annotations: ${attachment.label}, ${attachment.resource}]`);
    default: {
      const unknown: { label?: string } = attachment satisfies never;
      return words(`[${unknown.label ?? 'attachment'}: of a kind that cannot be passed on]`);
    }
  }
}

function embeddedBlock(attachment: MessageEmbeddedResourceAttachment, traits: AgentTraits): ContentBlock {
  const { contentType, data, label } = attachment;
  if (contentType.startsWith('image/') && traits.takesImages)
    return { type: 'image', data, mimeType: contentType };
  const uri = `attachment:${encodeURIComponent(label)}`;
  if (textTypes.test(contentType)) {
    return textBlock(
      { uri, text: Buffer.from(data, 'base64').toString('utf8'), mimeType: contentType },
      label,
      traits,
    );
  }
  if (!traits.takesEmbeddedContext)
    return words(`[${label}: ${contentType}, which this agent does not take]`);
  return { type: 'resource', resource: { uri, blob: data, mimeType: contentType } };
}

async function resourceBlock(
  attachment: MessageResourceAttachment,
  input: TurnInput,
  traits: AgentTraits,
  log: AcpLog,
): Promise<ContentBlock> {
  const { uri, label, contentType } = attachment;
  const isImage = contentType?.startsWith('image/') === true && traits.takesImages;
  // The agent reads the machine's own files by itself; what only we can read, or what it wants as an image, goes along.
  if (uri.startsWith('file:') && !isImage) return link(attachment);
  try {
    const read = await input.readResource(uri);
    const type = contentType ?? read.contentType ?? 'text/plain';
    if (read.data.byteLength > maxResourceBytes) return link(attachment);
    const data = Buffer.from(read.data);
    if (type.startsWith('image/') && traits.takesImages) {
      return { type: 'image', data: data.toString('base64'), mimeType: type, uri };
    }
    if (textTypes.test(type))
      return textBlock({ uri, text: data.toString('utf8'), mimeType: type }, label, traits);
    if (!traits.takesEmbeddedContext) return link(attachment);
    return { type: 'resource', resource: { uri, blob: data.toString('base64'), mimeType: type } };
  } catch (error) {
    log('info', 'attachment not read', { uri, error: String(error) });
    return link(attachment);
  }
}

function link(attachment: MessageResourceAttachment): ContentBlock {
  const { uri, label, contentType, selection } = attachment;
  const range = selection?.range;
  const lines = range === undefined ? '' : ` (lines ${range.start.line + 1} to ${range.end.line + 1})`;
  return {
    type: 'resource_link',
    uri,
    name: `${label}${lines}`,
    ...(contentType === undefined ? {} : { mimeType: contentType }),
  };
}

function textBlock(
  resource: { uri: string; text: string; mimeType: string },
  label: string,
  traits: AgentTraits,
): ContentBlock {
  return traits.takesEmbeddedContext
    ? { type: 'resource', resource }
    : words(`<attachment name=${JSON.stringify(label)}>\n${resource.text}\n</attachment>`);
}

function words(text: string): ContentBlock {
  return { type: 'text', text };
}
