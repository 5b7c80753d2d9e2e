import type { StoredEnvelope } from './journal.ts';
import { DamageError } from './sqlite-errors.ts';
import { number, optionalText, type Row, text } from './sqlite-rows.ts';

/** A row of `envelopes` ends at so many envelopes or characters, so that cutting one while trimming stays cheap. */
const MAX_COUNT = 256;
const MAX_LENGTH = 64 * 1024;

/** The columns that `unpack` reads. */
export const RUN_COLUMNS = 'seq, channel, time, run, json';

/** What a row of `envelopes` says of its envelopes. */
export interface PackedRun {
  readonly channel: string;
  readonly firstSeq: number;
  readonly firstTime: number;
  readonly seq: number;
  readonly time: number;
  readonly count: number;
  /** Of UTF-8. */
  readonly bytes: number;
  /** Sequence number, time and length (UTF-16 code units) of each, as JSON; `null` for a single one. */
  readonly run: string | null;
  readonly json: string;
}

/**
 * Neighbours on one channel on their way into one row: a row costs SQLite the same whether it holds one delta or a tick
 * of them, and that is most of what journaling a delta costs.
 */
export class Run {
  readonly channel: string;
  readonly #parts: number[] = [];
  readonly #jsons: string[] = [];
  #length = 0;
  #bytes = 0;

  constructor(channel: string) {
    this.channel = channel;
  }

  get isFull(): boolean {
    return this.#jsons.length >= MAX_COUNT || this.#length >= MAX_LENGTH;
  }

  add(seq: number, time: number, json: string): void {
    this.#parts.push(seq, time, json.length);
    this.#jsons.push(json);
    this.#length += json.length;
    this.#bytes += Buffer.byteLength(json);
  }

  /** The row of a run that has at least one envelope. */
  pack(): PackedRun {
    const parts = this.#parts;
    const [firstSeq = 0, firstTime = 0] = parts;
    const [seq = 0, time = 0] = parts.slice(-3);
    const count = this.#jsons.length;
    const run = count === 1 ? null : `[${parts.join()}]`;
    const json = this.#jsons.join('');
    return { channel: this.channel, firstSeq, firstTime, seq, time, count, bytes: this.#bytes, run, json };
  }
}

/** The envelopes of a row, oldest first. Throws `DamageError` when they cannot be told apart. */
export function unpack(row: Row): StoredEnvelope[] {
  const channel = text(row, 'channel');
  const json = text(row, 'json');
  const run = optionalText(row, 'run');
  if (run === undefined) return [{ seq: number(row, 'seq'), channel, time: number(row, 'time'), json }];
  const parts = readParts(run);
  const envelopes: StoredEnvelope[] = [];
  let end = 0;
  for (let index = 0; index + 2 < parts.length; index += 3) {
    const [seq = 0, time = 0, length = 0] = parts.slice(index, index + 3);
    envelopes.push({ seq, channel, time, json: json.slice(end, end + length) });
    end += length;
  }
  if (end !== json.length)
    throw new DamageError(`the journal is damaged: a run of ${end} characters has ${json.length}`);
  return envelopes;
}

function readParts(run: string): number[] {
  try {
    return JSON.parse(run);
  } catch (error) {
    throw new DamageError(
      `the journal is damaged: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
