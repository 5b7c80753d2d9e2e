import { decompress } from './compression.ts';
import { number, type Row, textOrBytes } from './statements.ts';

/** The columns of `channels` and `states` that `storedState` reads. */
export const STATE_COLUMNS = 'state_bytes, state';

/** The JSON of a channel's state. Throws `DamageError` when it cannot be read. */
export function storedState(row: Row): string {
  return decompress(textOrBytes(row, 'state'), number(row, 'state_bytes'));
}
