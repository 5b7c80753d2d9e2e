import type { ChatHandle } from '@agenthost/client';
import type { PendingMessage } from '@agenthost/protocol';
import type { HostLink } from '../../live/host-link.ts';
import { useLinkStatus } from '../../live/use-hosts.ts';

/** Tells which queued or steering messages of a chat have not reached the host, which does not answer. */
export function useUnsentMessages(link: HostLink, chat: ChatHandle): (pending: PendingMessage) => boolean {
  const isAway = useLinkStatus(link).state === 'away';
  const { steeringMessage, queuedMessages = [] } = chat.mirror.confirmed;
  return ({ id }) => isAway && steeringMessage?.id !== id && !queuedMessages.some((each) => each.id === id);
}
