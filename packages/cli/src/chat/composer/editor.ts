import { cellsOf, INVISIBLE_CHARACTER } from '../../render/plain-text.ts';
import { type Line, line } from '../text/line.ts';

/** Text that is being typed. `cursor` is a UTF-16 offset at the edge of a character as people see it. */
export interface Editor {
  readonly text: string;
  readonly cursor: number;
}

export const EMPTY_EDITOR: Editor = { text: '', cursor: 0 };

const segmenter = new Intl.Segmenter();

/** Text with the cursor at its end. */
export const editorOf = (text: string): Editor => ({ text, cursor: text.length });

/** Types `typed` at the cursor. */
export const insert = ({ text, cursor }: Editor, typed: string): Editor =>
  replaceRange({ text, cursor }, cursor, cursor, typed);

/** Puts `typed` in place of a range; the cursor stands behind it. */
export const replaceRange = ({ text }: Editor, start: number, end: number, typed: string): Editor => ({
  text: text.slice(0, start) + typed + text.slice(end),
  cursor: start + typed.length,
});

function before(text: string, offset: number): number {
  let last = 0;
  // The edge of a character depends on no more than the line.
  const start = lineStart(text, offset);
  if (start === offset) return Math.max(0, offset - 1);
  for (const { index } of segmenter.segment(text.slice(start, offset))) last = index;
  return start + last;
}

function after(text: string, offset: number): number {
  const [first] = segmenter.segment(text.slice(offset, offset + 64));
  return first === undefined ? offset : offset + first.segment.length;
}

const lineStart = (text: string, offset: number): number => text.lastIndexOf('\n', offset - 1) + 1;

function lineEnd(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  return end < 0 ? text.length : end;
}

const wordBefore = (text: string, offset: number): number =>
  offset - (/\S*\s*$/.exec(text.slice(0, offset))?.[0].length ?? 0);

const wordAfter = (text: string, offset: number): number =>
  offset + (/^\s*\S*/.exec(text.slice(offset))?.[0].length ?? 0);

/** The editing keys: an editor after the key, or `undefined` when the key edits nothing. */
export function edited(editor: Editor, key: string): Editor | undefined {
  const { text, cursor } = editor;
  const move = (to: number): Editor => ({ text, cursor: to });
  const remove = (start: number, end: number): Editor => replaceRange(editor, start, end, '');
  switch (key) {
    case 'left':
    case 'ctrl-b':
      return move(before(text, cursor));
    case 'right':
    case 'ctrl-f':
      return move(after(text, cursor));
    case 'home':
    case 'ctrl-a':
      return move(lineStart(text, cursor));
    case 'end':
    case 'ctrl-e':
      return move(lineEnd(text, cursor));
    case 'alt-b':
    case 'alt-left':
    case 'ctrl-left':
      return move(wordBefore(text, cursor));
    case 'alt-f':
    case 'alt-right':
    case 'ctrl-right':
      return move(wordAfter(text, cursor));
    case 'backspace':
    case 'ctrl-h':
      return remove(before(text, cursor), cursor);
    case 'delete':
      return remove(cursor, after(text, cursor));
    case 'ctrl-w':
    case 'alt-backspace':
      return remove(wordBefore(text, cursor), cursor);
    case 'ctrl-u':
      return remove(lineStart(text, cursor), cursor);
    case 'ctrl-k':
      return remove(cursor, lineEnd(text, cursor));
    default:
      return undefined;
  }
}

/** A line up or down, in the same column; `undefined` where there is none. */
export function movedByLine({ text, cursor }: Editor, by: -1 | 1): Editor | undefined {
  const start = lineStart(text, cursor);
  if (by < 0 ? start === 0 : lineEnd(text, cursor) === text.length) return undefined;
  const target = by < 0 ? lineStart(text, start - 1) : lineEnd(text, cursor) + 1;
  const targetEnd = lineEnd(text, target);
  return { text, cursor: Math.min(target + (cursor - start), targetEnd) };
}

/** An editor as rows of cells. */
export interface EditorLayout {
  readonly lines: readonly Line[];
  /** Where the cursor stands in them. */
  readonly row: number;
  readonly column: number;
}

/** Control characters, line separators, direction controls and invisible characters. */
const UNSHOWN = new RegExp(`[\\p{Cc}\\p{Zl}\\p{Zp}]|${INVISIBLE_CHARACTER.source}`, 'gu');

/** A character as it is drawn: what nobody would see has a mark of one cell. Text of others comes into editors too. */
function drawn(segment: string): string {
  if (segment === '\t') return ' ';
  return segment.replace(UNSHOWN, (character) => {
    const code = character.charCodeAt(0);
    if (code === 0x7f) return '\u2421';
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : '\ufffd';
  });
}

/** Breaks the text hard at the width, as terminals do, and shows at most `height` rows around the cursor. */
export function layoutEditor({ text, cursor }: Editor, width: number, height: number): EditorLayout {
  const rows: string[] = [];
  let current = '';
  let cells = 0;
  let row = 0;
  let column = 0;
  const room = Math.max(1, width - 1);
  for (const { segment, index } of segmenter.segment(text)) {
    const isBreak = segment.endsWith('\n');
    // Only a line feed breaks; a carriage return before it shows.
    const shown = drawn(isBreak ? segment.slice(0, -1) : segment);
    const shownCells = cellsOf(shown);
    if (cells + shownCells > room) {
      rows.push(current);
      current = '';
      cells = 0;
    }
    if (cursor >= index && cursor < index + segment.length) [row, column] = [rows.length, cells];
    current += shown;
    cells += shownCells;
    if (isBreak) {
      rows.push(current);
      current = '';
      cells = 0;
    }
  }
  if (cursor >= text.length) [row, column] = [rows.length, cells];
  rows.push(current);
  const first = Math.max(0, Math.min(row - height + 1, rows.length - height));
  const top = row < first ? row : first;
  return { lines: rows.slice(top, top + height).map((shown) => line(shown)), row: row - top, column };
}

/** Messages that were sent, and where in them somebody is. */
export interface History {
  readonly entries: readonly string[];
  /** Index of the one that shows; the number of entries: none, but what was being typed. */
  readonly at: number;
  /** Text before the first step back. */
  readonly typed: string;
}

/** A history, latest last, without consecutive repetitions. */
export function historyOf(entries: readonly string[]): History {
  const distinct = entries.filter((entry, index) => entry !== '' && entry !== entries[index - 1]);
  return { entries: distinct, at: distinct.length, typed: '' };
}

/** One step; `undefined` at the end. `shown` is what stands in the editor now. */
export function stepped(
  history: History,
  by: -1 | 1,
  shown: string,
): { history: History; text: string } | undefined {
  const { entries, at } = history;
  const next = at + by;
  if (next < 0 || next > entries.length) return undefined;
  const typed = at === entries.length ? shown : history.typed;
  return { history: { entries, at: next, typed }, text: entries[next] ?? typed };
}
