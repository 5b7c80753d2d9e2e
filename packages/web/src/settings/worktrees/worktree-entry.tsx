import type { WorktreeInfo } from '@agenthost/protocol';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useAllSessions } from '../../board/all-sessions.ts';
import { hostParam } from '../../board/board-session.ts';
import { titleOf } from '../../board/session-actions.ts';
import { exactTime, useRelativeTime } from '../../board/use-relative-time.ts';
import { type HostLink, messageOf } from '../../live/host-link.ts';
import { useMayAct } from '../../live/use-scope.ts';
import { pathOf } from '../../text/file-path.ts';
import { visibleText } from '../../text/visible-text.ts';
import { workspaceText } from '../../text/workspace-text.ts';
import { Button } from '../../ui/button.tsx';
import { SafeText } from '../../ui/safe-text.tsx';
import { showError, showToast } from '../../ui/toasts.tsx';
import { baseName, WorktreeCounts } from '../../worktrees/worktree-facts.tsx';
import { ConfirmDialog } from '../confirm-dialog.tsx';
import { Badge } from '../panel.tsx';

interface WorktreeEntryProps {
  readonly link: HostLink;
  readonly worktree: WorktreeInfo;
  readonly onChanged: () => void;
}

/** A worktree: its branch, folder and session, and what can be done with it. */
export function WorktreeEntry({ link, worktree, onChanged }: WorktreeEntryProps) {
  const { state, branch, base, holds, session, note, createdAt } = worktree;
  const mayAct = useMayAct(link);
  const age = useRelativeTime(createdAt);
  return (
    <li className="flex flex-wrap items-start gap-x-4 gap-y-2 px-4 py-3">
      <div className="flex min-w-0 flex-1 basis-64 flex-col gap-1">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm">
          <SafeText className="min-w-0 font-mono break-all">
            {branch ?? workspaceText.worktrees.noBranch}
          </SafeText>
          {state === 'creating' && <Badge tone="accent">{workspaceText.worktrees.creating}</Badge>}
          {holds !== undefined && (
            <Badge tone="warn">{workspaceText.worktrees.holds(visibleText(holds))}</Badge>
          )}
        </p>
        <p className="flex flex-wrap items-center gap-x-2 text-xs text-muted">
          <span>{workspaceText.worktrees.from(baseName(base))}</span>
          <WorktreeCounts {...worktree} />
          <time dateTime={createdAt} title={exactTime(createdAt)}>
            {age}
          </time>
        </p>
        <SafeText className="font-mono text-xs break-all text-muted">{pathOf(worktree.uri)}</SafeText>
        {session !== undefined && <SessionName link={link} session={session} />}
        {state === 'missing' && <p className="text-xs text-warn">{workspaceText.worktrees.missing}</p>}
        {note !== undefined && (
          <p className="text-xs text-muted">
            <SafeText>{note}</SafeText>
          </p>
        )}
      </div>
      {mayAct && state !== 'creating' && <Actions link={link} worktree={worktree} onChanged={onChanged} />}
    </li>
  );
}

function SessionName({ link, session: uri }: { readonly link: HostLink; readonly session: string }) {
  const { sessions } = useAllSessions();
  const session = sessions.find((each) => each.link === link && each.summary.resource === uri);
  if (session === undefined) return undefined;
  return (
    <p className="flex min-w-0 gap-1 text-xs text-muted">
      <span className="shrink-0">{workspaceText.worktrees.ofSession}</span>
      <Link
        to="/s/$session"
        params={{ session: uri }}
        search={{ host: hostParam(link) }}
        className="min-w-0 truncate text-accent hover:underline"
      >
        {titleOf(session)}
      </Link>
    </p>
  );
}

function Actions({ link, worktree, onChanged }: WorktreeEntryProps) {
  const { id, state, branch, session, holds, ahead } = worktree;
  const [isAsking, setAsking] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const name = visibleText(branch ?? workspaceText.worktrees.noBranch);
  const run = async (what: 'merge' | 'open' | 'remove'): Promise<void> => {
    const { client } = link;
    if (client === undefined) return;
    const { worktrees } = client.sessions;
    setBusy(true);
    try {
      const discard = holds !== undefined;
      const message = what === 'remove' ? await worktrees.remove(id, { discard }) : await worktrees[what](id);
      showToast({ message: visibleText(message) });
    } catch (error) {
      showError(workspaceText.worktrees.failed(messageOf(error)));
    }
    setBusy(false);
    onChanged();
  };
  const isUsable = state === 'ready' && branch !== undefined;
  return (
    <div className="flex flex-col items-end gap-1">
      <div className="flex flex-wrap justify-end gap-2">
        {isUsable && ahead !== 0 && (
          <Button size="small" disabled={isBusy} onClick={() => void run('merge')}>
            {workspaceText.worktrees.mergeShort}
          </Button>
        )}
        {isUsable && (
          <Button size="small" disabled={isBusy} onClick={() => void run('open')}>
            {workspaceText.worktrees.openShort}
          </Button>
        )}
        <Button
          size="small"
          look="danger"
          disabled={isBusy || session !== undefined}
          aria-label={workspaceText.worktrees.removeNamed(name)}
          onClick={() => setAsking(true)}
        >
          {workspaceText.worktrees.removeShort}
        </Button>
      </div>
      {session !== undefined && <p className="text-xs text-muted">{workspaceText.worktrees.usedText}</p>}
      {isAsking && (
        <ConfirmDialog
          title={
            holds === undefined ? workspaceText.worktrees.removeTitle : workspaceText.worktrees.discardTitle
          }
          action={
            holds === undefined ? workspaceText.worktrees.removeShort : workspaceText.worktrees.discardConfirm
          }
          onConfirm={() => void run('remove')}
          onClose={() => setAsking(false)}
        >
          {holds === undefined
            ? workspaceText.worktrees.removeText
            : workspaceText.worktrees.discardText(visibleText(holds))}
        </ConfirmDialog>
      )}
    </div>
  );
}
