const FIN_TEXT = 0x81;
const LENGTH_IN_2_BYTES = 126;
const LENGTH_IN_8_BYTES = 127;

/**
 * Sizes of pooled buffers, in bytes. Node pools smaller ones itself, and larger ones are rare. A buffer is at
 * most twice as large as its bytes, because a client that does not read may keep it for long.
 */
const REUSED_SIZES = [32 * 1024, 64 * 1024, 128 * 1024, 192 * 1024] as const;
/** Shorter batches do not use a pooled buffer. */
const LEAST_REUSED_BYTES = 16 * 1024;
/** Unused buffers kept per size. A flood uses a few at a time. */
const MOST_SPARES = 8;
const spares = new Map<number, ArrayBuffer[]>(REUSED_SIZES.map((size) => [size, []]));

/**
 * Frames that are joined to one text before encoding; a text of this many frames stays in the processor's
 * cache.
 */
const FRAMES_OF_TEXT = 32;
const LONGEST_OF_TEXT = 1_023;

/** Text in front of and behind the body of every frame. Default: none. */
export interface FrameEnds {
  readonly before: string;
  readonly behind: string;
}

/** Encoded bytes of a batch, kept while readers hold them. Does not keep the source texts. */
export class HeldFrames {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly #onHeld: (bytes: number) => void;
  #readerCount = 0;
  #isOver = false;

  constructor(bytes: Uint8Array<ArrayBuffer>, onHeld: (bytes: number) => void) {
    this.bytes = bytes;
    this.#onHeld = onHeld;
    onHeld(bytes.buffer.byteLength);
  }

  /** Whether no reader holds the bytes any more; their buffer is then reused. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Adds a reader. Each reader calls `release` once. */
  hold(): this {
    this.#readerCount += 1;
    return this;
  }

  /** Removes a reader. */
  release(): void {
    this.#readerCount -= 1;
    if (this.#readerCount > 0) return;
    this.#isOver = true;
    const { buffer } = this.bytes;
    this.#onHeld(-buffer.byteLength);
    const ofSize = spares.get(buffer.byteLength);
    if (ofSize !== undefined && ofSize.length < MOST_SPARES) ofSize.push(buffer);
  }
}

/**
 * Text frames that are sent together and in order, often to many sockets. The encoding for each carrier is
 * made once.
 */
export class FrameBatch {
  readonly #bodies: readonly string[];
  readonly #ends: FrameEnds;
  readonly #onHeld: (bytes: number) => void;
  #held: HeldFrames | undefined;

  /**
   * `onHeld` is called with the number of bytes that are kept for readers, and with the negative number when
   * they are released.
   */
  constructor(
    bodies: readonly string[],
    ends: FrameEnds = { before: '', behind: '' },
    onHeld: (bytes: number) => void = () => undefined,
  ) {
    this.#bodies = bodies;
    this.#ends = ends;
    this.#onHeld = onHeld;
  }

  /** The frames as texts. */
  get frames(): readonly string[] {
    return this.#bodies.map((body) => `${this.#ends.before}${body}${this.#ends.behind}`);
  }

  /**
   * All frames in the form that a WebSocket server writes (RFC 6455): unmasked, uncompressed, with headers.
   * The caller calls `release` on the result once. After the last release the next call encodes the frames
   * again.
   */
  webSocketFrames(): HeldFrames {
    if (this.#held === undefined || this.#held.isOver)
      this.#held = new HeldFrames(encode(this.#bodies, this.#ends), this.#onHeld);
    return this.#held.hold();
  }
}

function encode(bodies: readonly string[], ends: FrameEnds): Uint8Array<ArrayBuffer> {
  return encodeAscii(bodies, ends) ?? encodeAny(bodies, ends);
}

/**
 * Encodes the frames as one ASCII text, which is cheaper than encoding each of them. `undefined` when a frame
 * is too long or contains other characters.
 */
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
      const header = (HEADERS[length] ??= headerOf(length));
      text += header.text + ends.before + body + ends.behind;
      highCount += header.highCount;
    }
    // In UTF-8 a character above 0x7f takes at least two bytes. Only the headers may contain such characters.
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
  /** Number of bytes above 0x7f. */
  readonly highCount: number;
}

/** Frame headers as text, by the length of the body. */
const HEADERS: HeaderText[] = [];

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
  const size = length < LEAST_REUSED_BYTES ? undefined : REUSED_SIZES.find((each) => each >= length);
  if (size === undefined) return Buffer.allocUnsafeSlow(length);
  const spare = spares.get(size)?.pop();
  return spare === undefined
    ? Buffer.allocUnsafeSlow(size).subarray(0, length)
    : Buffer.from(spare, 0, length);
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
