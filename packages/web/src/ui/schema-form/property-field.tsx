import type { SessionConfigPropertySchema } from '@agenthost/protocol';
import { text } from '../../text/text.ts';
import { visibleText } from '../../text/visible-text.ts';
import { CodeText } from '../code-text.tsx';
import { Field, Switch } from '../field.tsx';
import { FieldError } from '../field-error.tsx';
import { SafeText } from '../safe-text.tsx';
import { DynamicControl } from './dynamic-control.tsx';
import { enumDescription } from './enum-control.tsx';
import { type PropertyFieldProps, useForm } from './form-context.ts';

/** One property of a form: label, control, description and error. */
export function PropertyField(props: PropertyFieldProps) {
  const { name, property, value, error, isRequired, isMultiline, onChange } = props;
  const { Control, ...form } = useForm();
  const isDisabled = form.isDisabled || property.readOnly === true;
  const label = property.title === '' ? name : property.title;
  if (property.type === 'boolean' && property.enum === undefined)
    return <SwitchField {...props} label={label} isDisabled={isDisabled} />;
  const isDynamic = property.enumDynamic === true && form.completions !== undefined;
  const isGroup = property.type === 'object' || property.type === 'array';
  const control = { label: visibleText(label), property, value, isDisabled, onChange };
  if (isGroup)
    return (
      <fieldset className="flex flex-col gap-2" disabled={isDisabled}>
        <legend className="mb-1 text-sm font-medium">
          <SafeText>{label}</SafeText>
          {isRequired && <span aria-hidden> *</span>}
        </legend>
        <Control {...control} attributes={{}} isMultiline={isMultiline} />
        <Notes property={property} value={value} />
        <FieldError error={error} />
      </fieldset>
    );
  return (
    <Field
      label={<SafeText>{label}</SafeText>}
      description={hasNotes(property, value) ? <Notes property={property} value={value} /> : undefined}
      error={error}
      isRequired={isRequired}
    >
      {(attributes) =>
        isDynamic ? (
          <DynamicControl {...control} attributes={attributes} name={name} />
        ) : (
          <Control {...control} attributes={attributes} isMultiline={isMultiline} />
        )
      }
    </Field>
  );
}

function SwitchField({
  property,
  value,
  error,
  label,
  isDisabled,
  onChange,
}: PropertyFieldProps & { readonly label: string; readonly isDisabled: boolean }) {
  return (
    <div className="flex items-start justify-between gap-4">
      <div className="min-w-0">
        <p className="text-sm font-medium" aria-hidden>
          <SafeText>{label}</SafeText>
        </p>
        <Notes property={property} value={value} />
        <FieldError error={error} />
      </div>
      <Switch
        aria-label={visibleText(label)}
        disabled={isDisabled}
        isOn={(value ?? property.default) === true}
        onChange={onChange}
      />
    </div>
  );
}

const hasNotes = (property: SessionConfigPropertySchema, value: unknown): boolean =>
  property.description !== undefined ||
  property.readOnly === true ||
  enumDescription(property, value) !== undefined;

/** The descriptions of the property and of the chosen value. */
function Notes({
  property,
  value,
}: {
  readonly property: SessionConfigPropertySchema;
  readonly value: unknown;
}) {
  const chosen = enumDescription(property, value);
  const notes = [
    property.description,
    chosen,
    property.readOnly === true ? text.schemaForm.readOnly : undefined,
  ].filter((note) => note !== undefined && note !== '');
  return notes.map((note) => (
    <span key={note} className="block text-xs text-muted">
      <CodeText>{note ?? ''}</CodeText>
    </span>
  ));
}
