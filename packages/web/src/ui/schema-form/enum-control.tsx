import type { ConfigPropertySchema, JsonPrimitive } from '@agenthost/protocol';
import { text } from '../../text/text.ts';
import { visibleText } from '../../text/visible-text.ts';
import { Select } from '../field.tsx';
import type { ControlProps } from './form-context.ts';

/** A choice among the values of `enum`, with their labels. */
export function EnumControl({ attributes, label, property, value, isDisabled, onChange }: ControlProps) {
  const offered = property.enum ?? [];
  const at = offered.indexOf(chosenOf(property, value));
  return (
    <Select
      {...attributes}
      {...(attributes.id === undefined ? { 'aria-label': label } : {})}
      disabled={isDisabled}
      value={at < 0 ? '' : String(at)}
      onChange={(event) => {
        const { value: index } = event.currentTarget;
        onChange(index === '' ? undefined : offered[Number(index)]);
      }}
    >
      {(at < 0 || property.default === undefined) && <option value="">{text.schemaForm.unset}</option>}
      {offered.map((each, index) => (
        <option key={String(each)} value={index}>
          {visibleText(property.enumLabels?.[index] ?? String(each))}
        </option>
      ))}
    </Select>
  );
}

/** The description of the chosen value; `undefined` when there is none. */
export function enumDescription(property: ConfigPropertySchema, value: unknown): string | undefined {
  const at = property.enum?.indexOf(chosenOf(property, value)) ?? -1;
  return at < 0 ? undefined : property.enumDescriptions?.[at];
}

/** The value, or the default; `null` for a value that no `enum` can have. */
function chosenOf(property: ConfigPropertySchema, value: unknown): JsonPrimitive {
  const chosen = value ?? property.default;
  switch (typeof chosen) {
    case 'string':
    case 'number':
    case 'boolean':
      return chosen;
    default:
      return null;
  }
}
