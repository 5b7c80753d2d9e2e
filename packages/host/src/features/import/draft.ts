import type { ExportedChatHead, Message } from '@agenthost/protocol';

/**
 * What was being written in an exported chat, and below it what waited to be sent, as one draft of a person. A file must start nothing: a
 * message that waits would be sent by itself, and one that begins with `!` be run.
 */
export function importedDraft({
  draft,
  steeringMessage,
  queuedMessages = [],
}: Pick<ExportedChatHead, 'draft' | 'steeringMessage' | 'queuedMessages'>): Message | undefined {
  const waiting = steeringMessage === undefined ? queuedMessages : [steeringMessage, ...queuedMessages];
  const messages = [...(draft === undefined ? [] : [draft]), ...waiting.map(({ message }) => message)];
  if (messages.length === 0) return undefined;
  // The words that an attachment stands for are elsewhere now.
  const attachments = messages
    .flatMap((message) => message.attachments ?? [])
    .map((attachment) => {
      const { range: _, ...rest } = attachment;
      return messages.length === 1 ? attachment : rest;
    });
  return {
    text: messages
      .map(({ text }) => text)
      .filter((text) => text !== '')
      .join('\n\n'),
    origin: { kind: 'user' },
    ...(attachments.length === 0 ? {} : { attachments }),
  };
}
