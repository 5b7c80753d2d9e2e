import type { SessionHandle } from '@agenthost/client';
import type { URI } from '@agenthost/protocol';
import { FolderX } from 'lucide-react';
import { useState } from 'react';
import { relativePath } from '../changes/file-status.ts';
import type { HostLink } from '../live/host-link.ts';
import { useSelected } from '../live/use-live.ts';
import { baseName, pathOf } from '../text/file-path.ts';
import { visibleText } from '../text/visible-text.ts';
import { workspaceText } from '../text/workspace-text.ts';
import { Select } from '../ui/field.tsx';
import { EmptyState } from '../ui/states.tsx';
import { usePanel } from '../workspace/use-panel.ts';
import { FileView } from './file-view.tsx';
import { FolderTree } from './folder-tree.tsx';

/** From this width on, in pixels, the tree stands beside the file. */
const WIDE_PX = 760;

interface FilesPanelProps {
  readonly link: HostLink;
  readonly session: SessionHandle;
  readonly widthPx: number;
}

const NO_FOLDERS: readonly URI[] = [];

/** The working directories of a session, and a file of them. */
export function FilesPanel({ link, session, widthPx }: FilesPanelProps) {
  const { file, line, show } = usePanel();
  const folders = useSelected(session.mirror, (state) => state.workingDirectories) ?? NO_FOLDERS;
  const [chosen, setChosen] = useState<URI | undefined>(undefined);
  const root = folders.find((folder) => folder === chosen) ?? folders[0];
  if (root === undefined)
    return (
      <EmptyState icon={<FolderX className="size-6" aria-hidden />} title={workspaceText.files.noFolderTitle}>
        {workspaceText.files.noFolder}
      </EmptyState>
    );
  const isWide = widthPx >= WIDE_PX;
  const tree = (
    <>
      {folders.length > 1 && (
        <Select
          className="m-2 w-auto"
          aria-label={workspaceText.files.tree}
          value={root}
          onChange={({ target }) => setChosen(target.value)}
        >
          {folders.map((folder) => (
            <option key={folder} value={folder}>
              {visibleText(baseName(pathOf(folder)))}
            </option>
          ))}
        </Select>
      )}
      <FolderTree
        key={root}
        link={link}
        root={root.replace(/(?<!:\/\/)\/+$/, '')}
        shown={file}
        onOpen={(uri) => show({ file: uri, line: undefined }, { replace: isWide && file !== undefined })}
      />
    </>
  );
  const number = line === undefined ? Number.NaN : Number(line);
  const view = file !== undefined && (
    <FileView
      key={file}
      link={link}
      uri={file}
      path={relativePath(file, root)}
      line={Number.isSafeInteger(number) && number > 0 ? number : undefined}
      onBack={isWide ? undefined : () => show({ file: undefined, line: undefined })}
    />
  );
  if (!isWide) return view || tree;
  return (
    <div className="flex min-h-0 flex-1">
      <div className="flex w-68 shrink-0 flex-col border-e border-line">{tree}</div>
      {view}
    </div>
  );
}
