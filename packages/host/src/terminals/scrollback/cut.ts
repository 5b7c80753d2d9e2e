/** Whether a character begins an escape sequence: ESC, or the one-character forms of DCS, SOS, CSI, OSC, PM and APC. */
const isIntroducer = (code: number): boolean =>
  code === 0x1b || code === 0x90 || code === 0x98 || code === 0x9b || (code >= 0x9d && code <= 0x9f);

/** Longest sequence of a one-character introducer that is looked for, in UTF-16 code units. */
const SHORT_REACH = 4096;

/** Characters that join the one before: combining marks, variation selectors, joiners, skin tones. */
const JOINS = /^[\p{M}\p{Emoji_Modifier}\u200d]/u;

const NEWLINE = '\n';

/**
 * The first index at or behind `from` where `text` can be cut, so that the rest alone begins with a whole character: a line start if
 * there is one, else a character. Never inside a surrogate pair, an escape sequence, or a character with its combining marks. Returns
 * `text.length` when there is no such index.
 */
export function cutAt(text: string, from: number): number {
  if (from <= 0) return 0;
  // A line start at exactly `from` counts.
  for (let at = text.indexOf(NEWLINE, from - 1); at >= 0; at = text.indexOf(NEWLINE, at + 1)) {
    const end = sequenceAround(text, at + 1);
    if (end === undefined) return at + 1 < text.length ? at + 1 : characterCut(text, from);
    at = end - 1;
  }
  return characterCut(text, from);
}

function characterCut(text: string, from: number): number {
  let at = from;
  while (at < text.length) {
    const end = sequenceAround(text, at);
    if (end !== undefined) at = end;
    else if (isInsideCharacter(text, at)) at++;
    else return at;
  }
  return text.length;
}

function isInsideCharacter(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code < 0x300 || at === 0) return false;
  if (code >= 0xdc00 && code <= 0xdfff) return true;
  return text.charCodeAt(at - 1) === 0x200d || JOINS.test(text.slice(at, at + 2));
}

/** The end of the escape sequence around `at`; `undefined` when there is none. */
function sequenceAround(text: string, at: number): number | undefined {
  // One-character introducers are rare and their sequences short; ESC may begin a long string.
  const nearest = Math.max(0, at - SHORT_REACH);
  let start = at - 1;
  while (start >= nearest && !isIntroducer(text.charCodeAt(start))) start--;
  if (start < nearest) start = at > SHORT_REACH ? text.lastIndexOf('\x1b', nearest) : -1;
  if (start < 0) return undefined;
  const end = sequenceEnd(text, start);
  return end > at ? end : undefined;
}

const CSI_END = /[\x18\x1a\x1b\x40-\x7e]/g;
const ESCAPE_END = /[\x18\x1a\x1b\x30-\x7e]/g;
const STRING_END = /[\x18\x1a\x1b\x9c]/g;
const OSC_END = /[\x07\x18\x1a\x1b\x9c]/g;

/** The end of the sequence that begins at `start`; the end of the text when it is incomplete. */
function sequenceEnd(text: string, start: number): number {
  const first = text.charCodeAt(start);
  const isShort = first === 0x1b;
  const kind = isShort ? text.charAt(start + 1) : String.fromCharCode(first - 0x40);
  const body = start + (isShort ? 2 : 1);
  if (kind === '') return text.length;
  if (kind === '[') return endOf(text, body, CSI_END);
  if (kind === ']') return endOf(text, body, OSC_END);
  if (kind === 'P' || kind === 'X' || kind === '^' || kind === '_') return endOf(text, body, STRING_END);
  return endOf(text, start + 1, ESCAPE_END);
}

function endOf(text: string, from: number, pattern: RegExp): number {
  pattern.lastIndex = from;
  const match = pattern.exec(text);
  if (match === null) return text.length;
  if (match[0] !== '\x1b') return match.index + 1;
  // `ESC \` terminates a string; any other escape begins the next sequence.
  return text.charAt(match.index + 1) === '\\' ? match.index + 2 : match.index;
}
