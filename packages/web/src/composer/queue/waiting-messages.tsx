import type { ChatHandle } from '@agenthost/client';
import type { ChatState, PendingMessage } from '@agenthost/protocol';
import { Clock, ListEnd, Navigation } from 'lucide-react';
import type { HostLink } from '../../live/host-link.ts';
import { useSelected } from '../../live/use-live.ts';
import { text } from '../../text/text.ts';
import { SafeText } from '../../ui/safe-text.tsx';
import { pendingText } from './pending-text.ts';
import { useUnsentMessages } from './use-unsent-messages.ts';

const NONE: NonNullable<ChatState['queuedMessages']> = [];

/** The queued messages and the steering message of a chat that this browser only shows. Nothing when there are none. */
export function WaitingMessages({ link, chat }: { readonly link: HostLink; readonly chat: ChatHandle }) {
  const isUnsent = useUnsentMessages(link, chat);
  const queued = useSelected(chat.mirror, (state) => state.queuedMessages ?? NONE);
  const steering = useSelected(chat.mirror, (state) => state.steeringMessage);
  if (queued.length === 0 && steering === undefined) return null;
  return (
    <ul
      aria-label={text.composer.waitingMessages}
      className="flex max-h-[30vh] flex-col overflow-y-auto rounded-xl border border-line bg-sunken text-sm"
    >
      {steering !== undefined && <Waiting pending={steering} isUnsent={isUnsent(steering)} isSteering />}
      {queued.map((pending) => (
        <Waiting key={pending.id} pending={pending} isUnsent={isUnsent(pending)} isSteering={false} />
      ))}
    </ul>
  );
}

function Waiting({
  pending: { message, 'x-by': by },
  isUnsent,
  isSteering,
}: {
  readonly pending: PendingMessage;
  readonly isUnsent: boolean;
  readonly isSteering: boolean;
}) {
  const Icon = isUnsent ? Clock : isSteering ? Navigation : ListEnd;
  return (
    <li className="flex items-center gap-2 border-t border-line px-3 py-1.5 first:border-t-0">
      <Icon className="size-4 shrink-0 text-faint" aria-hidden />
      <p className="line-clamp-2 min-w-0 flex-1 wrap-anywhere whitespace-pre-line">
        <SafeText>{pendingText(message)}</SafeText>
      </p>
      {by?.person !== undefined && (
        <SafeText className="max-w-[8rem] shrink-0 truncate text-xs text-muted">{by.person}</SafeText>
      )}
      {isUnsent && <span className="shrink-0 text-xs text-muted">{text.chat.unsent}</span>}
    </li>
  );
}
