import { Plus, X } from 'lucide-react';
import { useId } from 'react';
import { text } from '../../text/text.ts';
import { visibleText } from '../../text/visible-text.ts';
import { Button, IconButton } from '../button.tsx';
import { SafeText } from '../safe-text.tsx';
import { type ControlProps, useForm } from './form-context.ts';
import { emptyValue } from './schema-faults.ts';

/** A list of values: boxes to tick when the entries are a choice, else one control per entry. */
export function ListControl(props: ControlProps) {
  const { Control } = useForm();
  const { property, value, label, isDisabled, onChange } = props;
  const given: unknown = value ?? property.default;
  const entries: readonly unknown[] = Array.isArray(given) ? given : [];
  const { items, maxItems = Number.POSITIVE_INFINITY } = property;
  if (items?.enum !== undefined) return <Boxes {...props} entries={entries} />;
  const entry = items ?? { type: 'string' as const, title: '' };
  return (
    <div className="flex flex-col gap-2">
      {entries.map((each, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- entries are values without an identity
        <div key={index} className="flex items-start gap-1.5">
          <div className="min-w-0 flex-1">
            <Control
              attributes={{}}
              label={`${label}, ${text.schemaForm.item(index + 1)}`}
              property={entry}
              value={each}
              isDisabled={isDisabled}
              onChange={(next) => onChange(entries.with(index, next ?? ''))}
            />
          </div>
          <IconButton
            label={text.schemaForm.removeItem(index + 1)}
            disabled={isDisabled}
            onClick={() => onChange(entries.toSpliced(index, 1))}
          >
            <X className="size-4" aria-hidden />
          </IconButton>
        </div>
      ))}
      <Button
        size="small"
        className="self-start"
        disabled={isDisabled || entries.length >= maxItems}
        onClick={() => onChange([...entries, emptyValue(items)])}
      >
        <Plus className="size-4" aria-hidden />
        {text.schemaForm.add}
      </Button>
    </div>
  );
}

function Boxes({
  property,
  isDisabled,
  onChange,
  entries,
}: ControlProps & { readonly entries: readonly unknown[] }) {
  const id = useId();
  const { enum: offered = [], enumLabels, enumDescriptions } = property.items ?? {};
  return (
    <div className="flex flex-col gap-1">
      {offered.map((each, index) => {
        const description = enumDescriptions?.[index];
        return (
          <label
            key={String(each)}
            htmlFor={`${id}-${index}`}
            className="flex items-start gap-2.5 text-sm touch:min-h-11"
          >
            <input
              id={`${id}-${index}`}
              type="checkbox"
              className="mt-1 size-4 accent-accent"
              disabled={isDisabled}
              checked={entries.includes(each)}
              onChange={(event) =>
                onChange(
                  event.currentTarget.checked
                    ? [...entries, each]
                    : entries.filter((present) => present !== each),
                )
              }
            />
            <span>
              <SafeText>{visibleText(enumLabels?.[index] ?? String(each))}</SafeText>
              {description !== undefined && (
                <span className="block text-xs text-muted">
                  <SafeText>{description}</SafeText>
                </span>
              )}
            </span>
          </label>
        );
      })}
    </div>
  );
}
