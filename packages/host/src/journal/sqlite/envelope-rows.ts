import { errorText } from '@agenthost/protocol/values';
import type { StoredEnvelope } from '../rows.ts';
import { decompress } from './compression.ts';
import { DamageError } from './errors.ts';
import { number, optionalText, type Row, text, textOrBytes } from './statements.ts';

/** Value of the `run` column for a row with more than one envelope. Rows of older versions have JSON there. */
const JOINED = 'joined';

/** Limits of one row, in envelopes and in characters, so that cutting a row while trimming stays cheap. */
const MAX_COUNT = 512;
const MAX_LENGTH = 64 * 1024;

/** Largest size of three numbers with a space behind each. */
const MAX_HEADER_BYTES = 3 * (String(Number.MIN_SAFE_INTEGER).length + 1);

/** A row of `envelopes` before compression. `seq` and `time` are those of the last envelope. */
export interface JoinedRow {
  readonly channel: string;
  readonly firstSeq: number;
  readonly firstTime: number;
  readonly seq: number;
  readonly time: number;
  readonly count: number;
  /** Bytes of the JSON of all its envelopes in UTF-8, whatever the row takes on disk. */
  readonly bytes: number;
  /** `null` for a single envelope. */
  readonly run: typeof JOINED | null;
  readonly json: string;
}

/**
 * Joins neighbouring envelopes of one channel into one row. SQLite takes the same time to insert one delta or those of a whole tick.
 *
 * The row is a text: for each envelope its `serverSeq` and its time in ms (each minus that of the envelope before; the first minus 0),
 * the length of its JSON in characters, a space behind each number, then the JSON.
 */
export class RowBuilder {
  readonly channel: string;
  #firstSeq = 0;
  #firstTime = 0;
  #seq = 0;
  #time = 0;
  #count = 0;
  #first = '';
  #text = '';
  #headerLength = 0;

  constructor(channel: string) {
    this.channel = channel;
  }

  get isFull(): boolean {
    return this.#count >= MAX_COUNT || this.#text.length >= MAX_LENGTH;
  }

  add({ seq, time, json }: Omit<StoredEnvelope, 'channel'>): void {
    if (this.#count === 0) [this.#firstSeq, this.#firstTime, this.#first] = [seq, time, json];
    const header = `${seq - this.#seq} ${time - this.#time} ${json.length} `;
    this.#text += header + json;
    this.#headerLength += header.length;
    this.#seq = seq;
    this.#time = time;
    this.#count += 1;
  }

  /** The row. At least one envelope must have been added. */
  build(): JoinedRow {
    const isJoined = this.#count > 1;
    const json = isJoined ? this.#text : this.#first;
    return {
      channel: this.channel,
      firstSeq: this.#firstSeq,
      firstTime: this.#firstTime,
      seq: this.#seq,
      time: this.#time,
      count: this.#count,
      // Headers are ASCII.
      bytes: Buffer.byteLength(json) - (isJoined ? this.#headerLength : 0),
      run: isJoined ? JOINED : null,
      json,
    };
  }
}

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

/** The largest size in bytes of a joined row before compression. */
const maxJoinedBytes = (bytes: number, count: number): number => bytes + count * MAX_HEADER_BYTES;

/** The envelopes of a joined row, oldest first. Throws `DamageError` when `text` is not what `RowBuilder` makes. */
function splitJoined(text: string, channel: string): StoredEnvelope[] {
  const header = /(\d+) (-?\d+) (\d+) /y;
  const envelopes: StoredEnvelope[] = [];
  let [seq, time] = [0, 0];
  while (header.lastIndex < text.length) {
    const start = header.lastIndex;
    const [, seqStep, timeStep, length] = header.exec(text) ?? [];
    const end = header.lastIndex + Number(length);
    if (length === undefined || end > text.length)
      throw new DamageError(`the journal is damaged: a joined row has no envelope at character ${start}`);
    seq += Number(seqStep);
    time += Number(timeStep);
    envelopes.push({ seq, channel, time, json: text.slice(header.lastIndex, end) });
    header.lastIndex = end;
  }
  return envelopes;
}

/**
 * Reads a row that a host of database version 13 or older wrote. Its `run` is JSON of four numbers for each envelope: `serverSeq` and
 * time, each minus that of the envelope before, the number of characters that it shares with the beginning of the first envelope, and the
 * number of characters of its own in `text`. A negative third number n stands for -1 - n shared characters, and the envelope's JSON then
 * ends with its number and time, which `text` leaves out. Throws `DamageError` when `run` is not such JSON or does not fit `text`.
 */
function splitPrefixed(text: string, run: string, channel: string): StoredEnvelope[] {
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
