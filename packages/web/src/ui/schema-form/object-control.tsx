import type { ConfigPropertySchema } from '@agenthost/protocol';
import { Plus, X } from 'lucide-react';
import { text } from '../../text/text.ts';
import { Button, IconButton } from '../button.tsx';
import { TextInput } from '../field.tsx';
import { type ControlProps, useForm } from './form-context.ts';
import { emptyValue, isRecord, withoutKey } from './schema-faults.ts';

/** An object: its known fields, and rows of name and value for others. */
export function ObjectControl({ property, value, label, isDisabled, onChange }: ControlProps) {
  const { PropertyField } = useForm();
  const given: unknown = value ?? property.default;
  const fields = isRecord(given) ? given : {};
  const known = property.properties ?? {};
  const set = (name: string, next: unknown): void =>
    onChange(next === undefined ? withoutKey(fields, name) : { ...fields, [name]: next });
  return (
    <div className="flex flex-col gap-4 border-s border-line ps-4">
      {Object.entries(known).map(([name, each]) => (
        <PropertyField
          key={name}
          name={name}
          property={each}
          value={fields[name]}
          error={undefined}
          isRequired={property.required?.includes(name) === true}
          isMultiline={false}
          onChange={(next) => set(name, next)}
        />
      ))}
      {property.additionalProperties !== undefined && (
        <OtherFields
          fields={Object.entries(fields).filter(([name]) => !Object.hasOwn(known, name))}
          kept={Object.fromEntries(Object.entries(fields).filter(([name]) => Object.hasOwn(known, name)))}
          property={property.additionalProperties}
          label={label}
          isDisabled={isDisabled}
          onChange={onChange}
        />
      )}
    </div>
  );
}

interface OtherFieldsProps {
  readonly fields: readonly (readonly [string, unknown])[];
  /** Fields that the schema knows, which stay. */
  readonly kept: Readonly<Record<string, unknown>>;
  readonly property: ConfigPropertySchema;
  readonly label: string;
  readonly isDisabled: boolean;
  readonly onChange: (value: unknown) => void;
}

function OtherFields({ fields, kept, property, label, isDisabled, onChange }: OtherFieldsProps) {
  const { Control } = useForm();
  const save = (next: readonly (readonly [string, unknown])[]): void =>
    onChange({ ...kept, ...Object.fromEntries(next) });
  const has = (name: string): boolean => Object.hasOwn(kept, name) || fields.some(([each]) => each === name);
  return (
    <div className="flex flex-col gap-2">
      {fields.map(([name, value], index) => (
        // oxlint-disable-next-line react/no-array-index-key -- the name changes while a person types it
        <div key={index} className="flex items-start gap-1.5">
          <TextInput
            aria-label={`${label}, ${text.schemaForm.key} ${index + 1}`}
            placeholder={text.schemaForm.key}
            className="max-w-40 flex-1"
            disabled={isDisabled}
            value={name}
            onChange={(event) => {
              const next = event.currentTarget.value;
              // Two fields cannot have one name; the key press is left out.
              if (!has(next)) save(fields.with(index, [next, value]));
            }}
          />
          <div className="min-w-0 flex-1">
            <Control
              attributes={{}}
              label={`${label}, ${text.schemaForm.value} ${index + 1}`}
              property={property}
              value={value}
              isDisabled={isDisabled}
              onChange={(next) => save(fields.with(index, [name, next ?? emptyValue(property)]))}
            />
          </div>
          <IconButton
            label={text.schemaForm.removeItem(index + 1)}
            disabled={isDisabled}
            onClick={() => save(fields.toSpliced(index, 1))}
          >
            <X className="size-4" aria-hidden />
          </IconButton>
        </div>
      ))}
      <Button
        size="small"
        className="self-start"
        disabled={isDisabled || has('')}
        onClick={() => save([...fields, ['', emptyValue(property)]])}
      >
        <Plus className="size-4" aria-hidden />
        {text.schemaForm.add}
      </Button>
    </div>
  );
}
