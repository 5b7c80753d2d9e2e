import type { SessionHandle } from '@agenthost/client';
import type { SessionWorktree } from '@agenthost/protocol';
import { useNavigate } from '@tanstack/react-router';
import { CircleAlert, Ellipsis, GitFork, GitMerge, Info, X } from 'lucide-react';
import { useState } from 'react';
import { hostParam } from '../board/board-session.ts';
import { type HostLink, messageOf } from '../live/host-link.ts';
import { ConfirmDialog } from '../settings/confirm-dialog.tsx';
import { pathOf } from '../text/file-path.ts';
import { text } from '../text/text.ts';
import { visibleText } from '../text/visible-text.ts';
import { workspaceText } from '../text/workspace-text.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Menu } from '../ui/menu.tsx';
import { SafeText } from '../ui/safe-text.tsx';
import { Spinner } from '../ui/states.tsx';
import { showToast } from '../ui/toasts.tsx';
import { usePanel } from '../workspace/use-panel.ts';
import { useSessionWorktree } from './use-session-worktree.ts';
import { baseName, WorktreeCounts } from './worktree-facts.tsx';

interface WorktreeBarProps {
  readonly link: HostLink;
  readonly session: SessionHandle;
  readonly mayAct: boolean;
}

/** The worktree of a session: its branch, how it differs from its base, and what can be done with it. Nothing for a session without one. */
export function WorktreeBar({ link, session, mayAct }: WorktreeBarProps) {
  const worktree = useSessionWorktree(session);
  if (worktree === undefined) return undefined;
  return <Bar link={link} worktree={worktree} mayAct={mayAct} />;
}

type Asked = 'merge' | 'open' | 'remove';

function Bar({
  link,
  worktree,
  mayAct,
}: {
  readonly link: HostLink;
  readonly worktree: SessionWorktree;
  readonly mayAct: boolean;
}) {
  const [asked, setAsked] = useState<Asked | undefined>(undefined);
  const [isRunning, setRunning] = useState(false);
  const [refusal, setRefusal] = useState<string | undefined>(undefined);
  const { id, state, note } = worktree;
  const base = baseName(worktree.base);
  const branch = visibleText(worktree.branch ?? workspaceText.worktrees.noBranch);
  const isReady = state === 'ready' && worktree.branch !== undefined;
  const run = async (kind: 'merge' | 'open'): Promise<void> => {
    setRunning(true);
    setRefusal(undefined);
    try {
      if (link.client === undefined) throw new Error('not connected');
      showToast({ message: visibleText(await link.client.sessions.worktrees[kind](id)) });
    } catch (error) {
      setRefusal(messageOf(error));
    }
    setRunning(false);
  };
  return (
    <section
      aria-label={workspaceText.worktrees.label}
      className="flex flex-col gap-1.5 border-b border-line px-3 py-1.5 text-xs text-muted"
    >
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <span className="flex min-w-0 items-center gap-1" title={visibleText(pathOf(worktree.uri))}>
          <GitFork className="size-3.5 shrink-0" aria-hidden />
          <SafeText className="min-w-0 truncate font-mono text-text">{branch}</SafeText>
        </span>
        <span className="min-w-0 truncate">{workspaceText.worktrees.from(base)}</span>
        <WorktreeCounts {...worktree} />
        {mayAct && isReady && (
          <span className="ms-auto flex items-center gap-1">
            {isRunning && <Spinner />}
            <Button
              size="small"
              className="h-7 text-text"
              disabled={isRunning || worktree.ahead === 0}
              title={worktree.ahead === 0 ? workspaceText.worktrees.nothingToMerge(base) : undefined}
              onClick={() => setAsked('merge')}
            >
              <GitMerge className="size-3.5" aria-hidden />
              {workspaceText.worktrees.merge(base)}
            </Button>
            <BarMenu link={link} isDisabled={isRunning} onAsk={setAsked} />
          </span>
        )}
      </div>
      {state === 'missing' && (
        <p className="flex items-center gap-1.5 text-warn">
          <CircleAlert className="size-3.5 shrink-0" aria-hidden />
          {workspaceText.worktrees.missing}
        </p>
      )}
      {note !== undefined && (
        <p className="flex items-start gap-1.5">
          <Info className="mt-px size-3.5 shrink-0" aria-hidden />
          <SafeText>{note}</SafeText>
        </p>
      )}
      {refusal !== undefined && <Refusal reason={refusal} onClose={() => setRefusal(undefined)} />}
      {asked === 'merge' && (
        <MergeDialog
          worktree={worktree}
          onMerge={() => void run('merge')}
          onClose={() => setAsked(undefined)}
        />
      )}
      {asked === 'open' && (
        <ConfirmDialog
          title={workspaceText.worktrees.openTitle(branch)}
          action={workspaceText.worktrees.openConfirm}
          onConfirm={() => void run('open')}
          onClose={() => setAsked(undefined)}
        >
          {workspaceText.worktrees.openText}
        </ConfirmDialog>
      )}
      {asked === 'remove' && <StaysDialog link={link} onClose={() => setAsked(undefined)} />}
    </section>
  );
}

