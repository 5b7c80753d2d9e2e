import type { ChatHandle, SessionHandle } from '@agenthost/client';
import type { Turn } from '@agenthost/protocol';
import { oneLine } from '../render/plain-text.ts';
import { statusWord, waitingText } from '../render/session-line.ts';
import { openBlocks } from './open-blocks.ts';

/** How a session stands once all that there is has been shown; `undefined` where its default chat shows it by itself. */
export function standing(
  { mirror, chat: main }: Pick<SessionHandle, 'mirror' | 'chat'>,
  chats: readonly ChatHandle[],
  nameOf: (chat: ChatHandle) => string,
): string | undefined {
  if (main.mirror.state.activeTurn !== undefined) return undefined;
  const asking = chats.find((chat) => openBlocks(chat).length > 0);
  if (asking !== undefined) return `chat "${nameOf(asking)}" waits for an answer`;
  const working = chats.find((chat) => chat.mirror.state.activeTurn !== undefined);
  if (working !== undefined) return `chat "${nameOf(working)}" works; nothing waits for an answer`;
  const { lifecycle, creationError } = mirror.state;
  if (lifecycle === 'creationFailed')
    return `failed: ${oneLine(creationError?.message ?? 'no reason given', 500)}; nothing waits for an answer`;
  return `${statusWord(main.mirror.state.status)}; nothing waits for an answer`;
}

const waitingCount = ({ mirror }: ChatHandle): number => mirror.confirmed.queuedMessages?.length ?? 0;

/** Whether messages wait in a chat. */
export const hasQueue = (chat: ChatHandle): boolean => waitingCount(chat) > 0;

/** That messages wait which this turn has stopped: after a complete one the host goes on with the queue by itself, else not [CHAT-12]. */
export function queueReminder(chat: ChatHandle, { id, state }: Turn): string | undefined {
  const { activeTurn, turns } = chat.mirror.confirmed;
  const isLast = activeTurn === undefined && turns.at(-1)?.id === id;
  if (!hasQueue(chat) || state === 'complete' || !isLast) return undefined;
  return `${waitingText(waitingCount(chat))}; the next "say <text>" sets the queue going again`;
}
