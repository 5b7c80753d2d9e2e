import type { FileEdit } from '@agenthost/protocol';
import { lazy, Suspense } from 'react';
import type { HostLink } from '../live/host-link.ts';
import { text } from '../text/text.ts';
import { Spinner } from '../ui/states.tsx';

const FileEditView = lazy(async () => ({
  default: (await import('../chat/diff/file-edit.tsx')).FileEditView,
}));

/** The file changes that a tool call would make. */
export function EditedFiles({
  link,
  edits,
}: {
  readonly link: HostLink;
  readonly edits: readonly FileEdit[];
}) {
  return (
    <ul
      aria-label={text.questions.changes}
      className="flex max-h-[50vh] max-sm:max-h-[24dvh] flex-col gap-2 overflow-y-auto in-data-focused-keys:max-h-80"
    >
      {edits.map((edit, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- edits have no identity of their own
        <li key={index}>
          <Suspense fallback={<Spinner />}>
            <FileEditView link={link} edit={edit} />
          </Suspense>
        </li>
      ))}
    </ul>
  );
}
