import type { ChatHandle } from '@agenthost/client';
import type { ChatState } from '@agenthost/protocol';
import { useEffect, useState, useSyncExternalStore } from 'react';
import type { HostLink } from '../live/host-link.ts';
import { ChatDraft } from './draft/chat-draft.ts';
import { browserDraftStore } from './draft/draft-store.ts';

const mounted = new WeakMap<ChatHandle, ChatDraft>();

/** The draft in the message field of a chat. `undefined`: there is no such field on the page. */
export const draftOfChat = (chat: ChatHandle): ChatDraft | undefined => mounted.get(chat);

/** The draft of a chat, which follows the host while the component is mounted. The component must have a key by chat. */
export function useDraft(link: HostLink, chat: ChatHandle): ChatDraft {
  const [draft] = useState(
    () =>
      new ChatDraft({
        remote: () => chat.mirror.state.draft,
        onChange: (listener) => {
          let last = chat.mirror.state.draft;
          return chat.mirror.onChange(({ draft: present }) => {
            if (present === last) return;
            last = present;
            listener();
          });
        },
        wasSent: (text) => wasSent(chat.mirror.state, text),
        send: (message) => chat.setDraft(message),
        store: browserDraftStore(link.address.id, chat.mirror.uri),
      }),
  );
  useEffect(() => {
    const stop = draft.follow();
    mounted.set(chat, draft);
    const leave = (): void => draft.flush();
    window.addEventListener('pagehide', leave);
    return () => {
      window.removeEventListener('pagehide', leave);
      stop();
      mounted.delete(chat);
    };
  }, [chat, draft]);
  useSyncExternalStore(draft.onChange, () => draft.content);
  useSyncExternalStore(draft.onChange, () => draft.offer);
  return draft;
}

function wasSent(
  { activeTurn, turns, queuedMessages = [], steeringMessage }: ChatState,
  text: string,
): boolean {
  const messages = [
    activeTurn?.message,
    turns.at(-1)?.message,
    steeringMessage?.message,
    ...queuedMessages.map(({ message }) => message),
  ];
  return messages.some((message) => message?.text === text);
}
