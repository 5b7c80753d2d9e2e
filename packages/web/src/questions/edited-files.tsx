import type { FileEdit } from '@agenthost/protocol';
import { FileDiff } from 'lucide-react';
import type { HostLink } from '../live/host-link.ts';
import { text } from '../text/text.ts';
import { SafeText } from '../ui/safe-text.tsx';

/** The file changes that a tool call would make. */
export function EditedFiles({ edits }: { readonly link: HostLink; readonly edits: readonly FileEdit[] }) {
  return (
    <ul aria-label={text.questions.changes} className="flex flex-col gap-1">
      {edits.map((edit, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- edits have no identity of their own
        <li key={index} className="flex min-w-0 items-center gap-2 text-sm">
          <FileDiff className="size-4 shrink-0 text-muted" aria-hidden />
          <SafeText className="truncate">
            {decodeURI(edit.after?.uri ?? edit.before?.uri ?? '').replace(/^file:\/\//, '')}
          </SafeText>
        </li>
      ))}
    </ul>
  );
}
