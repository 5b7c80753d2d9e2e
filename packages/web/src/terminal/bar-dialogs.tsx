import { useState } from 'react';
import { text } from '../text/text.ts';
import { visibleText } from '../text/visible-text.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field, TextInput } from '../ui/field.tsx';

/** Asks for a new title. */
export function RenameDialog({
  title,
  onRename,
  onClose,
}: {
  readonly title: string;
  readonly onRename: (title: string) => void;
  readonly onClose: () => void;
}) {
  const [name, setName] = useState(title);
  const form = 'terminal-rename';
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={text.terminal.renameTitle}
      footer={
        <>
          <Button onClick={onClose}>{text.ui.cancel}</Button>
          <Button look="primary" type="submit" form={form} disabled={name.trim() === ''}>
            {text.ui.save}
          </Button>
        </>
      }
    >
      <form
        id={form}
        onSubmit={(event) => {
          event.preventDefault();
          if (name.trim() !== '') onRename(name.trim());
        }}
      >
        <Field label={text.terminal.name}>
          {(attributes) => (
            <TextInput {...attributes} value={name} onChange={({ target }) => setName(target.value)} />
          )}
        </Field>
      </form>
    </Dialog>
  );
}

/** Asks before a running program is ended. */
export function CloseDialog({
  title,
  onConfirm,
  onClose,
}: {
  readonly title: string;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}) {
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={text.terminal.closeTitle}
      description={text.terminal.closeText(visibleText(title))}
      footer={
        <>
          <Button onClick={onClose}>{text.ui.cancel}</Button>
          <Button look="danger" onClick={onConfirm}>
            {text.terminal.closeConfirm}
          </Button>
        </>
      }
    />
  );
}
