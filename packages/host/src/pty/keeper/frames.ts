/**
 * Frames of the socket between a host and its keeper: the length of the rest (4 bytes, big-endian), a kind (1 byte), and a body. Output,
 * input and acknowledgements are binary. Everything else is `control`: one JSON message of `protocol.ts`.
 */
export const FRAME_KIND = {
  /** JSON in UTF-8. */
  control: 1,
  /** Keeper to host: pty (4 bytes), offset of the first byte (8 bytes, a double), bytes. */
  data: 2,
  /** Host to keeper: pty (4 bytes), bytes. */
  input: 3,
  /** Host to keeper: pty (4 bytes), offset (8 bytes, a double). */
  acknowledge: 4,
} as const;

/** A frame that was read. Its bytes are valid only during the call. */
export type Frame =
  | { readonly kind: 'control'; readonly text: string }
  | { readonly kind: 'data'; readonly pty: number; readonly offset: number; readonly bytes: Uint8Array }
  | { readonly kind: 'input'; readonly pty: number; readonly bytes: Uint8Array }
  | { readonly kind: 'acknowledge'; readonly pty: number; readonly offset: number };

/** Limit of a frame, in bytes. A process environment fits into it. */
export const FRAME_LIMIT_BYTES = 4 * 1024 * 1024;

/** Limit of a frame before the hello of the other end, in bytes. */
export const HELLO_LIMIT_BYTES = 4 * 1024;

/** Limit of the characters in one frame of input. */
const INPUT_LENGTH = 64 * 1024;

/** Bytes of length and kind. */
const HEADER_BYTES = 5;

/** Bytes before the output in a `data` frame. */
export const DATA_HEADER_BYTES = HEADER_BYTES + 12;

/** The received bytes are not a valid frame, so the connection is unusable. */
export class FrameError extends Error {
  override readonly name = 'FrameError';
}

/** A `control` frame of a message. Throws `FrameError` when it is larger than a frame may be. */
export function controlFrame(message: object): Buffer {
  const text = Buffer.from(JSON.stringify(message));
  if (text.length + 1 > FRAME_LIMIT_BYTES) {
    throw new FrameError(`a message of ${text.length} bytes; the limit is ${FRAME_LIMIT_BYTES - 1}`);
  }
  const frame = Buffer.allocUnsafe(HEADER_BYTES + text.length);
  writeHeader(frame, FRAME_KIND.control);
  text.copy(frame, HEADER_BYTES);
  return frame;
}

/**
 * Writes the header of a `data` frame into the first `DATA_HEADER_BYTES` of `frame`.
 * @param offset Offset of the first byte behind the header.
 */
export function writeDataHeader(frame: Buffer, pty: number, offset: number): void {
  writeHeader(frame, FRAME_KIND.data);
  frame.writeUInt32BE(pty, HEADER_BYTES);
  frame.writeDoubleBE(offset, HEADER_BYTES + 4);
}

/** `input` frames of a text, in UTF-8, cut between characters. */
export function* inputFrames(pty: number, data: string): Generator<Buffer> {
  for (let at = 0; at < data.length; ) {
    let end = Math.min(at + INPUT_LENGTH, data.length);
    // A surrogate pair must stay in one frame.
    const last = data.charCodeAt(end - 1);
    if (end < data.length && last >= 0xd800 && last <= 0xdbff) end -= 1;
    yield inputFrame(pty, data.slice(at, end));
    at = end;
  }
}

function inputFrame(pty: number, data: string): Buffer {
  const bytes = Buffer.byteLength(data);
  const frame = Buffer.allocUnsafe(HEADER_BYTES + 4 + bytes);
  writeHeader(frame, FRAME_KIND.input);
  frame.writeUInt32BE(pty, HEADER_BYTES);
  frame.write(data, HEADER_BYTES + 4);
  return frame;
}

