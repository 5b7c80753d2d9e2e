import type { ChatState } from '@agenthost/protocol';
import { useLayoutEffect, useRef } from 'react';
import { text } from '../../text/text.ts';
import { workspaceText } from '../../text/workspace-text.ts';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/class-names.ts';
import { INPUT_STYLE } from '../../ui/field.tsx';
import { useChatScope } from '../chat-scope.tsx';
import { reporting } from '../report-outcome.ts';
import { RestoreChoice, restoreFilesOf } from './restore-choice.tsx';

/** An edit of a sent message that is not sent yet. */
export interface Edit {
  readonly content: string;
  readonly isRestoring: boolean;
}

interface EditMessageProps {
  readonly turnId: string;
  readonly edit: Edit;
  readonly onChange: (edit: Edit) => void;
  /** Whether the field takes the focus when it appears. */
  readonly takesFocus: boolean;
  readonly onClose: () => void;
}

/** Edits a sent message in its place. Sending it removes the turn and all later ones. */
export function EditMessage({ turnId, edit, onChange, takesFocus, onClose }: EditMessageProps) {
  const { chat } = useChatScope();
  const { content, isRestoring } = edit;
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    const element = field.current;
    if (element === null) return;
    element.style.height = 'auto';
    element.style.height = `${Math.min(element.scrollHeight + 2, innerHeight / 2)}px`;
  }, [content]);
  useLayoutEffect(() => {
    const element = field.current;
    if (!takesFocus || element === null) return;
    element.focus();
    element.setSelectionRange(element.value.length, element.value.length);
  }, [takesFocus]);
  const isSendable = content.trim() !== '';
  const send = (): void => {
    if (!isSendable) return;
    onClose();
    void reporting(text.chat.editAndResend, async () => {
      if (isRestoring) await restoreFilesOf(chat, turnBefore(chat.mirror.state, turnId));
      return chat.resend(turnId, content);
    });
  };
  return (
    <div className="my-1 rounded-2xl border border-line-strong bg-surface p-2">
      <textarea
        ref={field}
        aria-label={text.chat.editLabel}
        dir="auto"
        value={content}
        className={classes(INPUT_STYLE, 'resize-none border-0 focus-visible:outline-none')}
        onChange={(event) => onChange({ ...edit, content: event.target.value })}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return;
          event.stopPropagation();
          if (event.key === 'Escape') onClose();
          else if (event.key === 'Enter' && !event.shiftKey) {
            event.preventDefault();
            send();
          }
        }}
      />
      <div className="flex flex-wrap items-center justify-end gap-2 px-1">
        <div className="min-w-0 flex-1">
          <p className="text-xs text-muted">{text.chat.editHint}</p>
          <RestoreChoice
            isChosen={isRestoring}
            onChange={(isChosen) => onChange({ ...edit, isRestoring: isChosen })}
          />
        </div>
        <Button size="small" look="ghost" onClick={onClose}>
          {text.ui.cancel}
        </Button>
        <Button size="small" look="primary" disabled={!isSendable} onClick={send}>
          {text.chat.send}
        </Button>
      </div>
    </div>
  );
}

/** The turn before a turn; `undefined` for the first one. Throws when it is not loaded. */
function turnBefore({ turns, turnsNextCursor }: ChatState, turnId: string): string | undefined {
  const at = turns.findIndex(({ id }) => id === turnId);
  const before = (at === -1 ? turns.at(-1) : turns[at - 1])?.id;
  if (before === undefined && turnsNextCursor !== undefined)
    throw new Error(workspaceText.changes.scrollUpFirst);
  return before;
}
