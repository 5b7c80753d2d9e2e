import { inFolder } from '@agenthost/client';
import { CornerLeftUp, FolderGit2, Folder as FolderIcon, History } from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { type HostLink, messageOf } from '../../live/host-link.ts';
import { pathOf, uriOf } from '../../text/file-path.ts';
import { text } from '../../text/text.ts';
import { visibleText } from '../../text/visible-text.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Switch, TextInput } from '../../ui/field.tsx';
import { SafeText } from '../../ui/safe-text.tsx';
import { Spinner } from '../../ui/states.tsx';
import { useAllSessions } from '../all-sessions.ts';
import { Breadcrumb } from './breadcrumb.tsx';
import { NewFolder } from './new-folder.tsx';
import { parentPath } from './path-completion.ts';
import { useFolder } from './use-folder-names.ts';

/** Name of the folder by which a repository is known. */
const REPOSITORY = '.git';

/** A field with the focus opens the keyboard of a phone, which covers the list. */
const IS_TOUCH = matchMedia('(pointer: coarse)').matches;

/** Recent folders that are shown at once. */
const MOST_RECENT = 5;

interface FolderDialogProps {
  readonly link: HostLink;
  /** Where to begin; empty: the host's default folder. */
  readonly startPath: string;
  readonly recent: readonly string[];
  readonly onPick: (path: string) => void;
  readonly onClose: () => void;
}

/** A dialog that walks through the folders of a host. */
export function FolderDialog({ link, startPath, recent, onPick, onClose }: FolderDialogProps) {
  const [uri, setUri] = useState(uriOf(startPath) ?? '');
  const hasMoved = useRef(false);
  const [filter, setFilter] = useState('');
  const [isHiddenShown, setHiddenShown] = useState(false);
  const [version, setVersion] = useState(0);
  const listing = useFolder(link, uri, version);
  const folder = listing.state === 'read' ? listing.folder : undefined;
  const hasFailed = listing.state === 'failed';
  useEffect(() => {
    // A typed path may not exist yet: the dialog begins at the nearest folder above.
    if (hasFailed && !hasMoved.current) setUri((before) => uriOf(parentPath(pathOf(before)) ?? '') ?? before);
  }, [hasFailed]);
  const at = folder?.uri ?? uri;
  const repositories = useRepositories(link);
  const open = (next: string): void => {
    hasMoved.current = true;
    setUri(next);
    setFilter('');
  };
  const folders = folder?.entries.filter(
    ({ isFolder, name }) => isFolder && (isHiddenShown || !name.startsWith('.')),
  );
  const shown = folders?.filter(({ name }) => name.toLowerCase().includes(filter.toLowerCase()));
  const isRepository = folder?.entries.some(({ name }) => name === REPOSITORY) === true;
  return (
    <Dialog
      isOpen
      size="large"
      onClose={onClose}
      title={text.newSession.pickTitle}
      footer={
        <>
          <NewFolder
            isDisabled={folder === undefined}
            onCreate={async (name) => {
              await link.client?.makeFolder(inFolder(at, name));
              setVersion((before) => before + 1);
              open(inFolder(at, name));
            }}
          />
          <Button className="max-sm:hidden" onClick={onClose}>
            {text.ui.cancel}
          </Button>
          <Button look="primary" disabled={folder === undefined} onClick={() => onPick(pathOf(at))}>
            {text.newSession.pickHere}
          </Button>
        </>
      }
    >
      <div className="flex h-[min(60vh,30rem)] flex-col gap-3">
        <Breadcrumb
          path={pathOf(at)}
          isRepository={isRepository}
          onOpen={(path) => open(uriOf(path) ?? '')}
        />
        <div className="flex flex-wrap items-center gap-3">
          <TextInput
            autoFocus={!IS_TOUCH}
            className="min-w-52 flex-1"
            aria-label={text.newSession.pickFilter}
            placeholder={text.newSession.pickFilter}
            value={filter}
            onChange={(event) => setFilter(event.currentTarget.value)}
            onKeyDown={(event) => {
              const [first] = shown ?? [];
              if (event.key === 'Enter' && filter !== '' && first !== undefined) open(first.uri);
              else if (event.key === 'Backspace' && filter === '' && folder?.parent !== undefined)
                open(folder.parent);
              else return;
              event.preventDefault();
            }}
          />
          <span className="flex shrink-0 items-center gap-2 text-xs text-muted">
            <span aria-hidden>{text.newSession.pickHidden}</span>
            <Switch aria-label={text.newSession.pickHidden} isOn={isHiddenShown} onChange={setHiddenShown} />
          </span>
        </div>
        <ul
          aria-label={text.newSession.pickList}
          className="min-h-0 flex-1 overflow-y-auto rounded-xl border border-line p-1"
        >
          {folder?.parent !== undefined && filter === '' && (
            <Row
              icon={<CornerLeftUp className="size-4" aria-hidden />}
              name={text.newSession.pickUp}
              onOpen={() => open(folder.parent ?? '')}
            />
          )}
          {shown?.map(({ name, uri: each }) => (
            <Row
              key={each}
              name={name}
              icon={
                repositories.has(each) ? (
                  <FolderGit2 className="size-4 text-accent" aria-label={text.newSession.isRepository} />
                ) : (
                  <FolderIcon className="size-4" aria-hidden />
                )
              }
              onOpen={() => open(each)}
            />
          ))}
          {listing.state === 'reading' && (
            <li className="flex justify-center p-6">
              <Spinner />
            </li>
          )}
          {listing.state === 'failed' && (
            <li role="alert" className="p-4 text-sm break-words text-danger">
              {text.newSession.pickFailed(messageOf(listing.error))}
            </li>
          )}
          {shown?.length === 0 && (
            <li className="p-4 text-center text-sm text-muted">
              {filter === '' ? text.newSession.pickEmpty : text.newSession.pickNoMatch}
            </li>
          )}
          {folder?.hasMore === true && <li className="p-3 text-xs text-muted">{text.newSession.pickMore}</li>}
        </ul>
        <Recent recent={recent} onOpen={(path) => open(uriOf(path) ?? '')} />
      </div>
    </Dialog>
  );
}

