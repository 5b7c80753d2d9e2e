import { type EnvelopePieces, envelopeEnd } from './envelope-end.ts';
import type { StoredEnvelope } from './journal.ts';
import { decompress } from './sqlite-compression.ts';
import { DamageError } from './sqlite-errors.ts';
import { number, optionalText, type Row, text, textOrBytes } from './sqlite-rows.ts';

/** A row of `envelopes` ends at so many envelopes or characters, so that cutting one while trimming stays cheap. */
const MAX_COUNT = 512;
const MAX_LENGTH = 64 * 1024;

/** The columns that `unpack` reads. */
export const RUN_COLUMNS = 'seq, channel, time, run, bytes, json';

/** What a row of `envelopes` says of its envelopes. */
export interface PackedRun {
  readonly channel: string;
  readonly firstSeq: number;
  readonly firstTime: number;
  readonly seq: number;
  readonly time: number;
  readonly count: number;
  /** Of all its envelopes in UTF-8, whatever the row takes. */
  readonly bytes: number;
  /**
   * JSON of four numbers for each envelope: sequence number and time, both less those of the one before (at first less 0), how
   * many characters it shares with the beginning of the first, and how many follow. The third is -1 less the characters where
   * `envelopeEnd` was left away. `null` for a single envelope.
   */
  readonly run: string | null;
  /** The first envelope, then of each other what it does not share with that; of each without the end that was left away. */
  readonly json: string;
}

/**
 * Neighbours on one channel on their way into one row: a row costs SQLite the same whether it holds one delta or a tick
 * of them, and two thirds of a delta's JSON say again where it belongs.
 */
export class Run {
  readonly channel: string;
  readonly #parts: number[] = [];
  readonly #first = { seq: 0, time: 0, json: '' };
  readonly #last = { seq: 0, time: 0 };
  /** What the first begins with and all since that came in one piece, or the first itself. */
  #prefix = '';
  /** What the first begins with, if it came in pieces, and its length in UTF-8. */
  #begin: string | undefined;
  #beginBytes = 0;
  #count = 0;
  #json = '';
  /** Of what `#json` does not hold. */
  #leftAwayBytes = 0;

  constructor(channel: string) {
    this.channel = channel;
  }

  get isFull(): boolean {
    return this.#count >= MAX_COUNT || this.#json.length >= MAX_LENGTH;
  }

  add({ seq, time, json, pieces }: StoredEnvelope & { readonly pieces?: EnvelopePieces }): void {
    if (this.#count === 0) this.#start({ seq, time, json }, pieces);
    else if (pieces !== undefined && pieces.begin === this.#begin) {
      // No look at the text: it is not even one string yet.
      const { begin, text } = pieces;
      this.#push(seq, time, -1 - begin.length, text);
      this.#leftAwayBytes += this.#beginBytes + json.length - begin.length - text.length;
    } else {
      // Three times as fast as `startsWith`.
      const begins = json.slice(0, this.#prefix.length) === this.#prefix;
      if (!begins) this.#prefix = commonPrefix(this.#prefix, json);
      this.#push(seq, time, this.#prefix.length, json.slice(this.#prefix.length));
      this.#leftAwayBytes += Buffer.byteLength(this.#prefix);
    }
  }

  /** The row of a run that has at least one envelope. */
  pack(): PackedRun {
    const isRun = this.#count > 1;
    return {
      channel: this.channel,
      firstSeq: this.#first.seq,
      firstTime: this.#first.time,
      seq: this.#last.seq,
      time: this.#last.time,
      count: this.#count,
      bytes: Buffer.byteLength(this.#json) + this.#leftAwayBytes,
      run: isRun ? JSON.stringify(this.#parts) : null,
      json: isRun ? this.#json : this.#first.json,
    };
  }

  #start(first: { seq: number; time: number; json: string }, pieces: EnvelopePieces | undefined): void {
    Object.assign(this.#first, first);
    const { seq, time, json } = first;
    this.#begin = pieces?.begin;
    this.#beginBytes = Buffer.byteLength(pieces?.begin ?? '');
    this.#prefix = pieces === undefined ? json : pieces.begin + pieces.text;
    this.#push(seq, time, pieces === undefined ? 0 : -1, this.#prefix);
    this.#leftAwayBytes = json.length - this.#prefix.length;
  }

  #push(seq: number, time: number, shared: number, text: string): void {
    this.#parts.push(seq - this.#last.seq, time - this.#last.time, shared, text.length);
    this.#last.seq = seq;
    this.#last.time = time;
    this.#count += 1;
    this.#json += text;
  }
}

/** The longest common beginning that does not end inside a character: half of one cannot be stored. */
function commonPrefix(left: string, right: string): string {
  let length = 0;
  while (length < left.length && left.charCodeAt(length) === right.charCodeAt(length)) length += 1;
  const isInside = /[\uD800-\uDBFF]/.test(left.charAt(length - 1));
  return left.slice(0, isInside ? length - 1 : length);
}

/** The envelopes of a row, oldest first. Throws `DamageError` when they cannot be told apart. */
export function unpack(row: Row): StoredEnvelope[] {
  const channel = text(row, 'channel');
  const bytes = number(row, 'bytes');
  // No longer than its envelopes, which say nothing less.
  const json = decompress(textOrBytes(row, 'json'), bytes);
  const run = optionalText(row, 'run');
  if (run === undefined) return [{ seq: number(row, 'seq'), channel, time: number(row, 'time'), json }];
  const parts = readParts(run);
  const first = json.slice(0, parts[3]);
  const envelopes: StoredEnvelope[] = [];
  let [seq, time, end] = [0, 0, 0];
  for (let index = 0; index + 3 < parts.length; index += 4) {
    const [seqStep = 0, timeStep = 0, shared = 0, length = 0] = parts.slice(index, index + 4);
    seq += seqStep;
    time += timeStep;
    const text = first.slice(0, shared < 0 ? -1 - shared : shared) + json.slice(end, end + length);
    envelopes.push({ seq, channel, time, json: shared < 0 ? text + envelopeEnd(seq, time) : text });
    end += length;
  }
  if (end !== json.length || seq !== number(row, 'seq')) {
    throw new DamageError(`the journal is damaged: the run up to ${number(row, 'seq')} does not add up`);
  }
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
