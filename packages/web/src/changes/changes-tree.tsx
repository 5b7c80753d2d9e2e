import { Check, ChevronDown, ChevronRight, Users } from 'lucide-react';
import { useMemo, useState } from 'react';
import { DiffCounts } from '../chat/diff/diff-counts.tsx';
import { visibleText } from '../text/visible-text.ts';
import { workspaceText } from '../text/workspace-text.ts';
import { classes } from '../ui/class-names.ts';
import { SafeText } from '../ui/safe-text.tsx';
import { moveInTree } from '../ui/tree-keys.ts';
import { VirtualList } from '../ui/virtual-list.tsx';
import type { ChangedFile, FileStatus } from './file-status.ts';
import { type TreeRow, treeRows } from './file-tree.ts';

/** Height of a row in pixels. */
const ROW_PX = 32;
const INDENT_REM = 0.75;

interface ChangesTreeProps {
  readonly files: readonly ChangedFile[];
  /** Id of the shown file. */
  readonly shown: string | undefined;
  readonly onOpen: (file: ChangedFile) => void;
  /** Numbers of open comments, by URI of the file. */
  readonly commentCounts: ReadonlyMap<string, number>;
}

/** The changed files as a tree of folders. */
export function ChangesTree({ files, shown, onOpen, commentCounts }: ChangesTreeProps) {
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const rows = useMemo(() => treeRows(files, closed), [files, closed]);
  const toggle = (path: string): void =>
    setClosed((before) => {
      const next = new Set(before);
      if (!next.delete(path)) next.add(path);
      return next;
    });
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- moves the focus among the buttons inside
    <div className="flex min-h-0 flex-1 flex-col" onKeyDown={moveInTree}>
      <VirtualList
        label={workspaceText.changes.files}
        items={rows}
        keyOf={(row) => (row.kind === 'folder' ? `folder ${row.path}` : row.file.id)}
        estimate={() => ROW_PX}
        className="min-h-0 flex-1 py-1"
      >
        {(row) =>
          row.kind === 'folder' ? (
            <FolderRow row={row} onToggle={() => toggle(row.path)} />
          ) : (
            <FileRow
              row={row}
              isShown={row.file.id === shown}
              commentCount={commentCounts.get(row.file.uri) ?? 0}
              onOpen={() => onOpen(row.file)}
            />
          )
        }
      </VirtualList>
    </div>
  );
}

const ROW =
  'flex h-8 w-full items-center gap-1.5 px-2 text-start text-sm hover:bg-hover focus-visible:-outline-offset-2 touch:h-11';

const indent = (depth: number) => ({ paddingInlineStart: `${0.5 + depth * INDENT_REM}rem` });

function FolderRow({
  row,
  onToggle,
}: {
  readonly row: Extract<TreeRow, { kind: 'folder' }>;
  readonly onToggle: () => void;
}) {
  const Icon = row.isOpen ? ChevronDown : ChevronRight;
  return (
    <button
      type="button"
      data-tree
      aria-expanded={row.isOpen}
      style={indent(row.depth)}
      className={classes(ROW, 'text-muted')}
      onClick={onToggle}
    >
      <Icon className="size-3.5 shrink-0 rtl:-scale-x-100" aria-hidden />
      <SafeText className="min-w-0 flex-1 truncate">{row.name}</SafeText>
      {!row.isOpen && (
        <span className="text-xs text-faint">{workspaceText.changes.fileCount(row.fileCount)}</span>
      )}
    </button>
  );
}

const COLORS: Readonly<Record<FileStatus, string>> = {
  added: 'text-ok',
  deleted: 'text-danger',
  renamed: 'text-accent',
  changed: 'text-warn',
};

interface FileRowProps {
  readonly row: Extract<TreeRow, { kind: 'file' }>;
  readonly isShown: boolean;
  readonly commentCount: number;
  readonly onOpen: () => void;
}

function FileRow({ row, isShown, commentCount, onOpen }: FileRowProps) {
  const { file } = row;
  const { diff } = file.file.edit;
  return (
    <button
      type="button"
      data-tree
      aria-current={isShown ? 'true' : undefined}
      title={visibleText(file.path)}
      style={indent(row.depth + 1)}
      className={classes(ROW, isShown && 'bg-accent-soft')}
      onClick={onOpen}
    >
      <StatusLetter status={file.status} />
      <SafeText className={classes('min-w-0 flex-1 truncate', file.status === 'deleted' && 'line-through')}>
        {row.name}
      </SafeText>
      {file.staged !== undefined && (
        <span className="rounded bg-ok-soft px-1 text-[0.6875rem] text-ok">
          {workspaceText.changes.staged[file.staged]}
        </span>
      )}
      {file.isShared && (
        <span role="img" aria-label={workspaceText.changes.isShared} title={workspaceText.changes.isShared}>
          <Users className="size-3.5 text-muted" aria-hidden />
        </span>
      )}
      {commentCount > 0 && (
        <span
          className="min-w-4 rounded-full bg-accent px-1 text-center text-[0.6875rem] leading-4 text-on-accent"
          aria-label={workspaceText.comments.openCount(commentCount)}
          role="img"
        >
          {commentCount}
        </span>
      )}
      <span className="flex shrink-0 gap-1 text-xs">
        <DiffCounts added={diff?.added} removed={diff?.removed} />
      </span>
      {file.file.reviewed === true && (
        <span role="img" aria-label={workspaceText.changes.reviewed}>
          <Check className="size-3.5 text-ok" aria-hidden />
        </span>
      )}
    </button>
  );
}

/** The first letter of what happened to a file. */
export function StatusLetter({ status }: { readonly status: FileStatus }) {
  return (
    <span
      role="img"
      aria-label={workspaceText.changes.status[status]}
      title={workspaceText.changes.status[status]}
      className={classes('w-3.5 shrink-0 text-center font-mono text-xs font-semibold', COLORS[status])}
    >
      {workspaceText.changes.statusLetter[status]}
    </span>
  );
}
