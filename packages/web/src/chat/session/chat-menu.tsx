import type { SessionHandle } from '@agenthost/client';
import type { ChatMoveDestination, ChatSummary, URI } from '@agenthost/protocol';
import { Ellipsis } from 'lucide-react';
import { useState } from 'react';
import { useSelected } from '../../live/use-live.ts';
import { text } from '../../text/text.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Menu, type MenuEntry } from '../../ui/menu.tsx';
import { reporting } from '../report-outcome.ts';
import { chatTitle } from './chat-title.ts';

interface ChatMenuProps {
  readonly session: SessionHandle;
  readonly chat: ChatSummary;
  readonly openChat: (chat: URI) => void;
  readonly openSession: (session: URI) => void;
}

/** The actions of one chat: move it, delete it, close its tab. */
export function ChatMenu({ session, chat, openChat, openSession }: ChatMenuProps) {
  const [isDeleting, setDeleting] = useState(false);
  const chats = useSelected(session.mirror, (state) => state.chats);
  const main = session.chat.mirror.uri;
  const title = chatTitle(chat, chat.resource === main);
  const move = (destination: ChatMoveDestination): void =>
    void reporting(text.chat.moveToNewSession, async () => {
      const moved = await session.moveChat(chat.resource, destination);
      if (moved !== session.uri) openSession(moved);
    });
  const last = chats.findLast(({ resource }) => resource !== chat.resource)?.resource;
  const isMovable = chat.movable === true;
  const isWorker = chat.origin?.kind === 'tool';
  const entries: MenuEntry[] = [
    ...(chat.resource === main ? [] : [{ label: text.chat.closeTab, onSelect: () => openChat(main) }]),
    {
      label: text.chat.moveEarlier,
      isDisabled: !isMovable,
      onSelect: () => move({ kind: 'session', session: session.uri }),
    },
    {
      label: text.chat.moveLater,
      isDisabled: !isMovable || last === undefined,
      onSelect: () => {
        if (last !== undefined) move({ kind: 'session', session: session.uri, after: last });
      },
    },
    {
      label: text.chat.moveToNewSession,
      isDisabled: !isMovable,
      onSelect: () => move({ kind: 'newSession' }),
    },
    'separator',
    {
      label: text.chat.closeChat,
      isDangerous: true,
      isDisabled: isWorker || chats.filter(({ origin }) => origin?.kind !== 'tool').length < 2,
      onSelect: () => setDeleting(true),
    },
  ];
  const remove = (): void => {
    setDeleting(false);
    void reporting(text.chat.closeChat, async () => {
      await session.disposeChat(chat.resource);
      const next = chats.find(
        ({ resource, origin }) => resource !== chat.resource && origin?.kind !== 'tool',
      );
      if (next !== undefined) openChat(next.resource);
    });
  };
  return (
    <>
      <Menu entries={entries} align="start">
        <IconButton size="small" label={text.chat.chatMenu(title)}>
          <Ellipsis className="size-4" aria-hidden />
        </IconButton>
      </Menu>
      <Dialog
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        title={text.chat.deleteChatTitle}
        description={text.chat.deleteChatText(title)}
        footer={
          <>
            <Button onClick={() => setDeleting(false)}>{text.ui.cancel}</Button>
            <Button look="danger" onClick={remove}>
              {text.chat.deleteConfirm}
            </Button>
          </>
        }
      />
    </>
  );
}
