import type { URI } from '@agenthost/protocol';
import { ChevronDown, ChevronRight, CornerDownRight, File, RefreshCw } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import type { HostLink } from '../live/host-link.ts';
import { useSetting } from '../live/setting.ts';
import { visibleText } from '../text/visible-text.ts';
import { workspaceText } from '../text/workspace-text.ts';
import { IconButton } from '../ui/button.tsx';
import { classes } from '../ui/class-names.ts';
import { Switch } from '../ui/field.tsx';
import { SafeText } from '../ui/safe-text.tsx';
import { Spinner } from '../ui/states.tsx';
import { moveInTree } from '../ui/tree-keys.ts';
import { VirtualList } from '../ui/virtual-list.tsx';
import { hiddenSetting, ignoredSetting } from './files-settings.ts';
import { type FolderRow, folderRows } from './folder-rows.ts';
import { useFolderTree } from './use-folder-tree.ts';

/** Height of a row in pixels. */
const ROW_PX = 28;
const INDENT_REM = 0.875;

interface FolderTreeProps {
  readonly link: HostLink;
  readonly root: URI;
  readonly shown: URI | undefined;
  readonly onOpen: (file: URI) => void;
}

/** The open folders of each tree, so that they are still open when the person comes back. */
const openFolders = new Map<URI, ReadonlySet<URI>>();

/** The working directory as a tree whose folders are read when they are opened. */
export function FolderTree({ link, root, shown, onOpen }: FolderTreeProps) {
  const [open, setOpen] = useState<ReadonlySet<URI>>(openFolders.get(root) ?? new Set());
  const [isHiddenShown, setHiddenShown] = useSetting(hiddenSetting);
  const [isIgnoredShown, setIgnoredShown] = useSetting(ignoredSetting);
  useEffect(() => {
    openFolders.set(root, open);
  }, [root, open]);
  useEffect(() => {
    // The folders above the shown file are open.
    if (shown === undefined || !shown.startsWith(`${root}/`)) return;
    const above: URI[] = [];
    for (let at = shown.lastIndexOf('/'); at > root.length; at = shown.lastIndexOf('/', at - 1))
      above.push(shown.slice(0, at));
    setOpen((before) => (above.every((uri) => before.has(uri)) ? before : new Set([...before, ...above])));
  }, [root, shown]);
  const { read, isWatched, reload } = useFolderTree(link, root, open);
  const rows = useMemo(
    () => folderRows(root, { read, open, isHiddenShown, isIgnoredShown }),
    [root, read, open, isHiddenShown, isIgnoredShown],
  );
  const toggle = (uri: URI): void =>
    setOpen((before) => {
      const next = new Set(before);
      if (!next.delete(uri)) next.add(uri);
      return next;
    });
  return (
    <>
      <div className="flex items-center gap-2 border-b border-line px-3 py-1 text-xs text-muted">
        <Switch aria-label={workspaceText.files.showHidden} isOn={isHiddenShown} onChange={setHiddenShown} />
        <span aria-hidden>{workspaceText.files.hidden}</span>
        <Switch
          aria-label={workspaceText.files.showIgnored}
          isOn={isIgnoredShown}
          onChange={setIgnoredShown}
        />
        <span aria-hidden className="min-w-0 truncate">
          {workspaceText.files.ignored}
        </span>
        {!isWatched && <span className="truncate">{workspaceText.files.notWatched}</span>}
        <IconButton size="small" className="ms-auto" label={workspaceText.files.reload} onClick={reload}>
          <RefreshCw className="size-3.5" aria-hidden />
        </IconButton>
      </div>
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- moves the focus among the buttons inside */}
      <div className="flex min-h-0 flex-1 flex-col" onKeyDown={moveInTree}>
        <VirtualList
          label={workspaceText.files.tree}
          items={rows}
          keyOf={(row) => row.key}
          estimate={() => ROW_PX}
          className="min-h-0 flex-1 py-1"
        >
          {(row) => (
            <Row
              row={row}
              isShown={row.kind === 'entry' && row.uri === shown}
              onSelect={(entry) => (entry.isFolder ? toggle(entry.uri) : onOpen(entry.uri))}
            />
          )}
        </VirtualList>
      </div>
    </>
  );
}

type Entry = Extract<FolderRow, { kind: 'entry' }>;

interface RowProps {
  readonly row: FolderRow;
  readonly isShown: boolean;
  readonly onSelect: (entry: Entry) => void;
}

const indent = (depth: number) => ({ paddingInlineStart: `${0.5 + depth * INDENT_REM}rem` });

function Row({ row, isShown, onSelect }: RowProps) {
  if (row.kind === 'note')
    return (
      <p className="py-1 text-xs text-muted" style={indent(row.depth + 1)}>
        {row.note === 'reading' ? (
          <Spinner />
        ) : row.note === 'empty' ? (
          workspaceText.files.emptyFolder
        ) : row.note === 'more' ? (
          workspaceText.files.moreEntries
        ) : (
          <span role="alert" className="text-danger">
            {workspaceText.files.folderFailed(visibleText(row.note.reason))}
          </span>
        )}
      </p>
    );
  const Icon = !row.isFolder ? File : row.isOpen ? ChevronDown : ChevronRight;
  return (
    <button
      type="button"
      data-tree
      {...(row.isFolder ? { 'aria-expanded': row.isOpen } : {})}
      aria-current={isShown ? 'true' : undefined}
      title={visibleText(row.name)}
      style={indent(row.depth)}
      className={classes(
        'flex h-7 w-full items-center gap-1.5 pe-2 text-start text-sm hover:bg-hover focus-visible:-outline-offset-2 touch:h-11',
        isShown && 'bg-accent-soft',
        row.isIgnored && 'text-muted',
      )}
      onClick={() => onSelect(row)}
    >
      <Icon className="size-3.5 shrink-0 text-muted rtl:-scale-x-100" aria-hidden />
      <SafeText className="min-w-0 truncate">{row.name}</SafeText>
      {row.isLink && (
        <span role="img" aria-label={workspaceText.files.link} title={workspaceText.files.link}>
          <CornerDownRight className="size-3 text-muted" aria-hidden />
        </span>
      )}
    </button>
  );
}
