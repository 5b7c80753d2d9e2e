import type { Message, MessageAttachment, ResourceReadResult, URI } from '@agenthost/protocol';

/** Schemes of what is no host's to keep: files stay where they are. */
const OUTSIDE = /^(?:file|https?|data|mailto|ahp-[a-z-]+):/i;

/** Whether a URI names something that only the host holds. */
export const isKeptByHost = (uri: URI): boolean => !OUTSIDE.test(uri);

/**
 * A message that carries its attachments itself in place of references to what the host holds, which goes with the turn. What
 * cannot be read stays a reference.
 * @param read base64; `undefined` when the host does not hold it any more
 */
export async function withEmbeddedContents(
  message: Message,
  read: (uri: URI) => Promise<ResourceReadResult | undefined>,
): Promise<Message> {
  if (message.attachments === undefined) return message;
  const attachments: MessageAttachment[] = [];
  for (const attachment of message.attachments) attachments.push(await embedded(attachment, read));
  return { ...message, attachments };
}

async function embedded(
  attachment: MessageAttachment,
  read: (uri: URI) => Promise<ResourceReadResult | undefined>,
): Promise<MessageAttachment> {
  if (attachment.type !== 'resource' || !isKeptByHost(attachment.uri)) return attachment;
  const { uri, sizeHint: _, nonce: __, ...rest } = attachment;
  const content = await read(uri);
  if (content?.encoding !== 'base64') return attachment;
  const contentType = attachment.contentType ?? content.contentType ?? 'application/octet-stream';
  return { ...rest, type: 'embeddedResource', data: content.data, contentType };
}
