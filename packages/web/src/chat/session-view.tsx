import type { SessionHandle } from '@agenthost/client';
import type { URI } from '@agenthost/protocol';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useState } from 'react';
import { usePageTitle } from '../attention/page-title.ts';
import type { HostLink } from '../live/host-link.ts';
import { useSetting } from '../live/setting.ts';
import { useLink } from '../live/use-hosts.ts';
import { useIsLost } from '../live/use-is-lost.ts';
import { useSelected, useSession } from '../live/use-live.ts';
import { SignInLines } from '../oauth/sign-in-lines.tsx';
import { text } from '../text/text.ts';
import { classes } from '../ui/class-names.ts';
import { Spinner } from '../ui/states.tsx';
import { useMedia } from '../ui/use-media.ts';
import { wideSetting } from '../workspace/wide-setting.ts';
import { ChatView } from './chat-view.tsx';
import { preloadMarkdown } from './markdown/markdown.tsx';
import { NoSession, OpenedStates } from './opened-states.tsx';
import { ChatTabs } from './session/chat-tabs.tsx';
import { SessionHeader } from './session/session-header.tsx';
import { useMarkRead } from './session/use-mark-read.ts';

preloadMarkdown();

const SessionTerminals = lazy(async () => ({
  default: (await import('../terminal/session-terminals.tsx')).SessionTerminals,
}));

const WorkspacePanel = lazy(async () => ({
  default: (await import('../workspace/workspace-panel.tsx')).WorkspacePanel,
}));

/** A session with its chats. */
export function SessionView() {
  const { session: uri } = useParams({ from: '/s/$session' });
  const { host } = useSearch({ from: '/s/$session' });
  const link = useLink(host);
  const opened = useSession(link, uri);
  return (
    <OpenedStates opened={opened}>
      {(session) => <OpenSession key={uri} link={link} session={session} />}
    </OpenedStates>
  );
}

function OpenSession({ link, session }: { readonly link: HostLink; readonly session: SessionHandle }) {
  const search = useSearch({ from: '/s/$session' });
  const navigate = useNavigate();
  const isLost = useIsLost(session.mirror);
  const title = useSelected(session.mirror, (state) => state.title);
  const folder = useSelected(session.mirror, (state) => state.workingDirectories?.[0]);
  const [areTerminalsShown, setTerminalsShown] = useState(false);
  const chat = useShownChat(session, search.chat, search.ask);
  const isBeside = useMedia('(min-width: 64rem)');
  const [isWide] = useSetting(wideSetting);
  const isPhone = useMedia('(max-width: 47.99rem)');
  const hasPanel = search.panel !== undefined;
  /** The workspace covers the whole screen. */
  const isCovered = hasPanel && isPhone;
  /** The workspace has the place of the chat. */
  const isAlone = hasPanel && !isPhone && (isWide || !isBeside);
  useMarkRead(session, isLost);
  usePageTitle(title === '' ? text.chat.untitled : title);
  const openChat = useCallback(
    (uri: URI) =>
      void navigate({
        to: '/s/$session',
        params: { session: session.uri },
        search: { host: search.host, panel: search.panel, chat: uri },
      }),
    [navigate, session, search.host, search.panel],
  );
  const openSession = useCallback(
    (uri: URI) =>
      void navigate({ to: '/s/$session', params: { session: uri }, search: { host: search.host } }),
    [navigate, search.host],
  );
  if (isLost) return <NoSession title={text.chat.lostTitle} reason={text.chat.lost} />;
  return (
    <>
      <div className="contents" inert={isCovered}>
        <SignInLines link={link} />
        <SessionHeader
          link={link}
          session={session}
          openSession={openSession}
          openChat={openChat}
          areTerminalsShown={areTerminalsShown}
          onShowTerminals={setTerminalsShown}
        />
        <ChatTabs link={link} session={session} shown={chat} openChat={openChat} openSession={openSession} />
      </div>
      <div className="flex min-h-0 flex-1">
        {!isAlone && (
          <div className="flex min-h-0 min-w-0 flex-1 flex-col" inert={isCovered}>
            <ChatView
              key={chat}
              link={link}
              session={session}
              uri={chat}
              turn={search.turn}
              ask={search.ask}
              openChat={openChat}
              openSession={openSession}
            />
          </div>
        )}
        {search.panel !== undefined && (
          <div
            className={classes(
              'flex min-w-0',
              isPhone
                ? 'fixed inset-0 z-30 bg-surface pt-[env(safe-area-inset-top)] pb-[env(safe-area-inset-bottom)]'
                : isAlone
                  ? 'flex-1'
                  : 'w-[58%] border-s border-line',
            )}
          >
            <Suspense fallback={<Spinner />}>
              <WorkspacePanel key={chat} link={link} session={session} chat={chat} panel={search.panel} />
            </Suspense>
          </div>
        )}
      </div>
      {areTerminalsShown && (
        <div className="h-[40%] min-h-48 shrink-0 border-t border-line max-sm:fixed max-sm:inset-0 max-sm:z-30 max-sm:flex max-sm:h-dvh max-sm:border-0 max-sm:bg-canvas max-sm:pt-[env(safe-area-inset-top)] max-sm:pb-[env(safe-area-inset-bottom)]">
          <Suspense fallback={<Spinner />}>
            <SessionTerminals
              link={link}
              session={session.uri}
              folder={folder}
              onClose={() => setTerminalsShown(false)}
            />
          </Suspense>
        </div>
      )}
    </>
  );
}

/** The chat that the address names, that asks what it names, or the default one. */
function useShownChat(session: SessionHandle, chat: URI | undefined, ask: string | undefined): URI {
  return useSelected(session.mirror, ({ chats, inputNeeded }) => {
    if (chat !== undefined && chats.some(({ resource }) => resource === chat)) return chat;
    const asking = ask === undefined ? undefined : inputNeeded?.find(({ id }) => id === ask)?.chat;
    return asking ?? session.chat.mirror.uri;
  });
}
