import type { ChatState, Message } from '@agenthost/protocol';
import type { SimClient } from './sim-client.ts';
import { Violation } from './violation.ts';
import type { World } from './world.ts';

const SCHEME = 'agenthost-content:/';

/**
 * Checks the subscribed chats: no message contains a large attachment, and a message refers to each content
 * stored for a waiting message. Throws a `Violation`.
 */
export function checkContents({ disk, report }: World, auditor: SimClient): void {
  for (const { uri, confirmed } of auditor.mirrors()) {
    if (!('turns' in confirmed)) continue;
    const referred = new Set(messagesOf(confirmed).flatMap(contentsIn));
    const waiting = [...disk.contents.values()].filter(({ owners }) =>
      owners.some(({ chat, turnId = '' }) => chat === uri && turnId.startsWith('waiting:')),
    );
    for (const { id } of waiting) {
      if (!referred.has(id)) throw new Violation('contents', `${uri}: nothing refers to the content ${id}`);
      report.count('waitingContents');
    }
  }
}

const messagesOf = ({
  draft,
  steeringMessage,
  queuedMessages = [],
  activeTurn,
  turns,
}: ChatState): Message[] => [
  ...(draft === undefined ? [] : [draft]),
  ...(steeringMessage === undefined ? [] : [steeringMessage.message]),
  ...queuedMessages.map(({ message }) => message),
  ...(activeTurn === undefined ? [] : [activeTurn.message]),
  ...turns.map(({ message }) => message),
];

function contentsIn({ attachments = [] }: Message): string[] {
  return attachments.flatMap((attachment) => {
    if (attachment.type === 'embeddedResource' && attachment.data.length > 16 * 1024)
      throw new Violation('contents', `a message carries ${attachment.data.length} characters within it`);
    return attachment.type === 'resource' && attachment.uri.startsWith(SCHEME)
      ? [attachment.uri.slice(SCHEME.length)]
      : [];
  });
}
