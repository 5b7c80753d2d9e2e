import type { SessionHandle } from '@agenthost/client';
import { type ChatSummary, SessionStatus, type URI } from '@agenthost/protocol';
import { Bot, GitBranch, MessageSquare, MessageSquareMore, Plus } from 'lucide-react';
import type { HostLink } from '../../live/host-link.ts';
import { useSelected } from '../../live/use-live.ts';
import { useMayActIn } from '../../live/use-scope.ts';
import { text } from '../../text/text.ts';
import { visibleText } from '../../text/visible-text.ts';
import { IconButton } from '../../ui/button.tsx';
import { classes } from '../../ui/class-names.ts';
import { SafeText } from '../../ui/safe-text.tsx';
import { reporting } from '../report-outcome.ts';
import { ChatMenu } from './chat-menu.tsx';
import { chatTitle } from './chat-title.ts';
import { activityOf } from './session-state.tsx';
import { useChatAbilities } from './use-chat-abilities.ts';

interface ChatTabsProps {
  readonly link: HostLink;
  readonly session: SessionHandle;
  readonly shown: URI;
  readonly openChat: (chat: URI) => void;
  readonly openSession: (session: URI) => void;
}

/** The chats of a session as tabs, when there is more than one. Chats of workers show only while they are open. */
export function ChatTabs({ link, session, shown, openChat, openSession }: ChatTabsProps) {
  const all = useSelected(session.mirror, ({ chats }) => chats);
  const mayAct = useMayActIn(link, session.uri);
  const { noChats } = useChatAbilities(link, session);
  const chats = all.filter(
    ({ resource, origin, interactivity }) =>
      resource === shown || (origin?.kind !== 'tool' && interactivity !== 'hidden'),
  );
  if (chats.length < 2) return undefined;
  const create = (): void =>
    void reporting(text.chat.newChat, async () => {
      const created = await session.createChat();
      openChat(created.mirror.uri);
      created.dispose();
    });
  return (
    <nav
      aria-label={text.chat.chats}
      className="flex items-center gap-1 overflow-x-auto border-b border-line px-2 py-1 sm:px-4"
    >
      {chats.map((chat, index) => (
        <ChatTab
          key={chat.resource}
          chat={chat}
          isMain={index === 0}
          isShown={chat.resource === shown}
          onOpen={openChat}
        >
          {mayAct && chat.resource === shown && (
            <ChatMenu session={session} chat={chat} openChat={openChat} openSession={openSession} />
          )}
        </ChatTab>
      ))}
      {mayAct && noChats === undefined && (
        <IconButton size="small" label={text.chat.newChat} onClick={create}>
          <Plus className="size-4" aria-hidden />
        </IconButton>
      )}
    </nav>
  );
}

const ICONS = { user: MessageSquare, fork: GitBranch, sideChat: MessageSquareMore, tool: Bot };

interface ChatTabProps {
  readonly chat: ChatSummary;
  readonly isMain: boolean;
  readonly isShown: boolean;
  readonly onOpen: (chat: URI) => void;
  readonly children: React.ReactNode;
}

function ChatTab({ chat, isMain, isShown, onOpen, children }: ChatTabProps) {
  const Icon = ICONS[chat.origin?.kind ?? 'user'];
  const { label, dot } = activityOf(chat.status);
  const isBusy = (chat.status & SessionStatus.InProgress) !== 0;
  const isUnread = (chat.status & SessionStatus.IsRead) === 0 && !isShown;
  const title = chatTitle(chat, isMain);
  return (
    <div
      className={classes(
        'flex shrink-0 items-center rounded-lg text-sm',
        isShown ? 'bg-hover' : 'text-muted hover:bg-hover hover:text-text',
      )}
    >
      <button
        type="button"
        aria-current={isShown ? 'page' : undefined}
        title={visibleText(title)}
        onClick={() => onOpen(chat.resource)}
        className={classes(
          'flex h-8 max-w-56 items-center gap-1.5 rounded-lg px-2.5 touch:h-11',
          isUnread && 'font-semibold text-text',
        )}
      >
        {isBusy ? (
          <span className={classes('size-2 shrink-0 rounded-full', dot)} role="img" aria-label={label} />
        ) : (
          <Icon className="size-3.5 shrink-0" aria-hidden />
        )}
        <SafeText className="truncate">{title}</SafeText>
      </button>
      {children}
    </div>
  );
}
