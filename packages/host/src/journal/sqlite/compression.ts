import * as zlib from 'node:zlib';
import { errorText } from '@agenthost/protocol/values';
import { DamageError } from './errors.ts';
import { number, type Row, textOrBytes } from './statements.ts';

/** Shorter text fits a page of the database, and compressing it would save nothing. */
const MIN_LENGTH = 4 * 1024;

/** Largest compressed size per length of the text. Text that shrinks less is stored as it is. Random base64 takes three quarters. */
const LARGEST_SHARE = 0.6;

/** Texts that are stored without a try after one that did not shrink. Such texts come in floods, and a try costs as much as the row. */
const SKIPPED_TRIES = 15;

/** Texts up to this length are encoded into one shared buffer. A buffer for each would be megabytes of garbage in a flood. */
const ROOM_LENGTH = 96 * 1024;
const MOST_BYTES_OF_UNIT = 3;

/** Higher levels than 1 cost more than they save. The checksum detects damage. */
const OPTIONS = {
  params: {
    [zlib.constants.ZSTD_c_compressionLevel]: 1,
    [zlib.constants.ZSTD_c_checksumFlag]: 1,
  },
};

/**
 * Compresses large text with zstd when that saves enough. The cost of a large row is its pages: SQLite writes them to its log and to its
 * file, and frees them with the row. A log of a build shrinks to a fifth.
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
    const compressed = zlib.zstdCompressSync(this.#encode(text), OPTIONS);
    if (compressed.length <= text.length * LARGEST_SHARE) return compressed;
    this.#skips = SKIPPED_TRIES;
    return text;
  }

  /** The text as UTF-8. Valid until the next call. */
  #encode(text: string): Uint8Array {
    if (text.length > ROOM_LENGTH) return Buffer.from(text);
    this.#room ??= Buffer.allocUnsafeSlow(ROOM_LENGTH * MOST_BYTES_OF_UNIT);
    return this.#room.subarray(0, this.#room.write(text));
  }
}

/**
 * The text of a value that `Compressor` returned, at most `maxBytes` of UTF-8. Throws `DamageError` for other bytes.
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
