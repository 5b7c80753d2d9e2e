import type { ChangesetHandle, SessionHandle } from '@agenthost/client';
import { type ChangesetOperation, type SessionGit, sessionGit } from '@agenthost/protocol';
import { ArrowDown, ArrowUp, CircleAlert, Ellipsis, GitBranch, X } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useSelected } from '../../live/use-live.ts';
import { visibleText } from '../../text/visible-text.ts';
import { workspaceText } from '../../text/workspace-text.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Menu } from '../../ui/menu.tsx';
import { SafeText } from '../../ui/safe-text.tsx';
import { Spinner } from '../../ui/states.tsx';
import { type InputValues, OperationDialog } from '../operation-form.tsx';
import { runOperation } from '../run-operation.ts';
import { CommitBox } from './commit-box.tsx';

/** Operations that have a place of their own. */
const PLACED = new Set(['revert', 'undo', 'restore', 'mark-reviewed', 'mark-unreviewed', 'commit']);
/** Operations with a button; the others are in the menu. */
const BUTTONS = new Set(['push', 'pull', 'fetch']);

interface GitBarProps {
  readonly session: SessionHandle;
  readonly changeset: ChangesetHandle;
  readonly operations: readonly ChangesetOperation[];
}

/** The branch, the operations of git, and the commit message. */
export function GitBar({ session, changeset, operations }: GitBarProps) {
  const meta = useSelected(session.mirror, (state) => state._meta);
  const git = useMemo(() => sessionGit(meta === undefined ? {} : { _meta: meta }), [meta]);
  const [asked, setAsked] = useState<ChangesetOperation | undefined>(undefined);
  const offered = operations.filter(({ id, scopes }) => !PLACED.has(id) && scopes.includes('changeset'));
  const commit = operations.find(({ id }) => id === 'commit');
  if (offered.length === 0 && commit === undefined && git === undefined) return undefined;
  const run = (operation: ChangesetOperation, input: InputValues = {}): void =>
    void runOperation(operation.label, () => changeset.invoke(operation.id, { input }));
  const choose = (operation: ChangesetOperation): void => {
    const needsDialog = operation.confirmation !== undefined || (operation['x-inputs'] ?? []).length > 0;
    if (needsDialog) setAsked(operation);
    else run(operation);
  };
  const failed = operations.filter(({ id, status }) => status === 'error' && !PLACED.has(id));
  const running = operations.find(({ status }) => status === 'running');
  return (
    <section
      aria-label={workspaceText.changes.git}
      className="flex flex-col gap-2 border-b border-line px-3 py-2"
    >
      <div className="flex flex-wrap items-center gap-2 text-sm">
        <GitState git={git} />
        <span className="ms-auto flex items-center gap-1.5">
          {running !== undefined && (
            <span className="flex items-center gap-1.5 text-xs text-muted">
              <Spinner label={workspaceText.changes.running(running.label)} />
              <span aria-hidden>{workspaceText.changes.running(visibleText(running.label))}</span>
            </span>
          )}
          {offered
            .filter(({ id }) => BUTTONS.has(id))
            .map((operation) => (
              <Button
                key={operation.id}
                size="small"
                disabled={isBusy(operation)}
                title={operation.description}
                onClick={() => choose(operation)}
              >
                {visibleText(operation.label)}
              </Button>
            ))}
          {offered.some(({ id }) => !BUTTONS.has(id)) && (
            <Menu
              entries={offered
                .filter(({ id }) => !BUTTONS.has(id))
                .map((operation) => ({
                  label: visibleText(operation.label),
                  isDisabled: isBusy(operation),
                  onSelect: () => choose(operation),
                }))}
            >
              <IconButton size="small" label={workspaceText.changes.gitActions}>
                <Ellipsis className="size-4" aria-hidden />
              </IconButton>
            </Menu>
          )}
        </span>
      </div>
      {failed.map((operation) => (
        <OperationError key={operation.id} operation={operation} />
      ))}
      {commit !== undefined && <CommitBox changeset={changeset} operation={commit} />}
      {asked !== undefined && (
        <OperationDialog
          operation={asked}
          onRun={(values) => run(asked, values)}
          onClose={() => setAsked(undefined)}
        />
      )}
    </section>
  );
}

const isBusy = ({ status }: ChangesetOperation): boolean => status === 'running' || status === 'disabled';

function GitState({ git }: { readonly git: SessionGit | undefined }) {
  if (git === undefined) return undefined;
  const { branchName, upstreamBranchName, outgoingChanges = 0, incomingChanges = 0, operation } = git;
  return (
    <span className="flex min-w-0 items-center gap-2 text-xs text-muted">
      <span
        className="flex min-w-0 items-center gap-1"
        title={upstreamBranchName === undefined ? undefined : visibleText(upstreamBranchName)}
      >
        <GitBranch className="size-3.5 shrink-0" aria-hidden />
        {branchName === undefined ? (
          workspaceText.changes.noBranch
        ) : (
          <>
            <span className="sr-only">{workspaceText.changes.branch}</span>
            <SafeText className="truncate font-mono">{branchName}</SafeText>
          </>
        )}
      </span>
      {outgoingChanges > 0 && (
        <span className="flex items-center" title={workspaceText.changes.ahead(outgoingChanges)}>
          <ArrowUp className="size-3.5" aria-hidden />
          <span aria-hidden>{outgoingChanges}</span>
          <span className="sr-only">{workspaceText.changes.ahead(outgoingChanges)}</span>
        </span>
      )}
      {incomingChanges > 0 && (
        <span className="flex items-center" title={workspaceText.changes.behind(incomingChanges)}>
          <ArrowDown className="size-3.5" aria-hidden />
          <span aria-hidden>{incomingChanges}</span>
          <span className="sr-only">{workspaceText.changes.behind(incomingChanges)}</span>
        </span>
      )}
      {operation !== undefined && (
        <span className="text-warn">{workspaceText.changes.inOperation(visibleText(operation))}</span>
      )}
    </span>
  );
}

/** Why an operation failed, until the person closes it. */
function OperationError({ operation }: { readonly operation: ChangesetOperation }) {
  const [closed, setClosed] = useState<unknown>(undefined);
  const { error, label } = operation;
  if (error === undefined || closed === error) return undefined;
  return (
    <div
      role="alert"
      className="flex items-start gap-2 rounded-lg bg-danger-soft px-2 py-1.5 text-xs text-danger"
    >
      <CircleAlert className="mt-0.5 size-3.5 shrink-0" aria-hidden />
      <p className="max-h-40 min-w-0 flex-1 overflow-y-auto wrap-anywhere whitespace-pre-wrap">
        {workspaceText.changes.failed(visibleText(label), visibleText(error.message))}
      </p>
      <IconButton size="small" label={workspaceText.changes.dismissError} onClick={() => setClosed(error)}>
        <X className="size-3.5" aria-hidden />
      </IconButton>
    </div>
  );
}
