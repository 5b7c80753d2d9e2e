import { useState } from 'react';
import { text } from '../text/text.ts';
import { Button } from '../ui/button.tsx';
import { Field, TextArea } from '../ui/field.tsx';

/** Denies a tool call and tells the agent what to do instead. */
export function DenyFeedback({
  isSending,
  onDeny,
  onCancel,
}: {
  readonly isSending: boolean;
  readonly onDeny: (feedback: string) => void;
  readonly onCancel: () => void;
}) {
  const [feedback, setFeedback] = useState('');
  const deny = (): void => {
    if (!isSending) onDeny(feedback.trim());
  };
  return (
    <div className="flex flex-col gap-2">
      <Field label={text.questions.insteadLabel}>
        {(attributes) => (
          <TextArea
            {...attributes}
            autoFocus
            rows={2}
            dir="auto"
            value={feedback}
            placeholder={text.questions.insteadHint}
            onChange={(event) => setFeedback(event.target.value)}
            onKeyDown={(event) => {
              if (event.nativeEvent.isComposing) return;
              if (event.key === 'Escape') onCancel();
              else if (event.key === 'Enter' && !event.shiftKey) deny();
              else return;
              event.preventDefault();
              event.stopPropagation();
            }}
          />
        )}
      </Field>
      <div className="flex flex-wrap gap-2">
        <Button look="danger" disabled={isSending} onClick={deny}>
          {feedback.trim() === '' ? text.questions.deny : text.questions.denyAndTell}
        </Button>
        <Button look="ghost" onClick={onCancel}>
          {text.ui.cancel}
        </Button>
      </div>
    </div>
  );
}
