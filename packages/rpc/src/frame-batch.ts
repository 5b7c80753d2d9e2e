const FIN_TEXT = 0x81;
const LENGTH_IN_2_BYTES = 126;
const LENGTH_IN_8_BYTES = 127;

/** Sizes of a buffer that is worth being used again, in bytes: for less, Node's own pool does; more is rare. */
const REUSED = { least: 16 * 1024, most: 192 * 1024 } as const;
/** Buffers of the largest size that wait to be used again; a flood has a few under way at a time. */
const spares: Uint8Array<ArrayBuffer>[] = [];
const MOST_SPARES = 8;

/** So many frames make a text that stays in the processor's nearest cache, and frames of more bytes are none of it. */
const FRAMES_OF_TEXT = 32;
const LONGEST_OF_TEXT = 1_023;

/** What stands before and behind the bodies of a batch, in each frame. Default: nothing. */
export interface FrameEnds {
  readonly before: string;
  readonly behind: string;
}

/**
 * Text frames that go out together, in this order, maybe to many sockets: what each carrier needs of them is made once.
 */
export class FrameBatch {
  readonly #bodies: readonly string[];
  readonly #ends: FrameEnds;
  readonly #onHeld: (bytes: number) => void;
  #webSocketBytes: Uint8Array<ArrayBuffer> | undefined;
  /** Who still reads the bytes. */
  #readers = 0;

  /** `onHeld`: told how many bytes are kept for readers, and, negative, how many no longer are. */
  constructor(
    bodies: readonly string[],
    ends: FrameEnds = { before: '', behind: '' },
    onHeld: (bytes: number) => void = () => undefined,
  ) {
    this.#bodies = bodies;
    this.#ends = ends;
    this.#onHeld = onHeld;
  }

  /** Each frame as text. */
  get frames(): readonly string[] {
    return this.#bodies.map((body) => `${this.#ends.before}${body}${this.#ends.behind}`);
  }

  /**
   * All of them as a WebSocket server writes them (RFC 6455): unmasked, uncompressed, each with its header. Valid until whoever
   * asks calls `release`, once; after the last one the memory is another batch's, and who asks later has them encoded anew.
   */
  webSocketBytes(): Uint8Array {
    this.#readers += 1;
    if (this.#webSocketBytes === undefined) {
      this.#webSocketBytes = encode(this.#bodies, this.#ends);
      this.#onHeld(this.#webSocketBytes.length);
    }
    return this.#webSocketBytes;
  }

  /** One who asked for the bytes needs them no more. */
  release(): void {
    this.#readers -= 1;
    const bytes = this.#webSocketBytes;
    if (this.#readers > 0 || bytes === undefined) return;
    this.#webSocketBytes = undefined;
    this.#onHeld(-bytes.length);
    const isSpare = bytes.buffer.byteLength === REUSED.most && spares.length < MOST_SPARES;
    if (isSpare) spares.push(new Uint8Array(bytes.buffer));
  }
}

function encode(bodies: readonly string[], ends: FrameEnds): Uint8Array<ArrayBuffer> {
  return encodeAscii(bodies, ends) ?? encodeAny(bodies, ends);
}

/** Frames as text, a byte a character, which costs less to write than each for itself. `undefined` where any is long or has other characters. */
function encodeAscii(bodies: readonly string[], ends: FrameEnds): Uint8Array<ArrayBuffer> | undefined {
  const endsLength = ends.before.length + ends.behind.length;
  const texts: string[] = [];
  let total = 0;
  for (let from = 0; from < bodies.length; from += FRAMES_OF_TEXT) {
    let text = '';
    let highCount = 0;
    for (const body of bodies.slice(from, from + FRAMES_OF_TEXT)) {
      const length = body.length + endsLength;
      if (length > LONGEST_OF_TEXT) return undefined;
      const header = (headers[length] ??= headerOf(length));
      text += header.text + ends.before + body + ends.behind;
      highCount += header.highCount;
    }
    // In UTF-8 each character above 0x7f takes two bytes or more: those of the headers do, and no others may.
    if (Buffer.byteLength(text) !== text.length + highCount) return undefined;
    texts.push(text);
    total += text.length;
  }
  const bytes = room(total);
  let offset = 0;
  for (const text of texts) offset += bytes.write(text, offset, 'latin1');
  return bytes;
}

interface HeaderText {
  readonly text: string;
  /** Bytes above 0x7f. */
  readonly highCount: number;
}

/** Headers of frames of a text by their length. */
const headers: HeaderText[] = [];

function headerOf(length: number): HeaderText {
  const bytes = Buffer.alloc(headerLength(length));
  writeHeader(bytes, 0, length);
  return { text: bytes.toString('latin1'), highCount: bytes.filter((byte) => byte > 0x7f).length };
}

function encodeAny(bodies: readonly string[], ends: FrameEnds): Uint8Array<ArrayBuffer> {
  const before = Buffer.from(ends.before);
  const behind = Buffer.from(ends.behind);
  const endsLength = before.length + behind.length;
  const lengths: number[] = [];
  let total = 0;
  for (const body of bodies) {
    const length = Buffer.byteLength(body) + endsLength;
    lengths.push(length);
    total += headerLength(length) + length;
  }
  const bytes = room(total);
  let offset = 0;
  for (const [index, body] of bodies.entries()) {
    const length = lengths[index] ?? 0;
    offset = writeHeader(bytes, offset, length);
    bytes.set(before, offset);
    bytes.write(body, offset + before.length, length - endsLength, 'utf8');
    offset += length;
    bytes.set(behind, offset - behind.length);
  }
  return bytes;
}

function room(length: number): Buffer<ArrayBuffer> {
  if (length < REUSED.least || length > REUSED.most) return Buffer.allocUnsafeSlow(length);
  const { buffer } = spares.pop() ?? Buffer.allocUnsafeSlow(REUSED.most);
  return Buffer.from(buffer, 0, length);
}

function headerLength(length: number): number {
  if (length < LENGTH_IN_2_BYTES) return 2;
  return length <= 0xffff ? 4 : 10;
}

function writeHeader(bytes: Buffer, offset: number, length: number): number {
  bytes[offset] = FIN_TEXT;
  if (length < LENGTH_IN_2_BYTES) {
    bytes[offset + 1] = length;
    return offset + 2;
  }
  if (length <= 0xffff) {
    bytes[offset + 1] = LENGTH_IN_2_BYTES;
    return bytes.writeUInt16BE(length, offset + 2);
  }
  bytes[offset + 1] = LENGTH_IN_8_BYTES;
  return bytes.writeBigUInt64BE(BigInt(length), offset + 2);
}
