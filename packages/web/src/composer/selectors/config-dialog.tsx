import type { ConfigPropertySchema } from '@agenthost/protocol';
import { useState } from 'react';
import { text } from '../../text/text.ts';
import { visibleText } from '../../text/visible-text.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { type ControlAttributes, Field, Select, Switch, TextArea, TextInput } from '../../ui/field.tsx';
import { SafeText } from '../../ui/safe-text.tsx';

/** Texts under these keys are long. */
const LONG = ['instructions'];

/** A form for settings, made from their schemas. Lists and objects are left out. A change takes effect at once. */
export function ConfigDialog({
  title,
  properties,
  values,
  onChange,
  onClose,
}: {
  readonly title: string;
  readonly properties: readonly (readonly [string, ConfigPropertySchema])[];
  readonly values: Readonly<Record<string, unknown>>;
  readonly onChange: (key: string, value: unknown) => void;
  readonly onClose: () => void;
}) {
  const shown = properties.filter(([, { type }]) => type !== 'array' && type !== 'object');
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={title}
      footer={
        <Button look="primary" onClick={onClose}>
          {text.composer.configDone}
        </Button>
      }
    >
      <div className="flex flex-col gap-4">
        {shown.map(([key, property]) => (
          <Field
            key={key}
            label={<SafeText>{property.title}</SafeText>}
            {...(property.description === undefined
              ? {}
              : { description: <SafeText>{property.description}</SafeText> })}
          >
            {(attributes) => (
              <Control
                attributes={attributes}
                property={property}
                isLong={LONG.includes(key)}
                value={values[key] ?? property.default}
                onChange={(value) => onChange(key, value)}
              />
            )}
          </Field>
        ))}
      </div>
    </Dialog>
  );
}

function Control({
  attributes,
  property,
  isLong,
  value,
  onChange,
}: {
  readonly attributes: ControlAttributes;
  readonly property: ConfigPropertySchema;
  readonly isLong: boolean;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}) {
  const isDisabled = property.readOnly === true;
  const { enum: choices, enumLabels = [] } = property;
  if (property.type === 'boolean')
    return <Switch {...attributes} isOn={value === true} onChange={onChange} disabled={isDisabled} />;
  if (choices !== undefined) {
    const index = choices.findIndex((choice) => choice === value);
    return (
      <Select
        {...attributes}
        disabled={isDisabled}
        value={index < 0 ? '' : String(index)}
        onChange={(event) => onChange(choices[Number(event.target.value)])}
      >
        {index < 0 && (
          <option value="" disabled>
            {typeof value === 'string' ? visibleText(value) : ''}
          </option>
        )}
        {choices.map((choice, at) => (
          <option key={String(choice)} value={String(at)}>
            {visibleText(enumLabels[at] ?? String(choice))}
          </option>
        ))}
      </Select>
    );
  }
  const initial = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  return (
    <TextControl
      key={initial}
      attributes={attributes}
      isLong={isLong}
      isNumber={property.type === 'number'}
      isDisabled={isDisabled}
      initial={initial}
      onChange={onChange}
    />
  );
}

/** A text or a number: the change takes effect when the field loses the focus. */
function TextControl({
  attributes,
  isLong,
  isNumber,
  isDisabled,
  initial,
  onChange,
}: {
  readonly attributes: ControlAttributes;
  readonly isLong: boolean;
  readonly isNumber: boolean;
  readonly isDisabled: boolean;
  readonly initial: string;
  readonly onChange: (value: unknown) => void;
}) {
  const [typed, setTyped] = useState(initial);
  const leave = (): void => {
    if (typed === initial) return;
    if (!isNumber) onChange(typed);
    else if (typed.trim() !== '' && Number.isFinite(Number(typed))) onChange(Number(typed));
    else setTyped(initial);
  };
  const shared = { ...attributes, value: typed, disabled: isDisabled, onBlur: leave };
  return isLong ? (
    <TextArea {...shared} dir="auto" rows={4} onChange={(event) => setTyped(event.target.value)} />
  ) : (
    <TextInput
      {...shared}
      dir="auto"
      inputMode={isNumber ? 'decimal' : undefined}
      onChange={(event) => setTyped(event.target.value)}
    />
  );
}
