import type { ChangesetHandle, ChatHandle, SessionHandle } from '@agenthost/client';
import type { URI } from '@agenthost/protocol';
import { GitCompare } from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';
import { DiffCounts } from '../chat/diff/diff-counts.tsx';
import { useComments } from '../comments/comment-scope.tsx';
import type { HostLink } from '../live/host-link.ts';
import { messageOf } from '../live/host-link.ts';
import { useSelected } from '../live/use-live.ts';
import { ConfirmDialog } from '../settings/confirm-dialog.tsx';
import { baseName } from '../text/file-path.ts';
import { visibleText } from '../text/visible-text.ts';
import { workspaceText } from '../text/workspace-text.ts';
import { TextInput } from '../ui/field.tsx';
import { EmptyState, FailedState, Spinner } from '../ui/states.tsx';
import type { ChangesKind } from '../workspace/panel-address.ts';
import { usePanel } from '../workspace/use-panel.ts';
import { WorktreeBar } from '../worktrees/worktree-bar.tsx';
import { ChangedFileView } from './changed-file-view.tsx';
import { chosenRange, type TurnRange, useChangesChoice } from './changes-choice.ts';
import { ChangesMenu } from './changes-menu.tsx';
import { ChangesSelect } from './changes-select.tsx';
import { ChangesTree } from './changes-tree.tsx';
import { type ChangedFile, changedFile } from './file-status.ts';
import { filesInOrder, matchingFiles } from './file-tree.ts';
import { BranchName } from './git/branch-name.tsx';
import { GitBar } from './git/git-bar.tsx';
import { leftOutText } from './left-out.ts';
import { type RevertTarget, revert } from './run-operation.ts';
import { TurnRangeFields } from './turn-range.tsx';
import { useChangeset } from './use-changeset.ts';

/** From this width on, in pixels, the tree stands beside the diff. */
const WIDE_PX = 760;

interface ChangesPanelProps {
  readonly link: HostLink;
  readonly session: SessionHandle;
  readonly chat: ChatHandle;
  readonly mayAct: boolean;
  /** URI of the first working directory. */
  readonly root: URI | undefined;
  readonly widthPx: number;
}

/** The changed files of a session, of a chat, or of a turn. */
export function ChangesPanel(props: ChangesPanelProps) {
  const { session, chat } = props;
  const { changes, of, after, show } = usePanel();
  const choice = useChangesChoice(session, chat);
  const kind =
    choice.kinds.find((each) => each === changes) ??
    (choice.kinds.includes('session') ? 'session' : choice.kinds[0]);
  if (kind === undefined)
    return (
      <EmptyState
        icon={<GitCompare className="size-6" aria-hidden />}
        title={workspaceText.changes.noneYetTitle}
      >
        {workspaceText.changes.noneYet}
      </EmptyState>
    );
  const turnId = kind === 'turn' ? (of ?? choice.turns[0]?.id) : undefined;
  const range = kind === 'turns' ? chosenRange(choice.turns, { after, to: of }) : undefined;
  const select = (
    <ChangesSelect
      choice={choice}
      kind={kind}
      turnId={kind === 'turn' ? of : undefined}
      onChange={(next, turn) =>
        show({ changes: next, of: turn, after: undefined, file: undefined, line: undefined })
      }
    />
  );
  const rangeFields = range !== undefined && (
    <TurnRangeFields
      turns={choice.turns}
      range={range}
      onChange={({ after: before, to }) =>
        show({ changes: 'turns', after: before, of: to, file: undefined, line: undefined }, { replace: true })
      }
    />
  );
  return (
    <>
      <WorktreeBar link={props.link} session={session} mayAct={props.mayAct} />
      <OpenChanges
        key={`${kind} ${turnId} ${range?.after} ${range?.to}`}
        {...props}
        kind={kind}
        turnId={turnId}
        range={range}
        select={select}
        rangeFields={rangeFields}
      />
    </>
  );
}

interface OpenChangesProps extends ChangesPanelProps {
  readonly kind: ChangesKind;
  readonly turnId: string | undefined;
  /** For `turns`. */
  readonly range: TurnRange | undefined;
  readonly select: ReactNode;
  readonly rangeFields: ReactNode;
}

function OpenChanges(props: OpenChangesProps) {
  const { link, session, chat, kind, turnId, range, select, rangeFields } = props;
  const opened = useChangeset(link, { session, chat, kind, turnId, range });
  if (opened.state === 'open') return <Files {...props} changeset={opened.value} />;
  return (
    <>
      <div className="flex items-center gap-2 border-b border-line px-3 py-1.5">{select}</div>
      {rangeFields}
      {opened.state === 'failed' ? (
        <FailedState
          title={workspaceText.changes.failedTitle}
          reason={messageOf(opened.error)}
          onRetry={opened.retry}
        />
      ) : (
        <Computing />
      )}
    </>
  );
}

