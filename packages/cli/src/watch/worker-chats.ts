import type { ChatHandle, SessionHandle, TurnEvent } from '@agenthost/client';
import type { ChatSummary, URI } from '@agenthost/protocol';
import { oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';
import { ChatFollower } from './chat-follower.ts';

/** Whether a chat belongs to a tool call of an agent: people watch it and answer there [CHAT-2]. */
export const isWorker = ({ origin }: ChatSummary): boolean => origin?.kind === 'tool';

/** Whether a chat works for this one, or for one that does. */
function worksFor(chat: ChatSummary, main: URI, chats: readonly ChatSummary[]): boolean {
  const { origin } = chat;
  if (origin?.kind !== 'tool') return false;
  const parent = chats.find(({ resource }) => resource === origin.chat);
  return origin.chat === main || (parent !== undefined && worksFor(parent, main, chats));
}

/** Tells what happens in the chats of workers of `main` that need somebody, from when they do. The result ends it. */
export function followAskingWorkers(
  { session, main }: { readonly session: SessionHandle; readonly main: URI },
  screen: Screen,
  happened: (event: TurnEvent, chat: ChatHandle) => void,
): () => void {
  const chats = new Map<URI, { handle?: ChatHandle; stop?: () => void }>();
  let isOver = false;
  const follow = async (uri: URI): Promise<void> => {
    const chat: { handle?: ChatHandle; stop?: () => void } = {};
    chats.set(uri, chat);
    const handle = await session.openChat(uri, { turns: 0 });
    if (isOver) return handle.dispose();
    chat.handle = handle;
    chat.stop = new ChatFollower(handle, {
      began: () => undefined,
      happened: (event) => happened(event, handle),
    }).follow();
  };
  const look = (): void => {
    const { chats: entries, inputNeeded = [] } = session.mirror.confirmed;
    for (const { chat: uri } of inputNeeded) {
      const entry = entries.find(({ resource }) => resource === uri);
      if (entry === undefined || !worksFor(entry, main, entries) || chats.has(uri)) continue;
      follow(uri).catch((error: unknown) => {
        // It may be gone again already; the next question tries again.
        chats.delete(uri);
        if (!isOver) screen.note(`a worker's chat cannot be opened: ${oneLine(String(error))}`);
      });
    }
  };
  const stop = session.mirror.onChange(look);
  look();
  return () => {
    isOver = true;
    stop();
    for (const chat of chats.values()) {
      chat.stop?.();
      chat.handle?.dispose();
    }
  };
}