/** An `acknowledge` frame. */
export function acknowledgeFrame(pty: number, offset: number): Buffer {
  const frame = Buffer.allocUnsafe(HEADER_BYTES + 12);
  writeHeader(frame, FRAME_KIND.acknowledge);
  frame.writeUInt32BE(pty, HEADER_BYTES);
  frame.writeDoubleBE(offset, HEADER_BYTES + 4);
  return frame;
}

function writeHeader(frame: Buffer, kind: number): void {
  frame.writeUInt32BE(frame.length - 4, 0);
  frame[4] = kind;
}

/** Cuts a stream of bytes into frames. Copies only a frame that is split over reads. */
export class FrameReader {
  /** Limit of a frame, in bytes. Small until the hello of the other end. */
  limitBytes = HELLO_LIMIT_BYTES;
  readonly #receive: (frame: Frame) => void;
  /** An incomplete frame: its first `#filled` bytes. */
  #partial = Buffer.alloc(0);
  #filled = 0;
  #isStopped = false;

  /** @param receive Called with each frame, in order, within `push`. */
  constructor(receive: (frame: Frame) => void) {
    this.#receive = receive;
  }

  /** Reads the next bytes. Throws `FrameError` for an invalid frame, and the errors of `receive`. */
  push(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length && !this.#isStopped) {
      if (this.#filled === 0 && chunk.length - at >= 4) {
        const end = at + 4 + this.#checkedLength(chunk, at);
        if (end <= chunk.length) {
          this.#receive(parseFrame(chunk.subarray(at + 4, end)));
          at = end;
          continue;
        }
      }
      at += this.#gather(chunk, at);
    }
  }

  /** Calls `receive` no more. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Adds bytes to the incomplete frame, up to its end. Returns the number of bytes added. */
  #gather(chunk: Buffer, at: number): number {
    const needed = this.#filled < 4 ? 4 : 4 + this.#partial.readUInt32BE(0);
    if (this.#partial.length < needed) {
      const grown = Buffer.allocUnsafe(needed);
      this.#partial.copy(grown, 0, 0, this.#filled);
      this.#partial = grown;
    }
    const count = Math.min(needed - this.#filled, chunk.length - at);
    chunk.copy(this.#partial, this.#filled, at, at + count);
    this.#filled += count;
    if (this.#filled === 4) this.#checkedLength(this.#partial, 0);
    else if (this.#filled > 4 && this.#filled === needed) {
      this.#filled = 0;
      this.#receive(parseFrame(this.#partial.subarray(4, needed)));
    }
    return count;
  }

  #checkedLength(buffer: Buffer, at: number): number {
    const length = buffer.readUInt32BE(at);
    if (length < 1 || length > this.limitBytes) {
      throw new FrameError(`a frame of ${length} bytes; expected 1 to ${this.limitBytes}`);
    }
    return length;
  }
}

/** @param frame Kind and body. */
function parseFrame(frame: Buffer): Frame {
  switch (frame[0]) {
    case FRAME_KIND.control:
      return { kind: 'control', text: frame.toString('utf8', 1) };
    case FRAME_KIND.data:
      if (frame.length < 13) break;
      return { kind: 'data', ...ptyAndOffset(frame), bytes: frame.subarray(13) };
    case FRAME_KIND.input:
      if (frame.length < 5) break;
      return { kind: 'input', pty: frame.readUInt32BE(1), bytes: frame.subarray(5) };
    case FRAME_KIND.acknowledge:
      if (frame.length !== 13) break;
      return { kind: 'acknowledge', ...ptyAndOffset(frame) };
    default:
  }
  throw new FrameError(`invalid frame of kind ${frame[0]} with ${frame.length} bytes`);
}

function ptyAndOffset(frame: Buffer): { pty: number; offset: number } {
  const offset = frame.readDoubleBE(5);
  if (!Number.isSafeInteger(offset) || offset < 0) throw new FrameError(`invalid offset ${offset}`);
  return { pty: frame.readUInt32BE(1), offset };
}
