import { useState } from 'react';
import { text } from '../../text/text.ts';
import { Button } from '../../ui/button.tsx';
import { TextArea } from '../../ui/field.tsx';

/** Changes a waiting message in its place. */
export function PendingEditor({
  initial,
  onSave,
  onCancel,
}: {
  readonly initial: string;
  readonly onSave: (edited: string) => void;
  readonly onCancel: () => void;
}) {
  const [edited, setEdited] = useState(initial);
  const save = (): void => {
    if (edited.trim() === '' || edited === initial) onCancel();
    else onSave(edited);
  };
  return (
    <div className="flex min-w-0 flex-1 flex-col gap-1.5 py-1">
      <TextArea
        autoFocus
        onFocus={({ currentTarget }) => currentTarget.setSelectionRange(initial.length, initial.length)}
        dir="auto"
        rows={2}
        aria-label={text.composer.editQueued}
        value={edited}
        onChange={(event) => setEdited(event.target.value)}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return;
          if (event.key === 'Escape') onCancel();
          else if (event.key === 'Enter' && !event.shiftKey) save();
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
      />
      <span className="flex gap-1.5">
        <Button size="small" look="primary" onClick={save}>
          {text.ui.save}
        </Button>
        <Button size="small" look="ghost" onClick={onCancel}>
          {text.ui.cancel}
        </Button>
      </span>
    </div>
  );
}
