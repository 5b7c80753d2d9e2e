import { type KeyboardEvent, useId, useState } from 'react';
import { text } from '../text/text.ts';
import { classes } from './class-names.ts';
import { type ControlAttributes, TextInput } from './field.tsx';
import { SafeText } from './safe-text.tsx';

/** A value that a combobox proposes. */
export interface ComboboxOption {
  readonly value: string;
  readonly label: string;
  readonly description?: string;
}

/** A text field with proposals. Arrow keys choose, Enter and Tab take a chosen one, Escape closes the list. */
export function Combobox({
  attributes,
  label,
  value,
  options,
  onChange,
  onTake,
  onOpenChange,
  placeholder,
  isDisabled = false,
  className,
}: {
  readonly attributes: Partial<ControlAttributes>;
  /** Name of the list, and of the field when no label is connected. */
  readonly label: string;
  readonly value: string;
  readonly options: readonly ComboboxOption[];
  readonly onChange: (value: string) => void;
  /** Called instead of `onChange` when a proposal is taken. */
  readonly onTake?: (value: string) => void;
  readonly onOpenChange?: (isOpen: boolean) => void;
  readonly placeholder?: string;
  readonly isDisabled?: boolean;
  readonly className?: string;
}) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const [at, setAt] = useState(-1);
  const open = (next: boolean): void => {
    setOpen(next);
    setAt(-1);
    onOpenChange?.(next);
  };
  const isShown = isOpen && options.length > 0;
  const take = (option: ComboboxOption): void => {
    (onTake ?? onChange)(option.value);
    if (onTake === undefined) open(false);
    else setAt(-1);
  };
  const press = (event: KeyboardEvent<HTMLInputElement>): void => {
    const chosen = options[at];
    switch (event.key) {
      case 'ArrowDown':
        if (!isOpen) open(true);
        setAt((before) => Math.min(before + 1, options.length - 1));
        break;
      case 'ArrowUp':
        setAt((before) => Math.max(before - 1, -1));
        break;
      case 'Enter':
      case 'Tab':
        if (!isShown || chosen === undefined) return;
        take(chosen);
        break;
      case 'Escape':
        if (!isShown) return;
        open(false);
        break;
      default:
        return;
    }
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div className={classes('relative', className)}>
      <TextInput
        {...attributes}
        {...(attributes.id === undefined ? { 'aria-label': label } : {})}
        role="combobox"
        aria-expanded={isShown}
        aria-controls={id}
        aria-autocomplete="list"
        aria-activedescendant={isShown && at >= 0 ? `${id}-${at}` : undefined}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        disabled={isDisabled}
        value={value}
        placeholder={placeholder}
        onFocus={() => open(true)}
        onBlur={() => open(false)}
        onKeyDown={press}
        onChange={(event) => {
          if (!isOpen) open(true);
          setAt(-1);
          onChange(event.currentTarget.value);
        }}
      />
      <ul
        id={id}
        role="listbox"
        aria-label={`${label}: ${text.schemaForm.suggestions}`}
        hidden={!isShown}
        className="absolute inset-x-0 top-full z-30 mt-1 max-h-64 overflow-y-auto rounded-xl border border-line bg-raised p-1 shadow-xl"
      >
        {options.map((option, index) => (
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus -- the keys are those of the field
          <li
            key={option.value}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === at}
            // The field keeps the focus.
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => take(option)}
            className={classes(
              'flex min-h-8 cursor-default flex-col justify-center rounded-lg px-2.5 py-1 text-sm hover:bg-hover touch:min-h-11',
              index === at && 'bg-hover',
            )}
          >
            <span className="truncate" title={option.label}>
              <SafeText>{option.label}</SafeText>
            </span>
            {option.description !== undefined && (
              <span className="truncate text-xs text-muted">
                <SafeText>{option.description}</SafeText>
              </span>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}
