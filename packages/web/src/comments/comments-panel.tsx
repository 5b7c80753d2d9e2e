import type { Annotation, URI } from '@agenthost/protocol';
import { Bot, MessageSquare } from 'lucide-react';
import { useState } from 'react';
import { relativePath } from '../changes/file-status.ts';
import { workspaceText } from '../text/workspace-text.ts';
import { Button } from '../ui/button.tsx';
import { Switch } from '../ui/field.tsx';
import { EmptyState } from '../ui/states.tsx';
import { useComments } from './comment-scope.tsx';
import { removedLinesOf } from './place-threads.ts';
import { Thread } from './thread.tsx';

interface CommentsPanelProps {
  readonly root: URI | undefined;
  readonly onOpen: (file: URI, line: number | undefined) => void;
}

/** All comments of a session. */
export function CommentsPanel({ root, onOpen }: CommentsPanelProps) {
  const { all, send } = useComments();
  const [areResolvedShown, setResolvedShown] = useState(false);
  const open = all.filter(({ resolved }) => !resolved);
  const shown = areResolvedShown ? all : open;
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="flex flex-wrap items-center gap-3 border-b border-line px-3 py-2">
        {send !== undefined && open.length > 0 && (
          <Button size="small" look="primary" onClick={() => send(open.map(({ id }) => id))}>
            <Bot className="size-4" aria-hidden />
            {workspaceText.comments.sendAll(open.length)}
          </Button>
        )}
        <span className="ms-auto flex items-center gap-2 text-xs text-muted">
          <span aria-hidden>{workspaceText.comments.showResolved}</span>
          <Switch
            aria-label={workspaceText.comments.showResolved}
            isOn={areResolvedShown}
            onChange={setResolvedShown}
          />
        </span>
      </div>
      {shown.length === 0 ? (
        <EmptyState
          icon={<MessageSquare className="size-6" aria-hidden />}
          title={workspaceText.comments.none}
        >
          {workspaceText.comments.noneText}
        </EmptyState>
      ) : (
        <ul className="flex min-h-0 flex-1 flex-col gap-3 overflow-y-auto p-3">
          {shown.map((annotation) => (
            <li key={annotation.id}>
              <button
                type="button"
                className="mb-1 max-w-full truncate rounded px-1 font-mono text-xs text-accent hover:underline touch:min-h-9"
                onClick={() => onOpen(annotation.resource, lineOf(annotation))}
              >
                {placeText(annotation, root)}
              </button>
              <Thread annotation={annotation} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** The line of the present file. `undefined`: the whole file, or lines that are gone. */
const lineOf = ({ range }: Annotation): number | undefined =>
  range === undefined ? undefined : range.start.line + 1;

function placeText(annotation: Annotation, root: URI | undefined): string {
  const path = relativePath(annotation.resource, root);
  const line = removedLinesOf(annotation)?.line ?? lineOf(annotation);
  return line === undefined
    ? workspaceText.comments.wholeFile(path)
    : workspaceText.comments.place(path, line);
}
