/** Size of one block. A read of the kernel is not larger, so it touches two blocks at most. */
const BLOCK_BYTES = 64 * 1024;
const NEWLINE = 0x0a;
/** Free blocks for any instance. Otherwise a flood would produce garbage faster than it is collected. */
const spares: Buffer[] = [];
/** Blocks of a pty at twice its default high-water mark. */
const MOST_SPARE_BLOCKS = 17;

/**
 * Output with absolute offsets, appended at the end and forgotten from the start. An empty instance holds no memory; all instances share
 * about a mebibyte of free blocks.
 */
export class KeptOutput {
  /** A block begins at a multiple of its size. All blocks but the first and the last are full. */
  readonly #blocks: Buffer[] = [];
  #start = 0;
  #end = 0;

  /** Offset of the oldest byte; equals `end` when empty. */
  get start(): number {
    return this.#start;
  }

  /** Offset of the next byte. */
  get end(): number {
    return this.#end;
  }

  /** Number of bytes. */
  get length(): number {
    return this.#end - this.#start;
  }

  /** Adds a copy of `bytes`. */
  append(bytes: Uint8Array): void {
    for (let taken = 0; taken < bytes.length; ) {
      const at = this.#end % BLOCK_BYTES;
      if (at === 0 || this.#blocks.length === 0)
        this.#blocks.push(spares.pop() ?? Buffer.allocUnsafeSlow(BLOCK_BYTES));
      const part = bytes.subarray(taken, taken + BLOCK_BYTES - at);
      this.#blocks.at(-1)?.set(part, at);
      taken += part.length;
      this.#end += part.length;
    }
  }

  /** The bytes from `offset` to the end of its block, at most 64 KiB; empty at the end. A view: it is invalid after `forget`. */
  at(offset: number): Uint8Array {
    const from = Math.max(offset, this.#start);
    const block = this.#blocks[Math.floor(from / BLOCK_BYTES) - Math.floor(this.#start / BLOCK_BYTES)];
    if (block === undefined || from >= this.#end) return new Uint8Array(0);
    const at = from % BLOCK_BYTES;
    return block.subarray(at, Math.min(BLOCK_BYTES, at + this.#end - from));
  }

  /** Forgets the bytes before `offset`. */
  forget(offset: number): void {
    const start = Math.min(Math.max(offset, this.#start), this.#end);
    const passed = Math.floor(start / BLOCK_BYTES) - Math.floor(this.#start / BLOCK_BYTES);
    this.#start = start;
    const free = this.#blocks.splice(0, start === this.#end ? this.#blocks.length : passed);
    for (const block of free) if (spares.length < MOST_SPARE_BLOCKS) spares.push(block);
  }

  /**
   * Forgets the oldest bytes so that at most `limitBytes` are left. The rest begins at a line start or, if its first line is longer than the
   * limit, at a character.
   */
  trim(limitBytes: number): void {
    const cut = this.#end - limitBytes;
    if (cut <= this.#start) return;
    // The byte before may be the newline that makes `cut` itself a line start.
    this.forget(this.#after(NEWLINE, Math.max(cut - 1, this.#start)) ?? this.#characterStart(cut));
  }

  /** The offset behind the first `byte` at or after `from`; `undefined` when that is the end. */
  #after(byte: number, from: number): number | undefined {
    for (let at = from; at < this.#end; ) {
      const view = this.at(at);
      const found = view.indexOf(byte);
      if (found >= 0) return at + found + 1 < this.#end ? at + found + 1 : undefined;
      at += view.length;
    }
    return undefined;
  }

  /** The first offset at or after `from` that is not a continuation byte of UTF-8. */
  #characterStart(from: number): number {
    for (let at = from; at < Math.min(from + 3, this.#end); at += 1) {
      if (((this.at(at)[0] ?? 0) & 0xc0) !== 0x80) return at;
    }
    return from;
  }
}
