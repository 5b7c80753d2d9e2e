import { errorText } from '@agenthost/protocol/values';
import type { StoredEnvelope } from '../rows.ts';
import { DamageError } from './errors.ts';

/**
 * Reads a row that a host of database version 13 or older wrote. Its `run` is JSON of four numbers for each envelope: `serverSeq` and
 * time, each minus that of the envelope before, the number of characters that it shares with the beginning of the first envelope, and the
 * number of characters of its own in `text`. A negative third number n stands for -1 - n shared characters, and the envelope's JSON then
 * ends with its number and time, which `text` leaves out. Throws `DamageError` when `run` is not such JSON or does not fit `text`.
 */
export function splitPrefixed(text: string, run: string, channel: string): StoredEnvelope[] {
  const parts = readParts(run);
  const first = text.slice(0, parts[3]);
  const envelopes: StoredEnvelope[] = [];
  let [seq, time, end] = [0, 0, 0];
  for (let index = 0; index + 3 < parts.length; index += 4) {
    const [seqStep = 0, timeStep = 0, shared = 0, length = 0] = parts.slice(index, index + 4);
    seq += seqStep;
    time += timeStep;
    const json = first.slice(0, shared < 0 ? -1 - shared : shared) + text.slice(end, end + length);
    const ending = shared < 0 ? `},"serverSeq":${seq},"x-time":${time}}` : '';
    envelopes.push({ seq, channel, time, json: json + ending });
    end += length;
  }
  if (end !== text.length)
    throw new DamageError(`the journal is damaged: the run up to ${seq} does not add up`);
  return envelopes;
}

function readParts(run: string): number[] {
  try {
    return JSON.parse(run);
  } catch (error) {
    throw new DamageError(`the journal is damaged: ${errorText(error)}`);
  }
}
