/** Bytes at both ends of a message that is too large, in which its id is searched. */
const END_BYTES = 512;

/** A message that exceeds the limit, and the id of the request that it answers, if that is known. */
export interface OversizedMessage {
  readonly id: string | number | undefined;
  readonly bytes: number;
}

/** Splits the output of a server into lines. Of a line above the limit only the ends are kept, to find the request that it answers. */
export class MessageLines {
  readonly #limitBytes: number;
  #chunks: Buffer[] = [];
  #length = 0;
  /** The beginning and the end of a line above the limit. */
  #skipped: { readonly head: Buffer; tail: Buffer } | undefined;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** The complete lines after this chunk, in order. */
  read(chunk: Buffer): (string | OversizedMessage)[] {
    const lines: (string | OversizedMessage)[] = [];
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      this.#add(chunk.subarray(start, end));
      lines.push(this.#take());
      start = end + 1;
    }
    this.#add(chunk.subarray(start));
    return lines;
  }

  #add(bytes: Buffer): void {
    this.#length += bytes.length;
    if (this.#skipped !== undefined) {
      this.#skipped.tail = Buffer.concat([this.#skipped.tail, bytes.subarray(-END_BYTES)]).subarray(
        -END_BYTES,
      );
      return;
    }
    this.#chunks.push(bytes);
    if (this.#length <= this.#limitBytes) return;
    const whole = Buffer.concat(this.#chunks);
    this.#skipped = {
      head: Buffer.from(whole.subarray(0, END_BYTES)),
      tail: Buffer.from(whole.subarray(-END_BYTES)),
    };
    this.#chunks = [];
  }

  #take(): string | OversizedMessage {
    const [skipped, chunks, bytes] = [this.#skipped, this.#chunks, this.#length];
    this.#skipped = undefined;
    this.#chunks = [];
    this.#length = 0;
    if (skipped === undefined) return Buffer.concat(chunks).toString('utf8').replace(/\r$/, '');
    return { id: idIn(skipped.head.toString('latin1'), skipped.tail.toString('latin1')), bytes };
  }
}

/** Servers write the id as the first or the last member. */
function idIn(head: string, tail: string): string | number | undefined {
  const id =
    /^\{(?:"jsonrpc":"2\.0",)?"id":(\d{1,15}|"[^"\\]{1,200}")/.exec(head)?.[1] ??
    /,"id":(\d{1,15}|"[^"\\]{1,200}")(?:,"jsonrpc":"2\.0")?\}\s*$/.exec(tail)?.[1];
  if (id === undefined) return undefined;
  return id.startsWith('"') ? id.slice(1, -1) : Number(id);
}
