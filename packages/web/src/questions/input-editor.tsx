import { useState } from 'react';
import { text } from '../text/text.ts';
import { Button } from '../ui/button.tsx';
import { Field, TextArea } from '../ui/field.tsx';
import { editableInput, inputProblem } from './tool-input.ts';

const MOST_ROWS = 16;

/** Changes the input of a tool call before it runs. */
export function InputEditor({
  raw,
  isSending,
  onApprove,
  onCancel,
}: {
  readonly raw: string;
  readonly isSending: boolean;
  readonly onApprove: (edited: string) => void;
  readonly onCancel: () => void;
}) {
  const [edited, setEdited] = useState(() => editableInput(raw));
  const problem = inputProblem(raw, edited);
  const isChanged = edited !== editableInput(raw);
  const approve = (): void => {
    if (problem === undefined && !isSending) onApprove(isChanged ? edited : raw);
  };
  return (
    <div className="flex flex-col gap-2">
      <Field
        label={text.questions.editLabel}
        error={problem === undefined ? undefined : text.questions.notJson(problem)}
      >
        {(attributes) => (
          <TextArea
            {...attributes}
            autoFocus
            dir="ltr"
            spellCheck={false}
            rows={Math.min(edited.split('\n').length + 1, MOST_ROWS)}
            className="font-mono text-[0.8125rem]"
            value={edited}
            onChange={(event) => setEdited(event.target.value)}
            onKeyDown={(event) => {
              if (event.nativeEvent.isComposing) return;
              if (event.key === 'Escape') onCancel();
              else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) approve();
              else return;
              event.preventDefault();
              event.stopPropagation();
            }}
          />
        )}
      </Field>
      <div className="flex flex-wrap gap-2">
        <Button look="primary" disabled={problem !== undefined || isSending} onClick={approve}>
          {isChanged ? text.questions.allowEdited : text.questions.allow}
        </Button>
        <Button look="ghost" onClick={onCancel}>
          {text.ui.cancel}
        </Button>
      </div>
    </div>
  );
}
