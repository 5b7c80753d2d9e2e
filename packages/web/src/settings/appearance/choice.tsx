import { useId } from 'react';
import { classes } from '../../ui/class-names.ts';

/** A choice of few values, all of them visible. */
export function Choice<T extends string>({
  label,
  value,
  options,
  onChange,
}: {
  readonly label: string;
  readonly value: T;
  readonly options: readonly (readonly [value: T, label: string])[];
  readonly onChange: (value: T) => void;
}) {
  const name = useId();
  return (
    <div
      role="radiogroup"
      aria-label={label}
      className="flex max-w-full flex-wrap gap-0.5 rounded-lg border border-line-strong bg-sunken p-0.5"
    >
      {options.map(([option, optionLabel]) => (
        <label
          key={option}
          className={classes(
            'inline-flex min-h-8 cursor-pointer items-center rounded-md px-2.5 text-sm select-none sm:px-3 touch:min-h-10',
            'has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-(--c-focus)',
            option === value
              ? 'bg-raised font-medium text-text shadow-sm ring-1 ring-line-strong'
              : 'text-muted hover:text-text',
          )}
        >
          <input
            type="radio"
            name={name}
            value={option}
            checked={option === value}
            onChange={() => onChange(option)}
            className="sr-only"
          />
          {optionLabel}
        </label>
      ))}
    </div>
  );
}
