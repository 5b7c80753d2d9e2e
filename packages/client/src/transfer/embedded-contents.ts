import type { Message, MessageAttachment, ResourceReadResult, URI } from '@agenthost/protocol';

/** Schemes of resources that are not kept by the host. */
const OUTSIDE = /^(?:file|https?|data|mailto|ahp-[a-z-]+):/i;

/** Whether a URI names content that only the host holds. */
export const isKeptByHost = (uri: URI): boolean => !OUTSIDE.test(uri);

/**
 * Returns the message with its attachments embedded, in place of references to content that the host holds
 * and deletes with the turn. Content that cannot be read stays a reference. @param read Returns base64, or
 * `undefined` when the host no longer holds the content.
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
