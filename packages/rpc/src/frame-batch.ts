const FIN_TEXT = 0x81;
const LENGTH_IN_2_BYTES = 126;
const LENGTH_IN_8_BYTES = 127;

/**
 * Text frames that go out together, in this order, maybe to many sockets: what each carrier needs of them is made once.
 */
export class FrameBatch {
  readonly frames: readonly string[];
  #webSocketBytes: Uint8Array | undefined;

  constructor(frames: readonly string[]) {
    this.frames = frames;
  }

  /** All of them as a WebSocket server writes them (RFC 6455): unmasked, uncompressed, each with its header. */
  get webSocketBytes(): Uint8Array {
    this.#webSocketBytes ??= encode(this.frames);
    return this.#webSocketBytes;
  }
}

function encode(frames: readonly string[]): Uint8Array {
  const lengths = frames.map((frame) => Buffer.byteLength(frame));
  const bytes = Buffer.allocUnsafe(lengths.reduce((sum, length) => sum + headerLength(length) + length, 0));
  let offset = 0;
  for (const [index, frame] of frames.entries()) {
    const length = lengths[index] ?? 0;
    offset = writeHeader(bytes, offset, length);
    offset += bytes.write(frame, offset, length, 'utf8');
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
