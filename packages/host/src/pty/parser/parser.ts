import {
  BEL,
  CSI,
  controlSequenceEnd,
  DCS,
  escapeSequenceEnd,
  incompleteCharacter,
  nextIntroducer,
  OSC,
  sequenceKind,
  stringStop,
  terminatorLength,
} from './bytes.ts';
import { holdLimit, readString, SEQUENCE_LIMIT_BYTES } from './control-strings.ts';
import type { OutputEvent } from './events.ts';
import { queryOfControlSequence } from './queries.ts';

const NOTHING = Buffer.alloc(0);

/**
 * Reads the output of a pty [TERM-3]: decodes UTF-8, removes shell integration (OSC 7, 133, 633, marks of OSC 1337), and reports titles,
 * folders, queries and our own marks, each behind the text before it. The sizes of reads affect only where text events end.
 *
 * What is not yet whole is kept: a character, a control sequence, a control string that has to be read to its end. Anything
 * longer than its limit (`control-strings.ts`), or broken off (by CAN, SUB, a C1 control, or ESC that begins something else), goes
 * into the text as it is; the limit counts the whole sequence, so it decides alike for every cut. Other control strings (OSC 52,
 * sixel) pass as they come, and the parser keeps no note of being inside one: as in xterm.js, ESC or a C1 introducer begins a sequence
 * anywhere, also within a string. So the bytes kept are the parser's only state, and a new parser that starts at the first of them
 * reads the same as this one would have. A look-alike of shell integration inside a DCS is therefore removed as well.
 */
export class OutputParser {
  readonly #nonce: string | undefined;
  /** Buffer of kept bytes. It grows by doubling, so that many small reads cost no more than a few large ones. */
  #room = NOTHING;
  #keptLength = 0;
  /** The kept control string was searched for its end up to this index. */
  #searched = 0;

  /** `nonce`: the secret of this terminal's shell integration. Absent or empty: there are no marks. */
  constructor(options: { readonly nonce?: string } = {}) {
    this.#nonce = options.nonce === '' ? undefined : options.nonce;
  }

  /** Number of pushed bytes that are in no event yet. */
  get pendingBytes(): number {
    return this.#keptLength;
  }

  /** Reads more bytes. Copies the bytes that it keeps. */
  push(bytes: Uint8Array): OutputEvent[] {
    const data = this.#join(bytes);
    const events = new EventList(data);
    let at = nextIntroducer(data, 0);
    while (at < data.length) {
      const next = this.#read(data, at, events);
      if (next < 0) break;
      at = nextIntroducer(data, next);
    }
    const keepFrom = at < data.length ? at : data.length - incompleteCharacter(data);
    this.#keep(data, keepFrom);
    return events.upTo(keepFrom);
  }

  /** The output has ended: returns the kept bytes as text, and resets the parser. */
  end(): OutputEvent[] {
    const data = this.#join(NOTHING);
    this.#keep(data, data.length);
    return new EventList(data).upTo(data.length);
  }

  /** Reads the sequence that begins here. Returns the index behind it, or -1 when it is incomplete. */
  #read(data: Buffer, at: number, events: EventList): number {
    const kind = sequenceKind(data, at);
    if (kind === undefined) return -1;
    if (kind === OSC || kind === DCS) return this.#readString(kind, data, at, events);
    let end = at + 1;
    if (kind === CSI) end = controlSequenceEnd(data, at + 2);
    else if (kind >= 0x20 && kind <= 0x2f) end = escapeSequenceEnd(data, at + 2);
    if (end < 0) return data.length - at < SEQUENCE_LIMIT_BYTES ? -1 : at + 1;
    const query = kind === CSI ? queryOfControlSequence(data, at + 2, end) : undefined;
    if (query !== undefined) events.add([{ type: 'query', query }], end, end);
    return end;
  }

  #readString(kind: typeof OSC | typeof DCS, data: Buffer, at: number, events: EventList): number {
    const limit = holdLimit(kind, data, at + 2, this.#nonce);
    if (limit === 'undecided') return -1;
    if (limit === 0) return at + 2;
    const stop = stringStop(data, Math.max(at + 2, at === 0 ? this.#searched : 0), kind);
    if (stop < 0) return data.length - at < limit ? -1 : at + 2;
    const end = stop + terminatorLength(data, stop);
    // Nothing else begins before the stop.
    if (end === stop || end - at > limit) return stop;
    const { isRemoved, events: said } = readString(kind, data.toString('latin1', at + 2, stop), {
      nonce: this.#nonce,
      terminator: data[stop] === BEL ? 'bel' : 'st',
    });
    if (isRemoved || said.length > 0) events.add(said, isRemoved ? at : end, end);
    return end;
  }

  #join(bytes: Uint8Array): Buffer {
    const before = this.#keptLength;
    if (before === 0) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const length = before + bytes.byteLength;
    if (this.#room.length < length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(length, 2 * this.#room.length));
      this.#room.copy(larger, 0, 0, before);
      this.#room = larger;
    }
    this.#room.set(bytes, before);
    return this.#room.subarray(0, length);
  }

  #keep(data: Buffer, from: number): void {
    const length = data.length - from;
    // The last byte may be the first half of a terminator.
    this.#searched = length - 1;
    this.#keptLength = length;
    if (length > 0 && from === 0 && data.buffer === this.#room.buffer) return;
    this.#room = NOTHING;
    if (length === 0) return;
    this.#room = Buffer.allocUnsafeSlow(length);
    data.copy(this.#room, 0, from);
  }
}

/** Both decoders give the same text. One is faster for short input, the other for long input. */
const SHORT_BYTES = 256;
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Collects events in order, and joins neighbouring text. */
class EventList {
  readonly #data: Buffer;
  readonly #events: OutputEvent[] = [];
  #text = '';
  /** Index of the first byte that is in no event yet. */
  #from = 0;

  constructor(data: Buffer) {
    this.#data = data;
  }

  /** Adds the text up to `textEnd`, then these events. Continues at `next`. */
  add(events: readonly OutputEvent[], textEnd: number, next: number): void {
    this.#decode(textEnd);
    this.#from = next;
    if (events.length === 0) return;
    this.#flush();
    this.#events.push(...events);
  }

  /** Returns all events, with the text up to here. */
  upTo(end: number): OutputEvent[] {
    this.#decode(end);
    this.#flush();
    return this.#events;
  }

  /** Pieces are decoded separately: bytes before and behind a removed sequence do not form a character. */
  #decode(to: number): void {
    const from = this.#from;
    if (from >= to) return;
    this.#text +=
      to - from < SHORT_BYTES
        ? this.#data.toString('utf8', from, to)
        : decoder.decode(this.#data.subarray(from, to));
  }

  #flush(): void {
    if (this.#text !== '') this.#events.push({ type: 'text', text: this.#text });
    this.#text = '';
  }
}