function Files(props: OpenChangesProps & { readonly changeset: ChangesetHandle }) {
  const { link, session, chat, kind, turnId, changeset, mayAct, root, widthPx, select, rangeFields } = props;
  const { file: shownUri, show } = usePanel();
  const {
    status,
    files: listed,
    operations = [],
    error,
    ...rest
  } = useSelected(changeset.mirror, (state) => state);
  const leftOut = leftOutText(rest['x-leftOut'], root);
  const files = useMemo(() => listed.map((file) => changedFile(file, root)), [listed, root]);
  const [filter, setFilter] = useState('');
  const matching = useMemo(() => matchingFiles(files, filter), [files, filter]);
  const ordered = useMemo(() => filesInOrder(files), [files]);
  const [asked, setAsked] = useState<RevertTarget | undefined>(undefined);
  const [startsAtEnd, setStartsAtEnd] = useState(false);
  const commentCounts = useCommentCounts();
  const isWide = widthPx >= WIDE_PX;
  const shown =
    ordered.find(({ id, uri }) => id === shownUri || uri === shownUri) ?? (isWide ? ordered[0] : undefined);
  const at = shown === undefined ? -1 : ordered.indexOf(shown);
  const open = (file: ChangedFile | undefined, fromEnd = false): void => {
    setStartsAtEnd(fromEnd);
    show({ file: file?.id, line: undefined }, { replace: isWide && shownUri !== undefined });
  };
  const neighbour = (step: 1 | -1) => {
    const file = ordered[at + step];
    return at === -1 || file === undefined ? undefined : () => open(file, step === -1);
  };
  const reviewedCount = files.filter(({ file }) => file.reviewed === true).length;
  const isReviewable = files.some(({ file }) => file.reviewed !== undefined);
  const tree = (
    <>
      <div className="flex flex-wrap items-center gap-2 px-3 py-1.5">
        <TextInput
          type="search"
          className="h-8 flex-1 py-0! touch:h-11"
          aria-label={workspaceText.changes.filter}
          placeholder={workspaceText.changes.filter}
          value={filter}
          onChange={({ target }) => setFilter(target.value)}
        />
      </div>
      {matching.length === 0 && filter !== '' ? (
        <p className="p-4 text-center text-sm text-muted">{workspaceText.changes.noMatch}</p>
      ) : (
        <ChangesTree files={matching} shown={shown?.id} onOpen={open} commentCounts={commentCounts} />
      )}
      {leftOut !== undefined && <p className="px-3 py-1.5 text-xs break-words text-muted">{leftOut}</p>}
    </>
  );
  const diff = shown !== undefined && (
    <ChangedFileView
      link={link}
      changeset={changeset}
      file={shown}
      isWide={widthPx >= WIDE_PX}
      mayAct={mayAct}
      origin={kind === 'turn' && turnId !== undefined ? { chat: chat.mirror.uri, turnId } : undefined}
      startsAtEnd={startsAtEnd}
      onBack={isWide ? undefined : () => open(undefined)}
      onNext={neighbour(1)}
      onPrevious={neighbour(-1)}
      onRevert={setAsked}
      onOpenFile={(uri) => show({ panel: 'files', file: uri, line: undefined })}
    />
  );
  const sum = (count: 'added' | 'removed'): number =>
    files.reduce((total, { file }) => total + (file.edit.diff?.[count] ?? 0), 0);
  const isListShown = isWide || shown === undefined;
  return (
    <>
      {isListShown && (
        <>
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-3 py-1.5 text-sm">
            {select}
            {kind === 'branch' && <BranchName session={session} />}
            <span className="flex items-center gap-1.5 text-xs text-muted max-sm:order-last max-sm:basis-full">
              {(status !== 'computing' || files.length > 0) && workspaceText.changes.fileCount(files.length)}
              <DiffCounts added={sum('added')} removed={sum('removed')} />
              {isReviewable && files.length > 0 && (
                <span>{workspaceText.changes.reviewedCount(reviewedCount, files.length)}</span>
              )}
            </span>
            <span className="ms-auto flex items-center gap-1">
              {status === 'recomputing' && <Spinner label={workspaceText.changes.recomputing} />}
              {mayAct && (
                <ChangesMenu
                  changeset={changeset}
                  operations={operations}
                  isReviewable={isReviewable}
                  onRevertAll={() => setAsked({ kind: 'all' })}
                />
              )}
            </span>
          </div>
          {rangeFields}
          {kind === 'uncommitted' && mayAct && (
            <GitBar session={session} changeset={changeset} operations={operations} />
          )}
        </>
      )}
      {status === 'error' && error !== undefined ? (
        <FailedState title={workspaceText.changes.failedTitle} reason={error.message} />
      ) : files.length === 0 ? (
        status === 'computing' ? (
          <Computing />
        ) : (
          <EmptyState
            icon={<GitCompare className="size-6" aria-hidden />}
            title={workspaceText.changes.emptyTitle}
          >
            {leftOut ?? workspaceText.changes.empty[kind]}
          </EmptyState>
        )
      ) : isWide ? (
        <div className="flex min-h-0 flex-1">
          <div className="flex w-68 shrink-0 flex-col border-e border-line">{tree}</div>
          {diff}
        </div>
      ) : (
        diff || tree
      )}
      {asked !== undefined && (
        <ConfirmDialog
          title={questionOf(asked)}
          action={workspaceText.changes.confirm}
          onConfirm={() => void revert(changeset, asked)}
          onClose={() => setAsked(undefined)}
        >
          {workspaceText.changes.confirmRevertText}
        </ConfirmDialog>
      )}
    </>
  );
}

function Computing() {
  return (
    <p className="flex items-center gap-2 p-4 text-sm text-muted">
      <Spinner label={workspaceText.changes.computing} />
      <span aria-hidden>{workspaceText.changes.computing}</span>
    </p>
  );
}

function questionOf(target: RevertTarget): string {
  if (target.kind === 'all') return workspaceText.changes.confirmRevert.all;
  const uri = target.file.edit.after?.uri ?? target.file.id;
  return workspaceText.changes.confirmRevert[target.kind](visibleText(baseName(uri)));
}

/** Numbers of open comments, by URI of the file. */
function useCommentCounts(): ReadonlyMap<string, number> {
  const { all } = useComments();
  return useMemo(() => {
    const counts = new Map<string, number>();
    for (const { resource, resolved } of all)
      if (!resolved) counts.set(resource, (counts.get(resource) ?? 0) + 1);
    return counts;
  }, [all]);
}
