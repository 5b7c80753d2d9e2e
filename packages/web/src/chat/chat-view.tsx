import type { ChatHandle, SessionHandle } from '@agenthost/client';
import type { URI } from '@agenthost/protocol';
import { useEffect, useMemo, useState } from 'react';
import { ComposerArea } from '../composer/composer-area.tsx';
import type { HostLink } from '../live/host-link.ts';
import { useChat, useRootPart, useSelected } from '../live/use-live.ts';
import { useMayActIn } from '../live/use-scope.ts';
import { usePresentHere } from '../presence/use-presence.ts';
import { useQuestionTarget } from '../questions/question-target.ts';
import { BackgroundStrip } from './background/background-strip.tsx';
import { type ChatScope, ChatScopeProvider } from './chat-scope.tsx';
import { onFindRequested } from './find/find-request.ts';
import { OpenedStates } from './opened-states.tsx';
import { PlanPanel } from './plan/plan-panel.tsx';
import { useMarkChatRead } from './session/use-mark-read.ts';
import { RowView } from './transcript/row-view.tsx';
import { Transcript } from './transcript/transcript.tsx';

interface ChatViewProps {
  readonly link: HostLink;
  readonly session: SessionHandle;
  readonly uri: URI;
  readonly turn: string | undefined;
  readonly ask: string | undefined;
  readonly openChat: (chat: URI) => void;
  readonly openSession: (session: URI) => void;
}

/** One chat: its transcript, and the composer below. */
export function ChatView(props: ChatViewProps) {
  const { link, session, uri } = props;
  // The session has its default chat open already.
  if (uri === session.chat.mirror.uri) return <OpenChat {...props} chat={session.chat} />;
  return <OtherChat {...props} link={link} />;
}

function OtherChat(props: ChatViewProps) {
  const opened = useChat(props.link, props.session, props.uri);
  return <OpenedStates opened={opened}>{(chat) => <OpenChat {...props} chat={chat} />}</OpenedStates>;
}

function OpenChat(props: ChatViewProps & { readonly chat: ChatHandle }) {
  const { link, session, chat, turn, ask, openChat, openSession } = props;
  const mayAct = useMayActIn(link, session.uri);
  const target = useQuestionTarget(link, chat.mirror.uri);
  const provider = useSelected(session.mirror, (state) => state.provider);
  const agents = useRootPart(link, (state) => state.agents, NO_AGENTS);
  const agent = agents.find((each) => each.provider === provider);
  const [isFinding, setFinding] = useState(false);
  useMarkChatRead(chat, false);
  usePresentHere(link, { showing: [session.uri, chat.mirror.uri] });
  useEffect(() => onFindRequested(() => setFinding(true)), []);
  const scope = useMemo<ChatScope>(
    () => ({ link, session, chat, target, agent, mayAct, isNested: false, RowView, openChat, openSession }),
    [link, session, chat, target, agent, mayAct, openChat, openSession],
  );
  return (
    <ChatScopeProvider value={scope}>
      <Transcript turn={turn} ask={ask} isFinding={isFinding} onFindClose={() => setFinding(false)} />
      <div className="mx-auto flex w-full max-w-3xl flex-col gap-2 px-3 empty:hidden sm:px-4">
        <BackgroundStrip />
        <PlanPanel />
      </div>
      <ComposerArea link={link} session={session} chat={chat} mayAct={mayAct} />
    </ChatScopeProvider>
  );
}

const NO_AGENTS: never[] = [];
