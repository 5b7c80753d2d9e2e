import type { ChatHandle } from '@agenthost/client';
import type { PendingMessage } from '@agenthost/protocol';
import type { HostLink } from '../../live/host-link.ts';
import { useLinkStatus } from '../../live/use-hosts.ts';

/** Whether a queued or steering message of a chat has not reached the host, which does not answer. */
export function useIsUnsent(link: HostLink, chat: ChatHandle): (pending: PendingMessage) => boolean {
  const isAway = useLinkStatus(link).state === 'away';
  const { steeringMessage, queuedMessages = [] } = chat.mirror.confirmed;
  return ({ id }) => isAway && steeringMessage?.id !== id && !queuedMessages.some((each) => each.id === id);
}
