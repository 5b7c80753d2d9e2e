import type { ChangesetOperation, ChangesetOperationInput } from '@agenthost/protocol';
import { useState } from 'react';
import { text } from '../text/text.ts';
import { visibleText } from '../text/visible-text.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field, Switch, TextArea, TextInput } from '../ui/field.tsx';

/** Values for the inputs of an operation. */
export type InputValues = Readonly<Record<string, string | boolean>>;

/** The values that an operation begins with. */
export const defaultValues = (inputs: readonly ChangesetOperationInput[]): InputValues =>
  Object.fromEntries(
    inputs.flatMap(({ name, default: value }) => (value === undefined ? [] : [[name, value]])),
  );

/** The label of the first input that is required and empty. `undefined`: the operation can run. */
export const missingInput = (
  inputs: readonly ChangesetOperationInput[],
  values: InputValues,
): string | undefined =>
  inputs.find(({ name, isRequired }) => {
    const value = values[name];
    return isRequired === true && (value === undefined || (typeof value === 'string' && value.trim() === ''));
  })?.label;

/** The control of one input. */
export function OperationInputField({
  input,
  values,
  onChange,
}: {
  readonly input: ChangesetOperationInput;
  readonly values: InputValues;
  readonly onChange: (values: InputValues) => void;
}) {
  const { name, type, isLong = false, isRequired = false } = input;
  const label = visibleText(input.label);
  const value = values[name];
  if (type === 'boolean')
    return (
      <div className="flex items-center gap-2 text-sm">
        <Switch
          aria-label={label}
          isOn={value === true}
          onChange={(isOn) => onChange({ ...values, [name]: isOn })}
        />
        <span aria-hidden>{label}</span>
      </div>
    );
  const content = typeof value === 'string' ? value : '';
  return (
    <Field label={label} isRequired={isRequired}>
      {(attributes) =>
        isLong ? (
          <TextArea
            {...attributes}
            rows={4}
            dir="auto"
            value={content}
            onChange={(event) => onChange({ ...values, [name]: event.target.value })}
          />
        ) : (
          <TextInput
            {...attributes}
            dir="auto"
            value={content}
            onChange={(event) => onChange({ ...values, [name]: event.target.value })}
          />
        )
      }
    </Field>
  );
}

/** Asks for the values of an operation, or only whether to run it. */
export function OperationDialog({
  operation,
  onRun,
  onClose,
}: {
  readonly operation: ChangesetOperation;
  readonly onRun: (values: InputValues) => void;
  readonly onClose: () => void;
}) {
  const inputs = operation['x-inputs'] ?? [];
  const [values, setValues] = useState(() => defaultValues(inputs));
  const missing = missingInput(inputs, values);
  const { confirmation, description } = operation;
  const question = typeof confirmation === 'object' ? confirmation.markdown : confirmation;
  const explained = question ?? description;
  const run = (): void => {
    if (missing !== undefined) return;
    onClose();
    onRun(values);
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={operation.label}
      {...(explained === undefined ? {} : { description: explained })}
      footer={
        <>
          <Button onClick={onClose}>{text.ui.cancel}</Button>
          <Button look="primary" disabled={missing !== undefined} onClick={run}>
            {visibleText(operation.label)}
          </Button>
        </>
      }
    >
      {inputs.length > 0 && (
        <form
          className="flex flex-col gap-3"
          onSubmit={(event) => {
            event.preventDefault();
            run();
          }}
        >
          {inputs.map((input) => (
            <OperationInputField key={input.name} input={input} values={values} onChange={setValues} />
          ))}
        </form>
      )}
    </Dialog>
  );
}
