import type { SessionConfigSchema } from '@agenthost/protocol';
import { Control } from './control.tsx';
import { type Completions, FormContext } from './form-context.ts';
import { PropertyField } from './property-field.tsx';
import { withoutKey } from './schema-faults.ts';

/**
 * A form made of a schema. A property without a value shows its default; clearing a text field removes the value. `errors` has sentences by property
 * name. `onChange` also gets the name of the property that changed.
 */
export function SchemaForm({
  schema,
  values,
  onChange,
  errors = {},
  completions,
  isDisabled = false,
  isMultiline,
}: {
  readonly schema: SessionConfigSchema;
  readonly values: Readonly<Record<string, unknown>>;
  readonly onChange: (values: Record<string, unknown>, changed: string) => void;
  readonly errors?: Readonly<Record<string, string>>;
  /** The choices of a property with `enumDynamic`. */
  readonly completions?: Completions | undefined;
  readonly isDisabled?: boolean;
  /** Whether a text property gets a field of several lines. Default: none does. */
  readonly isMultiline?: (property: string) => boolean;
}) {
  return (
    <FormContext value={{ completions, isDisabled, Control, PropertyField }}>
      <div className="flex flex-col gap-5">
        {Object.entries(schema.properties).map(([name, property]) => (
          <PropertyField
            key={name}
            name={name}
            property={property}
            value={values[name]}
            error={errors[name]}
            isRequired={schema.required?.includes(name) === true}
            isMultiline={isMultiline?.(name) === true}
            onChange={(value) =>
              onChange(value === undefined ? withoutKey(values, name) : { ...values, [name]: value }, name)
            }
          />
        ))}
      </div>
    </FormContext>
  );
}
