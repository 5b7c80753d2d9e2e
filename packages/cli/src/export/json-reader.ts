import { errorText } from '@agenthost/protocol/values';
/** A text that is no JSON, or not of the shape that was asked for. */
export class NotJson extends Error {
  override readonly name = 'NotJson';
}

const SPACE = /[ \t\r\n]/;

/** Reads one JSON text in pieces, as deep as the caller goes; what is asked for whole is all that is in memory. */
export class JsonReader {
  readonly #chunks: AsyncIterator<string>;
  #text = '';
  #at = 0;
  #isDone = false;

  constructor(chunks: AsyncIterable<string>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** Names of an object's fields; the caller reads or skips each value before it goes on. */
  async *fields(): AsyncGenerator<string, void, undefined> {
    for await (const _ of this.#items('{', '}')) {
      const name = await this.value();
      if (typeof name !== 'string') throw new NotJson('expected the name of a field');
      if ((await this.#next()) !== ':') throw new NotJson(`expected a colon after ${name}`);
      this.#at += 1;
      yield name;
    }
  }

  /** Goes through an array; the caller reads or skips each item before it goes on. */
  items(): AsyncGenerator<undefined, void, undefined> {
    return this.#items('[', ']');
  }

  /** The next value as a whole. */
  async value(): Promise<unknown> {
    const text = await this.#take(true);
    try {
      return JSON.parse(text);
    } catch (cause) {
      throw new NotJson(errorText(cause), { cause });
    }
  }

  /** Passes over the next value. */
  async skip(): Promise<void> {
    await this.#take(false);
  }

  /** Nothing but space may be left. */
  async end(): Promise<void> {
    if ((await this.#next()) !== undefined) throw new NotJson('there is text after the end');
  }

  async *#items(open: string, close: string): AsyncGenerator<undefined, void, undefined> {
    if ((await this.#next()) !== open) throw new NotJson(`expected ${open}`);
    this.#at += 1;
    let next = await this.#next();
    while (next !== close) {
      yield undefined;
      next = await this.#next();
      if (next !== ',' && next !== close) throw new NotJson(`expected a comma or ${close}`);
      if (next === close) break;
      this.#at += 1;
      if ((await this.#next()) === close) throw new NotJson(`expected a value between a comma and ${close}`);
    }
    this.#at += 1;
  }

  /** The next character that is no space; `undefined` at the end. */
  async #next(): Promise<string | undefined> {
    for (;;) {
      while (this.#at < this.#text.length) {
        const character = this.#text.charAt(this.#at);
        if (!SPACE.test(character)) return character;
        this.#at += 1;
      }
      if (!(await this.#fill())) return undefined;
    }
  }

  async #fill(): Promise<boolean> {
    if (this.#isDone) return false;
    const { done = false, value } = await this.#chunks.next();
    this.#isDone = done;
    if (done) return false;
    this.#text = value;
    this.#at = 0;
    return true;
  }

  /** The text of one value (empty when it is not `kept`), from the first character to the end of its last. */
  async #take(isKept: boolean): Promise<string> {
    if ((await this.#next()) === undefined) throw new NotJson('it ends too early');
    const kept: string[] = [];
    const scan = new ValueScan();
    for (;;) {
      const end = scan.endIn(this.#text, this.#at);
      if (isKept) kept.push(this.#text.slice(this.#at, end ?? this.#text.length));
      if (end !== undefined) {
        this.#at = end;
        return kept.join('');
      }
      if (await this.#fill()) continue;
      this.#at = this.#text.length;
      if (!scan.mayEnd) throw new NotJson('it ends too early');
      return kept.join('');
    }
  }
}

/** Finds where a value ends, over pieces of its text. */
class ValueScan {
  #depth = 0;
  #isString = false;
  #isEscaped = false;
  #isBare = false;

  /** Whether the text may end here: behind a number or a word at the outermost level. */
  get mayEnd(): boolean {
    return this.#isBare && this.#depth === 0;
  }

  /** The place behind the value's last character, or `undefined` when it goes on. */
  endIn(text: string, from: number): number | undefined {
    for (let at = from; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (this.#isString) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (code === BACKSLASH) this.#isEscaped = true;
        else if (code === QUOTE) {
          this.#isString = false;
          if (this.#depth === 0) return at + 1;
        }
        continue;
      }
      if (this.#isBare && this.#depth === 0 && isDelimiter(code)) return at;
      if (code === QUOTE) this.#isString = true;
      else if (code === OPEN_BRACE || code === OPEN_BRACKET) this.#depth += 1;
      else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
        this.#depth -= 1;
        if (this.#depth <= 0) return at + 1;
      } else if (this.#depth === 0) this.#isBare = true;
    }
    return undefined;
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

const isDelimiter = (code: number): boolean =>
  code <= 0x20 || code === 0x2c || code === CLOSE_BRACE || code === CLOSE_BRACKET || code === 0x3a;