function Row({
  icon,
  name,
  onOpen,
}: {
  readonly icon: React.ReactNode;
  readonly name: string;
  readonly onOpen: () => void;
}) {
  return (
    <li>
      <button
        type="button"
        onClick={onOpen}
        className="flex min-h-8 w-full items-center gap-2.5 rounded-lg px-2.5 text-start text-sm hover:bg-hover touch:min-h-11"
      >
        <span className="shrink-0 text-muted">{icon}</span>
        <span className="min-w-0 truncate" title={visibleText(name)}>
          <SafeText>{name}</SafeText>
        </span>
      </button>
    </li>
  );
}

function Recent({
  recent,
  onOpen,
}: {
  readonly recent: readonly string[];
  readonly onOpen: (path: string) => void;
}) {
  if (recent.length === 0) return undefined;
  return (
    <section aria-label={text.newSession.recent}>
      <h3 className="mb-1 flex items-center gap-1.5 text-xs text-muted">
        <History className="size-3.5" aria-hidden />
        {text.newSession.recent}
      </h3>
      <div className="flex gap-1.5 overflow-x-auto pb-1">
        {recent.slice(0, MOST_RECENT).map((path) => (
          <Button
            key={path}
            size="small"
            className="max-w-64 text-xs"
            title={visibleText(path)}
            onClick={() => onOpen(path)}
          >
            <span className="truncate" dir="rtl">
              <SafeText>{path}</SafeText>
            </span>
          </Button>
        ))}
      </div>
    </section>
  );
}

/** URIs of the repositories in which sessions of the host work. */
function useRepositories(link: HostLink): ReadonlySet<string> {
  const { sessions } = useAllSessions();
  return useMemo(
    () => new Set(sessions.flatMap((each) => (each.link === link ? (each.summary.project?.uri ?? []) : []))),
    [sessions, link],
  );
}
