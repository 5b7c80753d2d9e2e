import { useEffect, useRef, useState } from 'react';
import { Switch, TextArea, TextInput } from '../field.tsx';
import { EnumControl } from './enum-control.tsx';
import type { ControlProps } from './form-context.ts';
import { ListControl } from './list-control.tsx';
import { ObjectControl } from './object-control.tsx';

/** The control for a value by its type. */
export function Control(props: ControlProps & { readonly isMultiline?: boolean }) {
  const { property, attributes, label, value, isDisabled, onChange, isMultiline = false } = props;
  if (property.enum !== undefined && property.type !== 'array') return <EnumControl {...props} />;
  switch (property.type) {
    case 'boolean':
      return (
        <Switch
          {...attributes}
          aria-label={label}
          disabled={isDisabled}
          isOn={(value ?? property.default) === true}
          onChange={onChange}
        />
      );
    case 'number':
      return <NumberControl {...props} />;
    case 'array':
      return <ListControl {...props} />;
    case 'object':
      return <ObjectControl {...props} />;
    default: {
      const shared = {
        ...attributes,
        ...(attributes.id === undefined ? { 'aria-label': label } : {}),
        disabled: isDisabled,
        value: typeof value === 'string' ? value : '',
        placeholder: typeof property.default === 'string' ? property.default : '',
      };
      return isMultiline ? (
        <TextArea
          {...shared}
          rows={4}
          onChange={(event) => onChange(event.currentTarget.value || undefined)}
        />
      ) : (
        <TextInput {...shared} onChange={(event) => onChange(event.currentTarget.value || undefined)} />
      );
    }
  }
}

/** A number. What is typed stays as it is until it is a number, and is passed on as text so that the form can report the fault. */
function NumberControl({ attributes, label, property, value, isDisabled, onChange }: ControlProps) {
  const [typed, setTyped] = useState(shown(value));
  const given = useRef(value);
  useEffect(() => {
    if (value === given.current) return;
    given.current = value;
    setTyped(shown(value));
  }, [value]);
  return (
    <TextInput
      {...attributes}
      {...(attributes.id === undefined ? { 'aria-label': label } : {})}
      inputMode="decimal"
      disabled={isDisabled}
      value={typed}
      placeholder={typeof property.default === 'number' ? String(property.default) : ''}
      onChange={(event) => {
        const next = event.currentTarget.value;
        setTyped(next);
        const number = Number(next);
        given.current = next.trim() === '' ? undefined : Number.isNaN(number) ? next : number;
        onChange(given.current);
      }}
    />
  );
}

const shown = (value: unknown): string =>
  typeof value === 'number' || typeof value === 'string' ? String(value) : '';
