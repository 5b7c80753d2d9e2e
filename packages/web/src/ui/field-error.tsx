import { useState } from 'react';
import { classes } from './class-names.ts';

/**
 * What is wrong with a field. When that is mended, the line stays empty: a button below must not move away from a press that corrects the field by
 * leaving it.
 */
export function FieldError({ id, error }: { readonly id?: string; readonly error: string | undefined }) {
  const [last, setLast] = useState(error);
  if (error !== undefined && error !== last) setLast(error);
  if (last === undefined) return null;
  const isOpen = error !== undefined;
  return (
    <p
      {...(isOpen ? { id, role: 'alert' } : {})}
      className={classes('text-xs text-danger', !isOpen && 'invisible')}
    >
      {error ?? last}
    </p>
  );
}
