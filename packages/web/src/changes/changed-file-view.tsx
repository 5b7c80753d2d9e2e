import type { ChangesetHandle } from '@agenthost/client';
import type { URI } from '@agenthost/protocol';
import {
  ArrowLeft,
  ChevronDown,
  ChevronLeft,
  ChevronRight,
  ChevronUp,
  Columns2,
  Ellipsis,
} from 'lucide-react';
import { useRef } from 'react';
import { DiffCounts } from '../chat/diff/diff-counts.tsx';
import { splitSetting } from '../chat/diff/split-setting.ts';
import { reportOutcome } from '../chat/report-outcome.ts';
import type { HostLink } from '../live/host-link.ts';
import { useSetting } from '../live/setting.ts';
import { useAction } from '../palette/actions.ts';
import { visibleText } from '../text/visible-text.ts';
import { workspaceText } from '../text/workspace-text.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { classes } from '../ui/class-names.ts';
import { Menu, type MenuEntry } from '../ui/menu.tsx';
import { SafeText } from '../ui/safe-text.tsx';
import { whitespaceSetting, wrapSetting } from './changes-settings.ts';
import { StatusLetter } from './changes-tree.tsx';
import type { DiffListHandle } from './diff/diff-list.tsx';
import type { LineSpan } from './diff/diff-rows.ts';
import { FileDiff } from './file-diff.tsx';
import type { ChangedFile } from './file-status.ts';
import { type RevertTarget, runOperation } from './run-operation.ts';

interface ChangedFileViewProps {
  readonly link: HostLink;
  readonly changeset: ChangesetHandle;
  readonly file: ChangedFile;
  /** Whether there is room for two columns. */
  readonly isWide: boolean;
  readonly mayAct: boolean;
  readonly origin: { readonly chat: URI; readonly turnId: string } | undefined;
  readonly startsAtEnd: boolean;
  /** Absent: the tree is beside it. */
  readonly onBack: (() => void) | undefined;
  /** Shows the next (1) or previous (-1) file. Absent: there is none. */
  readonly onNext: (() => void) | undefined;
  readonly onPrevious: (() => void) | undefined;
  readonly onRevert: (target: RevertTarget) => void;
  readonly onOpenFile: (uri: URI) => void;
}

/** A changed file: its facts, actions, and the diff. */
export function ChangedFileView(props: ChangedFileViewProps) {
  const { link, changeset, file, isWide, mayAct, origin, onRevert } = props;
  const [isSplit, setSplit] = useSetting(splitSetting);
  const diff = useRef<DiffListHandle>(null);
  const next = (): void => {
    if (diff.current?.moveHunk(1) !== true) props.onNext?.();
  };
  const previous = (): void => {
    if (diff.current?.moveHunk(-1) !== true) props.onPrevious?.();
  };
  useAction({ id: 'changes.nextHunk', label: workspaceText.changes.nextHunk, keys: 'j', run: next });
  useAction({
    id: 'changes.previousHunk',
    label: workspaceText.changes.previousHunk,
    keys: 'k',
    run: previous,
  });
  const canRevert = mayAct && changeset.operation('revert') !== undefined;
  const revertLines = (span: LineSpan, kind: 'hunk' | 'lines'): void =>
    onRevert({
      kind,
      file: file.file,
      lines: { first: span.from - 1, last: span.to - 1, side: span.side },
    });
  return (
    <section aria-label={visibleText(file.path)} className="flex min-h-0 min-w-0 flex-1 flex-col">
      <header className="flex min-h-10 flex-wrap items-center gap-1 border-b border-line bg-canvas px-1.5 py-0.5">
        {props.onBack !== undefined && (
          <IconButton size="small" label={workspaceText.changes.back} onClick={props.onBack}>
            <ArrowLeft className="size-4 rtl:-scale-x-100" aria-hidden />
          </IconButton>
        )}
        <StatusLetter status={file.status} />
        <FileFacts file={file} />
        <span className="flex items-center">
          <IconButton size="small" label={workspaceText.changes.previousHunk} onClick={previous}>
            <ChevronUp className="size-4" aria-hidden />
          </IconButton>
          <IconButton size="small" label={workspaceText.changes.nextHunk} onClick={next}>
            <ChevronDown className="size-4" aria-hidden />
          </IconButton>
          {props.onBack !== undefined && (
            <>
              <IconButton
                size="small"
                label={workspaceText.changes.previousFile}
                disabled={props.onPrevious === undefined}
                onClick={props.onPrevious}
              >
                <ChevronLeft className="size-4 rtl:-scale-x-100" aria-hidden />
              </IconButton>
              <IconButton
                size="small"
                label={workspaceText.changes.nextFile}
                disabled={props.onNext === undefined}
                onClick={props.onNext}
              >
                <ChevronRight className="size-4 rtl:-scale-x-100" aria-hidden />
              </IconButton>
            </>
          )}
          {isWide && (
            <IconButton
              size="small"
              label={workspaceText.changes.layout}
              aria-pressed={isSplit}
              onClick={() => setSplit(!isSplit)}
            >
              <Columns2 className={classes('size-4', isSplit && 'text-accent')} aria-hidden />
            </IconButton>
          )}
          {mayAct && <StageButton changeset={changeset} file={file} />}
          {mayAct && file.file.reviewed !== undefined && (
            <label className="flex h-7 items-center gap-1.5 rounded-lg px-2 text-xs hover:bg-hover touch:h-10">
              <input
                type="checkbox"
                className="size-4 accent-(--c-accent)"
                checked={file.file.reviewed}
                onChange={({ target }) =>
                  void reportOutcome(
                    workspaceText.changes.reviewed,
                    changeset.markReviewed([file.file], target.checked),
                  )
                }
              />
              {workspaceText.changes.reviewed}
            </label>
          )}
          <FileMenu {...props} canRevert={canRevert} />
        </span>
      </header>
      <FileDiff
        key={file.id}
        link={link}
        changeset={changeset}
        file={file}
        layout={isSplit && isWide ? 'split' : 'unified'}
        origin={origin}
        onRevert={canRevert ? revertLines : undefined}
        handle={diff}
        startsAtEnd={props.startsAtEnd}
      />
    </section>
  );
}

