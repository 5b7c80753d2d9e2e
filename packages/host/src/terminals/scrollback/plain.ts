import type { Size } from './emulator.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: ESC begins it
const PLAIN_SEQUENCE = /\x1b\[[\d;:]*[mK]/y;

/** Characters that are neither printable nor BEL, BS, TAB, LF or CR. One character class, because that is fast. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that are let through
const SPECIAL = /[^\x07-\x0a\x0d -~\xa0-\uffff]/g;

/**
 * Whether text only writes characters, changes their style (SGR), moves within the line or to the next line, and erases in the line (EL).
 * Such text never changes a line that has left the screen.
 */
export function isPlainText(text: string): boolean {
  SPECIAL.lastIndex = 0;
  while (SPECIAL.test(text)) {
    const at = SPECIAL.lastIndex - 1;
    PLAIN_SEQUENCE.lastIndex = at;
    if (text.charCodeAt(at) !== 0x1b || !PLAIN_SEQUENCE.test(text)) return false;
    SPECIAL.lastIndex = PLAIN_SEQUENCE.lastIndex;
  }
  return true;
}

/**
 * Removes from plain text the lines that a terminal with `lineCount` lines above its screen no longer has, and further ones while the rest is
 * longer than `maxLength`. Cuts behind a CR LF, or where a
 * line of ASCII wraps, so that the rest begins in the first column. `style`: the SGR sequences at the start of the text. Returns the rest
 * and the SGR sequences at its start; `undefined` when there is nothing to remove.
 */
export function newestLines(
  text: string,
  style: string,
  {
    size,
    lineCount,
    maxLength,
  }: { readonly size: Size; readonly lineCount: number; readonly maxLength: number },
): { readonly text: string; readonly style: string } | undefined {
  // Lines of the first screen have another colour than lines that a scroll added, so they must be among the removed lines.
  const startOf = (lines: number): number | undefined => {
    const count = lines + 2 * size.rows;
    return lineStart(text, count) ?? wrapStart(text, size.cols, count);
  };
  let at = startOf(lineCount);
  for (let lines = lineCount; text.length - (at ?? 0) > maxLength && lines > 0; ) {
    lines = Math.floor(lines / 2);
    at = startOf(lines);
  }
  return at === undefined ? undefined : { text: text.slice(at), style: styleAt(style + text.slice(0, at)) };
}

/** The last index behind a CR LF that has at least `count` line feeds behind it. */
function lineStart(text: string, count: number): number | undefined {
  let at = text.length;
  for (let left = count; left > 0 && at > 0; left--) at = text.lastIndexOf('\n', at - 1);
  const end = at <= 0 ? -1 : text.lastIndexOf('\r\n', at);
  return end < 0 ? undefined : end + 2;
}

/** The start of a row with at least `count` rows behind it, in text of one line that begins in the first column. */
function wrapStart(text: string, cols: number, count: number): number | undefined {
  if (text.length <= cols * count) return undefined;
  const rows = Math.floor(columnCount(text) / cols) - count;
  if (rows <= 0) return undefined;
  let left = rows * cols;
  for (let at = 0; ; ) {
    const escape = text.indexOf('\x1b', at);
    const end = escape < 0 ? text.length : escape;
    if (end - at >= left) return at + left;
    left -= end - at;
    at = text.indexOf('m', end) + 1;
  }
}

/** Columns of a line of ASCII and SGR sequences; 0 when it contains anything else. */
function columnCount(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code >= 0x20 && code < 0x7f) count++;
    else if (code === 0x1b) {
      SGR.lastIndex = at;
      if (!SGR.test(text)) return 0;
      at = SGR.lastIndex - 1;
    } else return 0;
  }
  return count;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: ESC begins it
const SGR = /\x1b\[([\d;:]*)m/y;

/**
 * The SGR sequences of plain text that have an effect at its end, in order: each sets an attribute that no later one sets. Reads from the
 * end to the last reset.
 */
function styleAt(text: string): string {
  const known = new Set<string>();
  const kept: string[] = [];
  for (let at = text.length; at > 0 && !known.has('all'); ) {
    at = text.lastIndexOf('\x1b', at - 1);
    if (at < 0) break;
    SGR.lastIndex = at;
    const match = SGR.exec(text);
    if (match === null) continue;
    const attributes = attributesOf(match[1] ?? '');
    if (attributes.some((attribute) => !known.has(attribute))) kept.push(match[0]);
    for (const attribute of attributes) known.add(attribute);
  }
  return kept.reverse().join('');
}

const FLAGS: Readonly<Record<number, readonly string[]>> = {
  0: ['all'],
  1: ['bold'],
  2: ['dim'],
  3: ['italic'],
  4: ['underline'],
  5: ['blink'],
  6: ['blink'],
  7: ['inverse'],
  8: ['invisible'],
  9: ['strike'],
  21: ['underline'],
  22: ['bold', 'dim'],
  23: ['italic'],
  24: ['underline'],
  25: ['blink'],
  27: ['inverse'],
  28: ['invisible'],
  29: ['strike'],
  38: ['foreground'],
  39: ['foreground'],
  48: ['background'],
  49: ['background'],
  53: ['overline'],
  55: ['overline'],
  58: ['underlineColor'],
  59: ['underlineColor'],
};

function attributesOf(parameters: string): string[] {
  const codes = parameters.split(';');
  const found: string[] = [];
  for (let index = 0; index < codes.length; index++) {
    const text = codes[index] ?? '';
    const code = Number.parseInt(text, 10) || 0;
    if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) found.push('foreground');
    else if ((code >= 40 && code <= 47) || (code >= 100 && code <= 107)) found.push('background');
    // Unknown codes are kept until a reset.
    else found.push(...(FLAGS[code] ?? [`code ${code}`]));
    const isLong = (code === 38 || code === 48 || code === 58) && !text.includes(':');
    if (isLong) index += codes[index + 1] === '2' ? 4 : 2;
  }
  return found;
}
