/** Bytes of one block: what the kernel hands over at once at most, so that a read touches two blocks at most. */
const BLOCK_BYTES = 64 * 1024;
const NEWLINE = 0x0a;
/** Blocks that are free, for whoever comes next: a flood would leave them behind as garbage faster than it is taken away. */
const spares: Buffer[] = [];
/** As many as a pty that is read from to its high-water mark has. */
const MOST_SPARE_BLOCKS = 17;

/**
 * Output that somebody may still ask for: bytes under their absolute offsets, added at the end and forgotten from the start. Holds
 * no memory while it holds no bytes, but for a mebibyte that all of them share.
 */
export class KeptOutput {
  /** All but the first and the last are whole; the block of offset `n` is the one that begins at the multiple of its size before `n`. */
  readonly #blocks: Buffer[] = [];
  #start = 0;
  #end = 0;

  /** Offset of the oldest byte held; equals `end` when none is. */
  get start(): number {
    return this.#start;
  }

  /** Offset of the byte that comes next. */
  get end(): number {
    return this.#end;
  }

  /** How many bytes are held. */
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

  /** The bytes from `offset` on that lie together, at most 64 KiB; empty at the end. A view: it is another's once bytes are forgotten. */
  at(offset: number): Uint8Array {
    const from = Math.max(offset, this.#start);
    const block = this.#blocks[Math.floor(from / BLOCK_BYTES) - Math.floor(this.#start / BLOCK_BYTES)];
    if (block === undefined || from >= this.#end) return new Uint8Array(0);
    const at = from % BLOCK_BYTES;
    return block.subarray(at, Math.min(BLOCK_BYTES, at + this.#end - from));
  }

  /** Forgets what lies before `offset`. */
  forget(offset: number): void {
    const start = Math.min(Math.max(offset, this.#start), this.#end);
    const passed = Math.floor(start / BLOCK_BYTES) - Math.floor(this.#start / BLOCK_BYTES);
    this.#start = start;
    const free = this.#blocks.splice(0, start === this.#end ? this.#blocks.length : passed);
    for (const block of free) if (spares.length < MOST_SPARE_BLOCKS) spares.push(block);
  }

  /**
   * Forgets the oldest so that at most `limitBytes` are left: up to a line start, or to a character's start where the first line
   * that would stay is longer than that.
   */
  trim(limitBytes: number): void {
    const cut = this.#end - limitBytes;
    if (cut <= this.#start) return;
    // The byte before may be the newline that makes `cut` itself a line start.
    this.forget(this.#after(NEWLINE, Math.max(cut - 1, this.#start)) ?? this.#characterStart(cut));
  }

  /** The offset behind the first `byte` at or after `from`; undefined when that is the end. */
  #after(byte: number, from: number): number | undefined {
    for (let at = from; at < this.#end; ) {
      const view = this.at(at);
      const found = view.indexOf(byte);
      if (found >= 0) return at + found + 1 < this.#end ? at + found + 1 : undefined;
      at += view.length;
    }
    return undefined;
  }

  /** The first offset at or after `from` that is no continuation byte of UTF-8. */
  #characterStart(from: number): number {
    for (let at = from; at < Math.min(from + 3, this.#end); at += 1) {
      if (((this.at(at)[0] ?? 0) & 0xc0) !== 0x80) return at;
    }
    return from;
  }
}
