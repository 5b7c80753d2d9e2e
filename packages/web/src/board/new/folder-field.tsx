import { FolderOpen } from 'lucide-react';
import { useState } from 'react';
import type { HostLink } from '../../live/host-link.ts';
import { uriOf } from '../../text/file-path.ts';
import { text } from '../../text/text.ts';
import { Button } from '../../ui/button.tsx';
import { Combobox } from '../../ui/combobox.tsx';
import { Field } from '../../ui/field.tsx';
import { FolderDialog } from './folder-dialog.tsx';
import { joinPath, matchingNames, splitPath } from './path-completion.ts';
import { useFolder } from './use-folder-names.ts';

/** Folders that are proposed at once. */
const MOST_PROPOSALS = 30;

/** The folder of a session: a typed path with completion, and a dialog to choose one. */
export function FolderField({
  link,
  path,
  defaultPath,
  recent,
  error,
  onChange,
}: {
  readonly link: HostLink;
  readonly path: string;
  /** The host's default folder, once it is known. */
  readonly defaultPath: string;
  /** Paths used before, the latest first. */
  readonly recent: readonly string[];
  readonly error: string | undefined;
  readonly onChange: (path: string) => void;
}) {
  const [isOpen, setOpen] = useState(false);
  const [isTyping, setTyping] = useState(false);
  const typed = splitPath(path);
  const listing = useFolder(link, isTyping && typed !== undefined ? uriOf(typed.folder) : undefined);
  const names =
    listing.state === 'read'
      ? listing.folder.entries.filter(({ isFolder }) => isFolder).map(({ name }) => name)
      : [];
  const paths =
    typed === undefined
      ? recent
      : matchingNames(names, typed.prefix, MOST_PROPOSALS).map((name) => joinPath(typed.folder, name));
  return (
    <Field label={text.newSession.folder} description={text.newSession.folderHint} error={error}>
      {(attributes) => (
        <div className="flex gap-2">
          <Combobox
            className="min-w-0 flex-1"
            attributes={attributes}
            label={text.newSession.folder}
            value={path}
            placeholder={defaultPath === '' ? text.newSession.defaultFolder : defaultPath}
            options={paths.filter((each) => each !== path).map((each) => ({ value: each, label: each }))}
            onOpenChange={setTyping}
            onChange={onChange}
            // The next proposals are those inside.
            onTake={(taken) => onChange(`${taken}/`)}
          />
          <Button onClick={() => setOpen(true)} className="h-auto! touch:px-3">
            <FolderOpen className="size-4" aria-hidden />
            <span className="max-sm:sr-only">{text.newSession.browse}</span>
          </Button>
          {isOpen && (
            <FolderDialog
              link={link}
              startPath={path === '' ? defaultPath : path}
              recent={recent}
              onClose={() => setOpen(false)}
              onPick={(picked) => {
                setOpen(false);
                onChange(picked);
              }}
            />
          )}
        </div>
      )}
    </Field>
  );
}
