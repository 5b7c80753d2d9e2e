import type { SessionHandle } from '@agenthost/client';
import type { URI } from '@agenthost/protocol';
import { Link } from '@tanstack/react-router';
import { ArrowLeft, GitFork } from 'lucide-react';
import type { HostLink } from '../../live/host-link.ts';
import { useRootPart, useSelected } from '../../live/use-live.ts';
import { useMayActIn } from '../../live/use-scope.ts';
import { PresenceList } from '../../presence/presence-list.tsx';
import { PortsMenu } from '../../previews/ports-menu.tsx';
import { SessionTerminalsToggle } from '../../terminal/session-terminals-toggle.tsx';
import { baseName, pathOf } from '../../text/file-path.ts';
import { text } from '../../text/text.ts';
import { visibleText } from '../../text/visible-text.ts';
import { workspaceText } from '../../text/workspace-text.ts';
import { SafeText } from '../../ui/safe-text.tsx';
import { PanelToggle } from '../../workspace/panel-toggle.tsx';
import { useSessionWorktree } from '../../worktrees/use-session-worktree.ts';
import { SessionMenu } from './session-menu.tsx';
import { SessionStateLabel } from './session-state.tsx';
import { SessionTitle } from './session-title.tsx';
import { SessionUsage } from './session-usage.tsx';

interface SessionHeaderProps {
  readonly link: HostLink;
  readonly session: SessionHandle;
  readonly openChat: (chat: URI) => void;
  readonly openSession: (session: URI) => void;
  readonly areTerminalsShown: boolean;
  readonly onShowTerminals: (areShown: boolean) => void;
}

/** The head of a session: title, state, agent, folder, usage, who else is here, and the menu. */
export function SessionHeader(props: SessionHeaderProps) {
  const { link, session, openChat, openSession, areTerminalsShown, onShowTerminals } = props;
  const mayAct = useMayActIn(link, session.uri);
  return (
    <header className="flex min-h-13 items-center gap-2 border-b border-line py-1.5 ps-2 pe-2 sm:ps-4">
      <Link
        to="/"
        aria-label={text.app.back}
        className="flex size-9 shrink-0 items-center justify-center rounded-lg text-muted hover:bg-hover md:hidden touch:size-11"
      >
        <ArrowLeft className="size-5 rtl:-scale-x-100" aria-hidden />
      </Link>
      <div className="min-w-0 flex-1">
        <SessionTitle session={session} mayAct={mayAct} />
        <div className="facts flex min-w-0 items-center gap-x-1.5 overflow-hidden text-xs whitespace-nowrap text-muted">
          <SessionStateLabel link={link} session={session} />
          <Facts link={link} session={session} />
          <SessionUsage session={session} />
        </div>
      </div>
      <PresenceList link={link} session={session} />
      <PortsMenu link={link} session={session} />
      <PanelToggle session={session} />
      <SessionTerminalsToggle
        link={link}
        session={session.uri}
        isShown={areTerminalsShown}
        onChange={onShowTerminals}
      />
      <SessionMenu
        link={link}
        session={session}
        mayAct={mayAct}
        openChat={openChat}
        openSession={openSession}
      />
    </header>
  );
}

const NO_AGENTS: never[] = [];

function Facts({ link, session }: { readonly link: HostLink; readonly session: SessionHandle }) {
  const provider = useSelected(session.mirror, (state) => state.provider);
  const folders = useSelected(session.mirror, (state) => state.workingDirectories);
  const agents = useRootPart(link, (state) => state.agents, NO_AGENTS);
  const name = agents.find((each) => each.provider === provider)?.displayName ?? provider;
  const folder = folders?.[0];
  const branch = useSessionWorktree(session)?.branch;
  return (
    <>
      <SafeText className="max-w-40 shrink-0 truncate">{name}</SafeText>
      {folder !== undefined && (
        <span className="min-w-0 truncate max-sm:hidden" title={visibleText(pathOf(folder))}>
          <SafeText>{baseName(pathOf(folder))}</SafeText>
        </span>
      )}
      {branch !== undefined && (
        <span
          className="flex min-w-0 items-center gap-1 max-sm:hidden"
          title={workspaceText.worktrees.inBranch(visibleText(branch))}
        >
          <GitFork className="size-3 shrink-0" aria-hidden />
          <SafeText className="truncate">{branch}</SafeText>
        </span>
      )}
    </>
  );
}
