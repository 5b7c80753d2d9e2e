import type { ExportedChatHead, Message } from '@agenthost/protocol';

/**
 * The draft of an exported chat and, below it, its pending messages, as one draft of a user. A file must not
 * start a turn, and pending messages would start by themselves; one that begins with `!` would run a command.
 */
export function importedDraft({
  draft,
  steeringMessage,
  queuedMessages = [],
}: Pick<ExportedChatHead, 'draft' | 'steeringMessage' | 'queuedMessages'>): Message | undefined {
  const waiting = steeringMessage === undefined ? queuedMessages : [steeringMessage, ...queuedMessages];
  const messages = [...(draft === undefined ? [] : [draft]), ...waiting.map(({ message }) => message)];
  if (messages.length === 0) return undefined;
  // Ranges of attachments refer to the separate messages and are wrong in the joined one.
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
