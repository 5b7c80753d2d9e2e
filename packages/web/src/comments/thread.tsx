import { type Annotation, type AnnotationEntry, authorName, textOf } from '@agenthost/protocol';
import { Bot, Check, CircleAlert, Pencil, RotateCcw, Trash } from 'lucide-react';
import { useState } from 'react';
import { reportOutcome } from '../chat/report-outcome.ts';
import { visibleText } from '../text/visible-text.ts';
import { workspaceText } from '../text/workspace-text.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { classes } from '../ui/class-names.ts';
import { SafeText } from '../ui/safe-text.tsx';
import { CommentEditor } from './comment-editor.tsx';
import { useComments } from './comment-scope.tsx';
import { isTaken } from './is-taken.ts';

/** A comment with its answers, and what can be done with it. */
export function Thread({ annotation, place }: { readonly annotation: Annotation; readonly place?: string }) {
  const { annotations, mayAct, send } = useComments();
  const [isReplying, setReplying] = useState(false);
  const { id, entries, resolved } = annotation;
  return (
    <article
      aria-label={workspaceText.comments.label}
      className={classes('rounded-xl border border-line bg-surface text-sm', resolved && 'opacity-75')}
    >
      {(place !== undefined || resolved || annotation['x-outdated'] === true) && (
        <header className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-3 py-1.5 text-xs text-muted">
          {place !== undefined && <SafeText className="min-w-0 truncate font-mono">{place}</SafeText>}
          {resolved && (
            <span className="flex items-center gap-1 text-ok">
              <Check className="size-3.5" aria-hidden />
              {workspaceText.comments.resolved}
            </span>
          )}
          {annotation['x-outdated'] === true && (
            <span className="flex items-center gap-1 text-warn">
              <CircleAlert className="size-3.5" aria-hidden />
              {workspaceText.comments.outdated}
            </span>
          )}
        </header>
      )}
      <ul>
        {entries.map((entry) => (
          <Entry key={entry.id} annotation={annotation} entry={entry} />
        ))}
      </ul>
      {mayAct && annotations !== undefined && (
        <div className="px-3 pb-2">
          {isReplying ? (
            <CommentEditor
              place={`reply ${id}`}
              label={workspaceText.comments.reply}
              placeholder={workspaceText.comments.replyPlaceholder}
              submit={workspaceText.comments.reply}
              onSubmit={(written) => isTaken(workspaceText.comments.reply, annotations.reply(id, written))}
              onCancel={() => setReplying(false)}
            />
          ) : (
            <div className="flex flex-wrap gap-1.5">
              <Button size="small" onClick={() => setReplying(true)}>
                {workspaceText.comments.reply}
              </Button>
              <Button
                size="small"
                onClick={() =>
                  void reportOutcome(
                    resolved ? workspaceText.comments.reopen : workspaceText.comments.resolve,
                    resolved ? annotations.reopen(id) : annotations.resolve(id),
                  )
                }
              >
                {resolved ? (
                  <RotateCcw className="size-3.5" aria-hidden />
                ) : (
                  <Check className="size-3.5" aria-hidden />
                )}
                {resolved ? workspaceText.comments.reopen : workspaceText.comments.resolve}
              </Button>
              {!resolved && send !== undefined && (
                <Button size="small" onClick={() => send([id])}>
                  <Bot className="size-3.5" aria-hidden />
                  {workspaceText.comments.send}
                </Button>
              )}
            </div>
          )}
        </div>
      )}
    </article>
  );
}

function Entry({ annotation, entry }: { readonly annotation: Annotation; readonly entry: AnnotationEntry }) {
  const { annotations, mayAct, link } = useComments();
  const [isEditing, setEditing] = useState(false);
  const by = entry['x-by'];
  const isOwn = by === undefined || ('clientId' in by && by.clientId === link.client?.clientId);
  if (isEditing && annotations !== undefined)
    return (
      <li className="px-3 py-2">
        <CommentEditor
          place={`edit ${entry.id}`}
          label={workspaceText.comments.edit}
          initial={textOf(entry.text)}
          submit={workspaceText.comments.save}
          onSubmit={(written) =>
            isTaken(workspaceText.comments.edit, annotations.edit(annotation.id, entry.id, written))
          }
          onCancel={() => setEditing(false)}
        />
      </li>
    );
  return (
    <li className="group/entry flex items-start gap-2 px-3 py-2">
      <div className="min-w-0 flex-1">
        {!isOwn && by.name !== undefined && (
          <p className="text-xs text-muted">
            <SafeText>{authorName(by)}</SafeText>
          </p>
        )}
        <p dir="auto" className="wrap-anywhere whitespace-pre-wrap">
          {visibleText(textOf(entry.text))}
        </p>
      </div>
      {mayAct && annotations !== undefined && (
        <div className="flex shrink-0 opacity-60 group-focus-within/entry:opacity-100 group-hover/entry:opacity-100">
          <IconButton size="small" label={workspaceText.comments.edit} onClick={() => setEditing(true)}>
            <Pencil className="size-3.5" aria-hidden />
          </IconButton>
          <IconButton
            size="small"
            label={workspaceText.comments.deleteEntry}
            onClick={() =>
              void reportOutcome(
                workspaceText.comments.deleteEntry,
                annotations.removeEntry(annotation.id, entry.id),
              )
            }
          >
            <Trash className="size-3.5" aria-hidden />
          </IconButton>
        </div>
      )}
    </li>
  );
}
