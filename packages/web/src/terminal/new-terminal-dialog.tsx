import type { URI } from '@agenthost/protocol';
import { useState } from 'react';
import { type HostLink, messageOf } from '../live/host-link.ts';
import { pathOf, uriOf } from '../text/file-path.ts';
import { text } from '../text/text.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field, TextInput } from '../ui/field.tsx';
import { openTerminal } from './open-terminal.ts';

/** Asks for command and folder of a new terminal, and starts it. */
export function NewTerminalDialog({
  link,
  folder,
  onOpened,
  onClose,
}: {
  readonly link: HostLink;
  /** Folder that is offered. Absent: the host's default. */
  readonly folder?: URI | undefined;
  readonly onOpened: (uri: URI) => void;
  readonly onClose: () => void;
}) {
  const [command, setCommand] = useState('');
  const [path, setPath] = useState(folder === undefined ? '' : pathOf(folder));
  const [error, setError] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);
  const cwd = path.trim() === '' ? undefined : uriOf(path.trim());
  const isInvalid = path.trim() !== '' && cwd === undefined;
  const create = async (): Promise<void> => {
    setIsBusy(true);
    const line = command.trim();
    try {
      onOpened(
        await openTerminal(link, {
          cwd,
          ...(line === '' ? {} : { command: line, name: line.split('\n', 1)[0] }),
        }),
      );
    } catch (reason) {
      setError(messageOf(reason));
      setIsBusy(false);
    }
  };
  const form = 'terminal-new';
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={text.terminal.newTerminal}
      footer={
        <>
          <Button onClick={onClose}>{text.ui.cancel}</Button>
          <Button look="primary" type="submit" form={form} disabled={isBusy || isInvalid}>
            {text.terminal.create}
          </Button>
        </>
      }
    >
      <form
        id={form}
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isBusy && !isInvalid) void create();
        }}
      >
        <Field label={text.terminal.command} description={text.terminal.commandHint}>
          {(attributes) => (
            <TextInput
              {...attributes}
              className="font-mono"
              autoComplete="off"
              autoCapitalize="off"
              spellCheck={false}
              value={command}
              onChange={({ target }) => setCommand(target.value)}
            />
          )}
        </Field>
        <Field
          label={text.terminal.folder}
          description={text.terminal.folderHint}
          error={isInvalid ? text.terminal.folderInvalid : error}
        >
          {(attributes) => (
            <TextInput
              {...attributes}
              className="font-mono"
              autoComplete="off"
              autoCapitalize="off"
              spellCheck={false}
              value={path}
              onChange={({ target }) => {
                setPath(target.value);
                setError(undefined);
              }}
            />
          )}
        </Field>
      </form>
    </Dialog>
  );
}
