import { type RefObject, type TextareaHTMLAttributes, useLayoutEffect } from 'react';
import { COMPOSER_FIELD } from '../questions/open-panels.ts';
import { classes } from '../ui/class-names.ts';

const GROWS_BY_ITSELF = CSS.supports('field-sizing', 'content');

/** Highest part of the window that the field takes. */
const MOST_HEIGHT = 'max-h-[40vh]';

/** A field that grows with its text. */
export function MessageField({
  field,
  value,
  isCommand,
  ...rest
}: TextareaHTMLAttributes<HTMLTextAreaElement> & {
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly value: string;
  /** The text is a command of a terminal. */
  readonly isCommand: boolean;
}) {
  useLayoutEffect(() => {
    const element = field.current;
    if (GROWS_BY_ITSELF || element === null) return;
    element.style.height = 'auto';
    element.style.height = `${element.scrollHeight}px`;
  }, [field, value]);
  return (
    <textarea
      {...rest}
      {...{ [COMPOSER_FIELD]: '' }}
      ref={field}
      value={value}
      rows={1}
      dir="auto"
      className={classes(
        'block min-h-6 w-full resize-none overflow-y-auto bg-transparent px-1 text-[0.9375rem] leading-6 outline-none placeholder:text-faint touch:text-base',
        '[field-sizing:content]',
        MOST_HEIGHT,
        isCommand && 'font-mono',
      )}
    />
  );
}
