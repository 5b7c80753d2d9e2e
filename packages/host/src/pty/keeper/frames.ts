/**
 * Frames of the socket between a host and its keeper: a length (4 bytes, big-endian, of what follows), a kind (1 byte), a
 * body. What flows often (output, keys, acknowledgements) is binary; everything else is `control`: one JSON message of
 * `protocol.ts`.
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

/** One frame, read. Bytes are valid only during the call that hands them over. */
export type Frame =
  | { readonly kind: 'control'; readonly text: string }
  | { readonly kind: 'data'; readonly pty: number; readonly offset: number; readonly bytes: Uint8Array }
  | { readonly kind: 'input'; readonly pty: number; readonly bytes: Uint8Array }
  | { readonly kind: 'acknowledge'; readonly pty: number; readonly offset: number };

/** Largest length of a frame, in bytes: room for a process environment, and nothing that could fill a memory. */
export const FRAME_LIMIT_BYTES = 4 * 1024 * 1024;

/** Largest length of a frame before the other end has said hello, in bytes. */
export const HELLO_LIMIT_BYTES = 4 * 1024;

/** Characters in one frame of keys. */
const INPUT_LENGTH = 64 * 1024;

/** Length and kind. */
const HEADER_BYTES = 5;

/** Bytes before the output in a `data` frame. */
export const DATA_HEADER_BYTES = HEADER_BYTES + 12;

/** What came in is no frame: the connection cannot be followed any further. */
export class FrameError extends Error {
  override readonly name = 'FrameError';
}

/** A `control` frame of a message. Throws `FrameError` when it is larger than a frame may be. */
export function controlFrame(message: object): Buffer {
  const text = Buffer.from(JSON.stringify(message));
  if (text.length + 1 > FRAME_LIMIT_BYTES) {
    throw new FrameError(`a message of ${text.length} bytes; at most ${FRAME_LIMIT_BYTES - 1} are sent`);
  }
  const frame = Buffer.allocUnsafe(HEADER_BYTES + text.length);
  writeHeader(frame, FRAME_KIND.control);
  text.copy(frame, HEADER_BYTES);
  return frame;
}

/**
 * Writes what stands before the output into the first `dataHeaderBytes` of `frame`, all of which is sent.
 * @param offset Of the first byte that follows.
 */
export function writeDataHeader(frame: Buffer, pty: number, offset: number): void {
  writeHeader(frame, FRAME_KIND.data);
  frame.writeUInt32BE(pty, HEADER_BYTES);
  frame.writeDoubleBE(offset, HEADER_BYTES + 4);
}

/** `input` frames of keys, in UTF-8: small enough whatever was pasted, cut between characters. */
export function* inputFrames(pty: number, data: string): Generator<Buffer> {
  for (let at = 0; at < data.length; ) {
    let end = Math.min(at + INPUT_LENGTH, data.length);
    // The two halves of a character beyond the basic plane must stay together to become UTF-8.
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

/** Cuts a stream of bytes into frames. One frame that is split over reads is copied, once; the others are not. */
export class FrameReader {
  /** Largest length that is taken; begins small, until the other end is known. */
  limitBytes = HELLO_LIMIT_BYTES;
  readonly #receive: (frame: Frame) => void;
  /** A frame that has begun: its first `#filled` bytes. */
  #partial = Buffer.alloc(0);
  #filled = 0;
  #isStopped = false;

  /** @param receive Called in order with each frame, within `push`. */
  constructor(receive: (frame: Frame) => void) {
    this.#receive = receive;
  }

  /** Takes the next bytes. Throws `FrameError` for what is no frame, and whatever `receive` throws. */
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

  /** Hands over nothing more. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Adds to the frame that has begun, up to its end; gives the number of bytes taken. */
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
      throw new FrameError(`a frame of ${length} bytes; 1 to ${this.limitBytes} are taken`);
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
  throw new FrameError(`no frame has kind ${frame[0]} and ${frame.length} bytes`);
}

function ptyAndOffset(frame: Buffer): { pty: number; offset: number } {
  const offset = frame.readDoubleBE(5);
  if (!Number.isSafeInteger(offset) || offset < 0) throw new FrameError(`${offset} is no offset`);
  return { pty: frame.readUInt32BE(1), offset };
}
