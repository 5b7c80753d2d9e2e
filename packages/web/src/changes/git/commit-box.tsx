import type { ChangesetHandle } from '@agenthost/client';
import type { ChangesetOperation } from '@agenthost/protocol';
import { useEffect, useState } from 'react';
import { visibleText } from '../../text/visible-text.ts';
import { workspaceText } from '../../text/workspace-text.ts';
import { Button } from '../../ui/button.tsx';
import { TextArea } from '../../ui/field.tsx';
import { Spinner } from '../../ui/states.tsx';
import { defaultValues, type InputValues, OperationInputField } from '../operation-form.tsx';
import { runOperation } from '../run-operation.ts';

/** Messages that people began to write, by changeset, so that closing the panel loses nothing. */
const drafts = new Map<string, string>();

/** The message of a commit, with the host's proposal to begin with, and the choices of the commit. */
export function CommitBox({
  changeset,
  operation,
}: {
  readonly changeset: ChangesetHandle;
  readonly operation: ChangesetOperation;
}) {
  const inputs = operation['x-inputs'] ?? [];
  const proposal = inputs.find(({ name }) => name === 'message')?.default;
  const proposed = typeof proposal === 'string' ? proposal : '';
  const [message, setMessage] = useState(drafts.get(changeset.uri) ?? proposed);
  const [chosen, setChosen] = useState<InputValues>({});
  const isTouched = drafts.has(changeset.uri);
  useEffect(() => {
    if (!isTouched) setMessage(proposed);
  }, [proposed, isTouched]);
  const values = { ...defaultValues(inputs), ...chosen };
  const isRunning = operation.status === 'running';
  const isDisabled = isRunning || operation.status === 'disabled' || message.trim() === '';
  const write = (next: string): void => {
    setMessage(next);
    drafts.set(changeset.uri, next);
  };
  const commit = async (): Promise<void> => {
    if (isDisabled) return;
    const input = { ...values, message };
    if (!(await runOperation(operation.label, () => changeset.invoke('commit', { input })))) return;
    drafts.delete(changeset.uri);
    setMessage('');
    setChosen({});
  };
  return (
    <div className="flex flex-col gap-2">
      <TextArea
        rows={message.includes('\n') ? 4 : 2}
        dir="auto"
        aria-label={workspaceText.changes.commitMessage}
        placeholder={workspaceText.changes.commitMessage}
        value={message}
        onChange={(event) => write(event.target.value)}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return;
          event.stopPropagation();
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          void commit();
        }}
      />
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        {inputs
          .filter(({ type }) => type === 'boolean')
          .map((input) => (
            <OperationInputField
              key={input.name}
              input={input}
              values={values}
              onChange={(next) => setChosen({ ...chosen, [input.name]: next[input.name] === true })}
            />
          ))}
        <Button
          size="small"
          look="primary"
          className="ms-auto"
          disabled={isDisabled}
          title={workspaceText.changes.commitHint}
          onClick={() => void commit()}
        >
          {isRunning && (
            <Spinner label={workspaceText.changes.running(operation.label)} className="size-3.5" />
          )}
          {visibleText(operation.label)}
        </Button>
      </div>
    </div>
  );
}
