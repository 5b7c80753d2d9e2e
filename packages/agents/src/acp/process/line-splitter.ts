import { AgentError } from '@agenthost/host/agent';

/** Splits a byte stream at line feeds. Holds at most `maxBytes` of an unfinished line. */
export class LineSplitter {
  readonly #maxBytes: number;
  #parts: Buffer[] = [];
  #length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The lines that end in this chunk. Throws `AgentError` when a line grows too long. */
  *push(chunk: Buffer): Generator<Buffer> {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      this.#keep(chunk.subarray(start, end));
      start = end + 1;
      yield this.#take();
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start));
  }

  /** The bytes after the last line feed. */
  rest(): Buffer | undefined {
    return this.#length === 0 ? undefined : this.#take();
  }

  #keep(part: Buffer): void {
    this.#length += part.length;
    if (this.#length > this.#maxBytes) {
      this.#parts = [];
      throw new AgentError(
        'agentError',
        `the agent sent a line of more than ${this.#maxBytes} bytes, the limit for a message`,
      );
    }
    this.#parts.push(part);
  }

  #take(): Buffer {
    const line = Buffer.concat(this.#parts);
    this.#parts = [];
    this.#length = 0;
    return line;
  }
}
