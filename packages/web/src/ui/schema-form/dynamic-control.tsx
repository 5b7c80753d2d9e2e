import type { SessionConfigValueItem } from '@agenthost/protocol';
import { useEffect, useState } from 'react';
import { Combobox } from '../combobox.tsx';
import { type ControlProps, useForm } from './form-context.ts';

/** How long typing must pause before the host is asked for choices. Milliseconds. */
const PAUSE_MS = 150;

/** A text with choices that the host finds while a person types. Any text is allowed; the host checks it. */
export function DynamicControl({
  attributes,
  name,
  label,
  property,
  value,
  isDisabled,
  onChange,
}: ControlProps & { readonly name: string }) {
  const { completions } = useForm();
  const typed = typeof value === 'string' ? value : '';
  const [isOpen, setOpen] = useState(false);
  const [items, setItems] = useState<readonly SessionConfigValueItem[]>([]);
  useEffect(() => {
    if (!isOpen || completions === undefined) return undefined;
    const abort = new AbortController();
    const timer = setTimeout(() => {
      completions(name, typed, abort.signal).then(
        (found) => {
          if (!abort.signal.aborted) setItems(found);
        },
        // Without choices the field takes any text.
        () => {
          if (!abort.signal.aborted) setItems([]);
        },
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [isOpen, completions, name, typed]);
  return (
    <Combobox
      attributes={attributes}
      label={label}
      value={typed}
      placeholder={typeof property.default === 'string' ? property.default : ''}
      isDisabled={isDisabled}
      onOpenChange={setOpen}
      onChange={(next) => onChange(next === '' ? undefined : next)}
      options={items.map(({ value: each, label: shown, description }) => ({
        value: each,
        label: shown,
        ...(description === undefined ? {} : { description }),
      }))}
    />
  );
}
