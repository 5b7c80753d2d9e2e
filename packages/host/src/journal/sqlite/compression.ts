import * as zlib from 'node:zlib';
import { errorText } from '@agenthost/protocol/values';
import { DamageError } from './errors.ts';
import { number, type Row, textOrBytes } from './statements.ts';

/** Shorter text fits a page of the database, and compressing it would save nothing. */
const MIN_LENGTH = 4 * 1024;

/** Of its length; what shrinks less stays text, which nothing has to undo. Random base64 takes three quarters. */
const LARGEST_SHARE = 0.6;

/** After a text that did not shrink, so many are stored without a try: they come in floods, and the try costs as much as the row. */
const SKIPPED_TRIES = 15;

/** What texts up to a length, such as envelopes, are encoded in, one after another: a new buffer for each would be garbage by the megabyte in a flood. */
const ROOM_LENGTH = 96 * 1024;
const MOST_BYTES_OF_UNIT = 3;

/** Level 1: higher ones cost more than they save. With a checksum, so that damage is never handed out as text. */
const options = {
  params: {
    [zlib.constants.ZSTD_c_compressionLevel]: 1,
    [zlib.constants.ZSTD_c_checksumFlag]: 1,
  },
};

/**
 * Makes text into what a row holds: large text that shrinks by a fair share is compressed with zstd. A log shrinks to a fifth,
 * and what a large row costs is its pages: written to the log of the database, then to its file, and freed when the row goes.
 */
export class Compressor {
  #skips = 0;
  #room: Buffer | undefined;

  compress(text: string): string | Uint8Array {
    if (text.length < MIN_LENGTH) return text;
    if (this.#skips > 0) {
      this.#skips -= 1;
      return text;
    }
    const compressed = zlib.zstdCompressSync(this.#encode(text), options);
    if (compressed.length <= text.length * LARGEST_SHARE) return compressed;
    this.#skips = SKIPPED_TRIES;
    return text;
  }

  /** As UTF-8, until the next call. */
  #encode(text: string): Uint8Array {
    if (text.length > ROOM_LENGTH) return Buffer.from(text);
    this.#room ??= Buffer.allocUnsafeSlow(ROOM_LENGTH * MOST_BYTES_OF_UNIT);
    return this.#room.subarray(0, this.#room.write(text));
  }
}

/**
 * The text that `Compressor` was given, of at most `maxBytes` of UTF-8. Throws `DamageError` when the bytes are not what it
 * makes.
 */
export function decompress(stored: string | Uint8Array, maxBytes: number): string {
  if (typeof stored === 'string') return stored;
  try {
    return zlib.zstdDecompressSync(stored, { maxOutputLength: Math.max(1, maxBytes) }).toString();
  } catch (error) {
    throw new DamageError(`the journal is damaged: a compressed row cannot be read (${errorText(error)})`);
  }
}

/** The columns of `channels` and `states` that `storedState` reads. */
export const STATE_COLUMNS = 'state_bytes, state';

/** The JSON of a channel's state. Throws `DamageError` when it cannot be read. */
export function storedState(row: Row): string {
  return decompress(textOrBytes(row, 'state'), number(row, 'state_bytes'));
}
