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
 * Reads what a pty puts out [TERM-3]: decodes UTF-8, takes shell integration out (OSC 7, 133, 633, marks of OSC 1337), and reports
 * titles, folders, queries and our own marks, each behind the text that precedes it. How the bytes were cut into reads changes
 * nothing but where text events are cut.
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
  /** Room for kept bytes; grows by doubling, so that many small reads cost no more than few large ones. */
  #room = NOTHING;
  #keptLength = 0;
  /** How far the kept control string has been searched for its end. */
  #searched = 0;

  /** `nonce`: the secret of this terminal's shell integration; absent or empty: there are no marks. */
  constructor(options: { readonly nonce?: string } = {}) {
    this.#nonce = options.nonce === '' ? undefined : options.nonce;
  }

  /** Bytes pushed that are in no event yet. */
  get pendingBytes(): number {
    return this.#keptLength;
  }

  /** Reads on. The bytes are not kept: what is needed of them is copied. */
  push(bytes: Uint8Array): OutputEvent[] {
    const data = this.#join(bytes);
    const events = new EventList();
    /** Where text begins that is in no event yet. */
    let textFrom = 0;
    let at = 0;
    let keepFrom = -1;
    while (keepFrom < 0) {
      at = nextIntroducer(data, at);
      if (at === data.length) break;
      const kind = sequenceKind(data, at);
      if (kind === OSC || kind === DCS) {
        const limit = holdLimit(kind, data, at + 2, this.#nonce);
        if (limit === 0) {
          at += 2;
          continue;
        }
        const stop =
          limit === 'undecided'
            ? -1
            : stringStop(data, Math.max(at + 2, at === 0 ? this.#searched : 0), kind);
        if (limit === 'undecided' || (stop < 0 && data.length - at < limit)) {
          keepFrom = at;
          continue;
        }
        const end = stop + terminatorLength(data, stop);
        if (stop < 0 || end === stop || end - at > limit) {
          // Between here and the stop begins nothing else.
          at = stop < 0 ? at + 2 : stop;
          continue;
        }
        const { isRemoved, events: said } = readString(kind, data.toString('latin1', at + 2, stop), {
          nonce: this.#nonce,
          terminator: data[stop] === BEL ? 'bel' : 'st',
        });
        if (isRemoved || said.length > 0) {
          events.text(data, textFrom, isRemoved ? at : end);
          textFrom = end;
          events.add(said);
        }
        at = end;
        continue;
      }
      const end = this.#endOf(kind, data, at);
      if (end < 0) {
        keepFrom = at;
        continue;
      }
      if (kind === CSI) {
        const query = queryOfControlSequence(data, at + 2, end);
        if (query !== undefined) {
          events.text(data, textFrom, end);
          textFrom = end;
          events.add([{ type: 'query', query }]);
        }
      }
      at = end;
    }
    if (keepFrom < 0) keepFrom = data.length - incompleteCharacter(data);
    events.text(data, textFrom, keepFrom);
    this.#keep(data, keepFrom);
    return events.done();
  }

  /** No more will come: what was kept is text now. The parser is as new afterwards. */
  end(): OutputEvent[] {
    const events = new EventList();
    events.text(this.#room, 0, this.#keptLength);
    this.#keep(NOTHING, 0);
    return events.done();
  }

  /** Behind an escape or control sequence, or where reading goes on because it is none; -1 when it is not whole. */
  #endOf(kind: number | undefined, data: Buffer, at: number): number {
    let end = at + 1;
    if (kind === undefined) return -1;
    if (kind === CSI) end = controlSequenceEnd(data, at + 2);
    else if (kind >= 0x20 && kind <= 0x2f) end = escapeSequenceEnd(data, at + 2);
    return end < 0 && data.length - at >= SEQUENCE_LIMIT_BYTES ? at + 1 : end;
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

/** Events in order, neighbouring pieces of text as one. */
class EventList {
  readonly #events: OutputEvent[] = [];
  #text = '';

  /** Pieces are decoded by themselves: bytes on both sides of what was removed make no character together. */
  text(data: Buffer, from: number, to: number): void {
    if (from < to) this.#text += data.toString('utf8', from, to);
  }

  add(events: readonly OutputEvent[]): void {
    if (events.length === 0) return;
    this.#flush();
    this.#events.push(...events);
  }

  done(): OutputEvent[] {
    this.#flush();
    return this.#events;
  }

  #flush(): void {
    if (this.#text !== '') this.#events.push({ type: 'text', text: this.#text });
    this.#text = '';
  }
}
