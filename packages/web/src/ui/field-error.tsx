import { useState } from 'react';
import { classes } from './class-names.ts';

/**
 * The error of a field. After the error is solved, an empty line keeps its place, so that a button below does not move while somebody presses it.
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
