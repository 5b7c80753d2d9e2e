const FIN_TEXT = 0x81;
const LENGTH_IN_2_BYTES = 126;
const LENGTH_IN_8_BYTES = 127;

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
  #webSocketBytes: Uint8Array | undefined;

  constructor(bodies: readonly string[], ends: FrameEnds = { before: '', behind: '' }) {
    this.#bodies = bodies;
    this.#ends = ends;
  }

  /** Each frame as text. */
  get frames(): readonly string[] {
    return this.#bodies.map((body) => `${this.#ends.before}${body}${this.#ends.behind}`);
  }

  /** All of them as a WebSocket server writes them (RFC 6455): unmasked, uncompressed, each with its header. */
  get webSocketBytes(): Uint8Array {
    this.#webSocketBytes ??= encode(this.#bodies, this.#ends);
    return this.#webSocketBytes;
  }
}

function encode(bodies: readonly string[], ends: FrameEnds): Uint8Array {
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
  const bytes = Buffer.allocUnsafe(total);
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
