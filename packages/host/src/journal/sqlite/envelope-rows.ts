import type { StoredEnvelope } from '../journal.ts';
import { decompress } from './compression.ts';
import { DamageError } from './errors.ts';
import { JOINED, maxJoinedBytes, splitJoined } from './joined-rows.ts';
import { splitPrefixed } from './prefix-rows.ts';
import { number, optionalText, type Row, text, textOrBytes } from './statements.ts';

/** The columns that `readEnvelopeRow` needs. */
export const ENVELOPE_COLUMNS = 'seq, channel, time, count, run, bytes, json';

/** The envelopes of a row, oldest first. Throws `DamageError` when they cannot be told apart. */
export function readEnvelopeRow(row: Row): StoredEnvelope[] {
  const seq = number(row, 'seq');
  const channel = text(row, 'channel');
  const json = decompress(
    textOrBytes(row, 'json'),
    maxJoinedBytes(number(row, 'bytes'), number(row, 'count')),
  );
  const run = optionalText(row, 'run');
  if (run === undefined) return [{ seq, channel, time: number(row, 'time'), json }];
  const envelopes = run === JOINED ? splitJoined(json, channel) : splitPrefixed(json, run, channel);
  if (envelopes.at(-1)?.seq !== seq)
    throw new DamageError(`the journal is damaged: the row of envelope ${seq} does not add up`);
  return envelopes;
}