function FileFacts({ file }: { readonly file: ChangedFile }) {
  const { diff } = file.file.edit;
  return (
    <span className="flex min-w-32 flex-1 flex-wrap items-baseline gap-x-2 overflow-hidden text-xs">
      <span className="max-w-full truncate font-mono" dir="auto" title={visibleText(file.path)}>
        <SafeText>{file.path}</SafeText>
      </span>
      <span className="flex gap-1">
        <DiffCounts added={diff?.added} removed={diff?.removed} />
      </span>
      {file.from !== undefined && (
        <span className="truncate text-muted" title={visibleText(file.from)}>
          {workspaceText.changes.renamedFrom(visibleText(file.from))}
        </span>
      )}
      {file.modes !== undefined && (
        <span className="text-muted">{workspaceText.changes.mode(file.modes.before, file.modes.after)}</span>
      )}
    </span>
  );
}

function StageButton({
  changeset,
  file,
}: {
  readonly changeset: ChangesetHandle;
  readonly file: ChangedFile;
}) {
  const stage = changeset.operation('stage');
  const unstage = changeset.operation('unstage');
  const operation = file.staged === 'all' ? unstage : stage;
  if (operation === undefined || !operation.scopes.includes('resource')) return undefined;
  return (
    <Button
      size="small"
      className="h-7"
      disabled={operation.status === 'running' || operation.status === 'disabled'}
      onClick={() =>
        void runOperation(operation.label, () =>
          changeset.invoke(operation.id, { target: { kind: 'resource', resource: file.id } }),
        )
      }
    >
      {visibleText(operation.label)}
    </Button>
  );
}

function FileMenu({
  file,
  onRevert,
  onOpenFile,
  canRevert,
}: ChangedFileViewProps & { readonly canRevert: boolean }) {
  const [ignoresWhitespace, setIgnoresWhitespace] = useSetting(whitespaceSetting);
  const [isWrapped, setWrapped] = useSetting(wrapSetting);
  const entries: MenuEntry[] = [
    {
      label: workspaceText.changes.whitespace,
      isChosen: ignoresWhitespace,
      onSelect: () => setIgnoresWhitespace(!ignoresWhitespace),
    },
    { label: workspaceText.changes.wrap, isChosen: isWrapped, onSelect: () => setWrapped(!isWrapped) },
    ...(file.status === 'deleted'
      ? []
      : [
          'separator' as const,
          { label: workspaceText.changes.openFile, onSelect: () => onOpenFile(file.uri) },
        ]),
    ...(canRevert
      ? [
          'separator' as const,
          {
            label: workspaceText.changes.revertFile,
            isDangerous: true,
            onSelect: () => onRevert({ kind: 'file', file: file.file }),
          },
        ]
      : []),
  ];
  return (
    <Menu entries={entries}>
      <IconButton size="small" label={workspaceText.changes.options}>
        <Ellipsis className="size-4" aria-hidden />
      </IconButton>
    </Menu>
  );
}
