import type { Pty, PtyExit } from '../pty.ts';

/** A pty that a test reads: keeps what it put out, and lets the test wait for it. */
export class ContractPty {
  readonly pty: Pty;
  /** Resolves with the exit, when everything was read. */
  readonly exit: Promise<PtyExit>;
  readonly #exit = Promise.withResolvers<PtyExit>();
  #chunks: Buffer[] = [];
  #length = 0;
  #isAcknowledging = true;
  #isRead = false;
  #heard = Promise.withResolvers<void>();

  constructor(pty: Pty) {
    this.pty = pty;
    this.exit = this.#exit.promise;
  }

  /** Everything that was read, as bytes. */
  get bytes(): Buffer {
    this.#chunks = [Buffer.concat(this.#chunks)];
    return this.#chunks[0] ?? Buffer.alloc(0);
  }

  /** Everything that was read, as text. */
  get text(): string {
    return this.bytes.toString();
  }

  /** How many bytes were read. */
  get length(): number {
    return this.#length;
  }

  /** Begins to read; what is read is acknowledged at once, or not at all. */
  read({ isAcknowledging = true } = {}): this {
    this.#isRead = true;
    this.#isAcknowledging = isAcknowledging;
    this.pty.read(0, {
      data: (bytes, offset) => {
        if (offset !== this.#length) throw new Error(`output at ${offset}, expected at ${this.#length}`);
        this.#chunks.push(Buffer.from(bytes));
        this.#length += bytes.length;
        if (this.#isAcknowledging) this.pty.acknowledge(this.#length);
        this.#wake();
      },
      exit: (exit) => {
        this.#exit.resolve(exit);
        this.#wake();
      },
    });
    return this;
  }

  /** Acknowledges what was read, and from now on at once. */
  acknowledge(): void {
    this.#isAcknowledging = true;
    this.pty.acknowledge(this.#length);
  }

  /** Forgets what was read so far, but not how much it was. */
  forget(): void {
    this.#chunks = [];
  }

  /** Resolves when what was read contains `text`, with everything read. */
  async waitFor(text: string): Promise<string> {
    await this.waitUntil(() => this.bytes.includes(text));
    return this.text;
  }

  /** Resolves when `isTrue`, asked whenever something was read. Rejects when it ends before. */
  async waitUntil(isTrue: () => boolean): Promise<void> {
    let exit: PtyExit | undefined;
    void this.exit.then((told) => {
      exit = told;
      this.#wake();
    });
    while (!isTrue()) {
      if (exit !== undefined)
        throw new Error(`it ended with ${exit.exitCode} before: ${this.text.slice(-1_000)}`);
      await this.#heard.promise;
    }
  }

  /** Ends it and has the owner forget it. */
  async dispose(): Promise<void> {
    await this.pty.kill();
    if (!this.#isRead) this.read();
    this.acknowledge();
    await this.exit;
    this.pty.release();
  }

  #wake(): void {
    this.#heard.resolve();
    this.#heard = Promise.withResolvers<void>();
  }
}
