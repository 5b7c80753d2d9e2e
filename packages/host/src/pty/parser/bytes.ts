/** Bytes that begin, end or abort a control sequence, by ECMA-48 and xterm. */
export const BEL = 0x07;
const CAN = 0x18;
const SUB = 0x1a;
export const ESC = 0x1b;
/** Each C1 control, U+0080 to U+009F, is this byte and one more in UTF-8. */
const C1_LEAD = 0xc2;
const BACKSLASH = 0x5c;

/** The byte behind ESC that says which kind of sequence begins; a C1 introducer is the same plus 0x40. */
export const CSI = 0x5b;
export const OSC = 0x5d;
export const DCS = 0x50;

const isC1Introducer = (byte: number | undefined): boolean => byte === 0x9b || byte === 0x9d || byte === 0x90;
const isC1 = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x80 && byte <= 0x9f;

/** Colours and cursor movements follow each other closely; from here on a native search is faster than a loop. */
const NEAR_BYTES = 48;

/** Index of the next ESC, or of the next CSI, OSC or DCS as a C1 control; the length when there is none. */
export function nextIntroducer(data: Buffer, from: number): number {
  const near = Math.min(data.length, from + NEAR_BYTES);
  const at = scanForIntroducer(data, from, near);
  if (at < near || near === data.length) return at;
  const escape = data.indexOf(ESC, near);
  const end = escape < 0 ? data.length : escape;
  const c1 = data.subarray(near, end).indexOf(C1_LEAD);
  return c1 < 0 ? end : scanForIntroducer(data, near + c1, end);
}

function scanForIntroducer(data: Buffer, from: number, end: number): number {
  for (let at = from; at < end; at++) {
    const byte = data[at];
    if (byte === ESC || (byte === C1_LEAD && isC1Introducer(data[at + 1]))) return at;
  }
  return end;
}

/** The kind of sequence at an index of `nextIntroducer`: the byte behind ESC; `undefined` when that is not there yet. */
export function sequenceKind(data: Uint8Array, at: number): number | undefined {
  const second = data[at + 1];
  return second === undefined || data[at] === ESC ? second : second - 0x40;
}

/**
 * Behind the last byte of the control sequence whose parameters begin at `from`, or the byte that broke it off; -1 when neither
 * has come. C0 controls inside are carried out by terminals and do not end it.
 */
export function controlSequenceEnd(data: Uint8Array, from: number): number {
  const end = data.length;
  for (let at = from; at < end; at++) {
    const byte = data[at] ?? 0;
    if (byte >= 0x40) return byte < 0x7f ? at + 1 : at;
    if (byte === ESC || byte === CAN || byte === SUB) return at;
  }
  return -1;
}

/** As `controlSequenceEnd`, for ESC with intermediate bytes (a character set, for example). */
export function escapeSequenceEnd(data: Uint8Array, from: number): number {
  const end = data.length;
  for (let at = from; at < end; at++) {
    const byte = data[at] ?? 0;
    if (byte >= 0x20 && byte <= 0x2f) continue;
    return byte >= 0x30 && byte < 0x7f ? at + 1 : at;
  }
  return -1;
}

/** Index of the first byte that ends or aborts a control string; -1 when there is none yet, or when it is incomplete. */
export function stringStop(data: Uint8Array, from: number, kind: number): number {
  const end = data.length;
  for (let at = from; at < end; at++) {
    const byte = data[at] ?? 0;
    if (byte >= 0x20 && byte !== C1_LEAD) continue;
    if ((byte === BEL && kind === OSC) || byte === CAN || byte === SUB) return at;
    if (byte !== ESC && byte !== C1_LEAD) continue;
    if (at + 1 === end) return -1;
    if (byte === ESC || isC1(data[at + 1])) return at;
  }
  return -1;
}

/** Length of the BEL or ST at an index that `stringStop` found; 0 when the string was broken off there. */
export function terminatorLength(data: Uint8Array, at: number): 0 | 1 | 2 {
  const byte = data[at];
  if (byte === BEL) return 1;
  const second = data[at + 1];
  return (byte === ESC && second === BACKSLASH) || (byte === C1_LEAD && second === 0x9c) ? 2 : 0;
}

/** Number of bytes at the end that begin a valid character: 0 to 3. */
export function incompleteCharacter(data: Uint8Array): number {
  const end = data.length;
  for (let back = 1; back <= 3 && back <= end; back++) {
    const byte = data[end - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte < 0xc0) continue;
    const length = byte < 0xc2 || byte > 0xf4 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    return back < length && (back === 1 || canFollow(byte, data[end - back + 1] ?? 0)) ? back : 0;
  }
  return 0;
}

/** Overlong forms, surrogates and what lies above U+10FFFF show in the second byte (Unicode, table 3-7). */
function canFollow(lead: number, second: number): boolean {
  if (lead === 0xe0) return second >= 0xa0;
  if (lead === 0xed) return second <= 0x9f;
  if (lead === 0xf0) return second >= 0x90;
  return lead !== 0xf4 || second <= 0x8f;
}
