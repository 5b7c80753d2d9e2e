import { FolderPlus } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { messageOf } from '../../live/host-link.ts';
import { text } from '../../text/text.ts';
import { Button } from '../../ui/button.tsx';
import { TextInput } from '../../ui/field.tsx';
import { showError } from '../../ui/toasts.tsx';

/** A button that becomes a small form for the name of a new folder. */
export function NewFolder({
  isDisabled,
  onCreate,
}: {
  readonly isDisabled: boolean;
  /** Rejects when the folder could not be made. */
  readonly onCreate: (name: string) => Promise<void>;
}) {
  const [name, setName] = useState<string>();
  if (name === undefined)
    return (
      <Button className="me-auto" look="ghost" disabled={isDisabled} onClick={() => setName('')}>
        <FolderPlus className="size-4" aria-hidden />
        {text.newSession.newFolder}
      </Button>
    );
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    // React passes the event on to the form that opened the dialog.
    event.stopPropagation();
    const wanted = name.trim();
    if (wanted === '') return;
    try {
      await onCreate(wanted);
      setName(undefined);
    } catch (error) {
      showError(messageOf(error));
    }
  };
  return (
    <form className="me-auto flex min-w-0 gap-2" onSubmit={(event) => void submit(event)}>
      <TextInput
        autoFocus
        className="h-9 max-w-52"
        aria-label={text.newSession.newFolderName}
        placeholder={text.newSession.newFolderName}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          event.preventDefault();
          event.stopPropagation();
          setName(undefined);
        }}
      />
      <Button type="submit" disabled={name.trim() === ''}>
        {text.newSession.create}
      </Button>
    </form>
  );
}