function BarMenu({
  link,
  isDisabled,
  onAsk,
}: {
  readonly link: HostLink;
  readonly isDisabled: boolean;
  readonly onAsk: (asked: Asked) => void;
}) {
  const showAll = useShowAll(link);
  return (
    <Menu
      entries={[
        { label: workspaceText.worktrees.open, isDisabled, onSelect: () => onAsk('open') },
        { label: workspaceText.worktrees.manage, onSelect: showAll },
        'separator',
        { label: workspaceText.worktrees.remove, isDangerous: true, onSelect: () => onAsk('remove') },
      ]}
    >
      <IconButton size="small" label={workspaceText.worktrees.actions}>
        <Ellipsis className="size-4" aria-hidden />
      </IconButton>
    </Menu>
  );
}

/** A function that shows all worktrees of a host. */
function useShowAll(link: HostLink): () => void {
  const navigate = useNavigate();
  return () =>
    void navigate({
      to: '/settings/{-$section}',
      params: { section: 'worktrees' },
      search: { host: hostParam(link) },
    });
}

/** Asks whether to merge, or says what must be committed first. */
function MergeDialog({
  worktree,
  onMerge,
  onClose,
}: {
  readonly worktree: SessionWorktree;
  readonly onMerge: () => void;
  readonly onClose: () => void;
}) {
  const { show } = usePanel();
  const { uncommittedChanges = 0 } = worktree;
  const isBlocked = uncommittedChanges > 0;
  const act = (): void => {
    onClose();
    if (isBlocked) show({ panel: 'changes', changes: 'uncommitted', file: undefined, line: undefined });
    else onMerge();
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={workspaceText.worktrees.mergeTitle(
        visibleText(worktree.branch ?? workspaceText.worktrees.noBranch),
        baseName(worktree.base),
      )}
      description={
        isBlocked
          ? workspaceText.worktrees.mergeUncommitted(uncommittedChanges)
          : workspaceText.worktrees.mergeText
      }
      footer={
        <>
          <Button onClick={onClose}>{text.ui.cancel}</Button>
          <Button look="primary" onClick={act}>
            {isBlocked ? workspaceText.worktrees.showUncommitted : workspaceText.worktrees.mergeShort}
          </Button>
        </>
      }
    />
  );
}

function StaysDialog({ link, onClose }: { readonly link: HostLink; readonly onClose: () => void }) {
  const showAll = useShowAll(link);
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={workspaceText.worktrees.stays}
      description={workspaceText.worktrees.staysText}
      footer={
        <>
          <Button onClick={onClose}>{text.ui.close}</Button>
          <Button look="primary" onClick={showAll}>
            {workspaceText.worktrees.manage}
          </Button>
        </>
      }
    />
  );
}

/** Why an operation was refused, until the person closes it. */
function Refusal({ reason, onClose }: { readonly reason: string; readonly onClose: () => void }) {
  return (
    <div role="alert" className="flex items-start gap-1.5 rounded-lg bg-danger-soft px-2 py-1.5 text-text">
      <CircleAlert className="mt-px size-3.5 shrink-0 text-danger" aria-hidden />
      <p className="min-w-0 flex-1 wrap-anywhere">
        {workspaceText.worktrees.refused}: <SafeText>{reason}</SafeText>
      </p>
      <IconButton size="small" className="size-5" label={workspaceText.worktrees.dismiss} onClick={onClose}>
        <X className="size-3.5" aria-hidden />
      </IconButton>
    </div>
  );
}
