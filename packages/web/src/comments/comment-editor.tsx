import { useEffect, useRef, useState } from 'react';
import { text } from '../text/text.ts';
import { workspaceText } from '../text/workspace-text.ts';
import { Button } from '../ui/button.tsx';
import { TextArea } from '../ui/field.tsx';

/** Texts that were not sent yet, by the place of their editor, so that scrolling and closing lose nothing. */
const drafts = new Map<string, string>();

interface CommentEditorProps {
  /** Names the place, for its draft. */
  readonly place: string;
  readonly label: string;
  readonly placeholder?: string;
  /** Text to begin with, when there is no draft. Default: empty. */
  readonly initial?: string;
  readonly submit: string;
  /** Resolves with whether the comment was taken. */
  readonly onSubmit: (text: string) => Promise<boolean>;
  readonly onCancel: () => void;
}

/** A field for a comment. Ctrl+Enter submits, Escape cancels. */
export function CommentEditor(props: CommentEditorProps) {
  const { place, label, initial = '', submit, onSubmit, onCancel } = props;
  const [content, setContent] = useState(drafts.get(place) ?? initial);
  const [isBusy, setBusy] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus({ preventScroll: true }), []);
  const isSendable = content.trim() !== '' && !isBusy;
  const write = (next: string): void => {
    setContent(next);
    drafts.set(place, next);
  };
  const cancel = (): void => {
    drafts.delete(place);
    onCancel();
  };
  const send = async (): Promise<void> => {
    if (!isSendable) return;
    setBusy(true);
    const isTaken = await onSubmit(content.trim());
    setBusy(false);
    if (isTaken) cancel();
  };
  return (
    <div className="flex flex-col gap-2">
      <TextArea
        ref={field}
        rows={3}
        dir="auto"
        aria-label={label}
        placeholder={props.placeholder ?? workspaceText.comments.placeholder}
        value={content}
        onChange={(event) => write(event.target.value)}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return;
          event.stopPropagation();
          if (event.key === 'Escape') cancel();
          else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
            event.preventDefault();
            void send();
          }
        }}
      />
      <div className="flex justify-end gap-2">
        <Button size="small" look="ghost" onClick={cancel}>
          {text.ui.cancel}
        </Button>
        <Button size="small" look="primary" disabled={!isSendable} onClick={() => void send()}>
          {submit}
        </Button>
      </div>
    </div>
  );
}
