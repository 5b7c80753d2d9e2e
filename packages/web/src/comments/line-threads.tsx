import type { AnnotationsHandle } from '@agenthost/client';
import type { URI } from '@agenthost/protocol';
import { type ReactNode, useCallback, useMemo, useState } from 'react';
import { type LineSpan, lineKey } from '../changes/diff/diff-rows.ts';
import { workspaceText } from '../text/workspace-text.ts';
import { addComment } from './add-comment.ts';
import { CommentEditor } from './comment-editor.tsx';
import { useComments } from './comment-scope.tsx';
import { isTaken } from './is-taken.ts';
import { placeThreads, type ShownFile, type Side } from './place-threads.ts';
import { Thread } from './thread.tsx';

/** The comments on the lines of a shown file, for its list of lines. */
export interface LineThreads {
  /** Lines with something below them. */
  readonly below: ReadonlySet<string>;
  readonly renderBelow: (side: Side, line: number) => ReactNode;
  /** Absent: comments cannot be added. */
  readonly onComment: ((span: LineSpan) => void) | undefined;
  /** Comments on the whole file, and on lines that this version does not have. */
  readonly elsewhere: ReactNode;
}

/** Places the comments of a file at its lines, with an editor where the person writes one. */
export function useLineThreads(
  file: ShownFile,
  origin: { readonly chat: URI; readonly turnId: string } | undefined,
): LineThreads {
  const { all, annotations, mayAct } = useComments();
  const [editing, setEditing] = useState<LineSpan | undefined>(undefined);
  const { placed, elsewhere } = useMemo(() => placeThreads(all, file), [all, file]);
  const below = useMemo(() => {
    const keys = new Set(placed.map(({ side, line }) => lineKey(side, line)));
    if (editing !== undefined) keys.add(lineKey(editing.side, editing.to));
    return keys;
  }, [placed, editing]);
  const renderBelow = (side: Side, line: number): ReactNode => (
    <div className="flex max-w-3xl flex-col gap-2 border-y border-line bg-canvas p-2">
      {placed
        .filter((each) => each.side === side && each.line === line)
        .flatMap((each) => each.annotations)
        .map((annotation) => (
          <Thread key={annotation.id} annotation={annotation} />
        ))}
      {annotations !== undefined && editing !== undefined && editing.side === side && editing.to === line && (
        <NewComment
          file={file}
          origin={origin}
          span={editing}
          annotations={annotations}
          onClose={() => setEditing(undefined)}
        />
      )}
    </div>
  );
  const onComment = useCallback((span: LineSpan) => setEditing(span), []);
  return {
    below,
    renderBelow,
    onComment: mayAct && annotations !== undefined ? onComment : undefined,
    elsewhere: elsewhere.length > 0 && (
      <details className="border-b border-line bg-canvas px-3 py-1.5 text-sm">
        <summary className="text-xs text-muted">{workspaceText.comments.elsewhere(elsewhere.length)}</summary>
        <div className="flex max-h-72 max-w-3xl flex-col gap-2 overflow-y-auto py-2">
          {elsewhere.map((annotation) => (
            <Thread key={annotation.id} annotation={annotation} />
          ))}
        </div>
      </details>
    ),
  };
}

interface NewCommentProps {
  readonly file: ShownFile;
  readonly origin: { readonly chat: URI; readonly turnId: string } | undefined;
  readonly span: LineSpan;
  readonly annotations: AnnotationsHandle;
  readonly onClose: () => void;
}

function NewComment({ file, origin, span, annotations, onClose }: NewCommentProps) {
  const { link } = useComments();
  const { side, from, to } = span;
  const uri = side === 'before' ? (file.oldUri ?? file.uri) : file.uri;
  const quote = (side === 'before' ? file.before : file.after)?.slice(from - 1, to) ?? [];
  return (
    <CommentEditor
      place={`new ${uri} ${lineKey(side, to)}`}
      label={workspaceText.comments.label}
      submit={workspaceText.comments.add}
      onSubmit={(written) =>
        isTaken(
          workspaceText.comments.add,
          addComment({ link, annotations, uri, origin, text: written, lines: { side, from, to, quote } }),
        )
      }
      onCancel={onClose}
    />
  );
}
