import { describe, expect, test } from 'vitest';
import { edited, editorOf, historyOf, insert, layoutEditor, movedByLine, stepped } from './editor.ts';

const at = (marked: string): { text: string; cursor: number } => ({
  text: marked.replace('|', ''),
  cursor: marked.indexOf('|'),
});
const marked = ({ text, cursor }: { text: string; cursor: number }): string =>
  `${text.slice(0, cursor)}|${text.slice(cursor)}`;

describe('edited', () => {
  test.each([
    ['left', 'ab|', 'a|b'],
    ['left', '👨‍👩‍👧|', '|👨‍👩‍👧'],
    ['left', 'a\n|b', 'a|\nb'],
    ['right', '|e\u0301x', 'e\u0301|x'],
    ['right', 'end|', 'end|'],
    ['backspace', 'a👍🏽|b', 'a|b'],
    ['backspace', '|a', '|a'],
    ['delete', 'a|日b', 'a|b'],
    ['home', 'one\ntwo|', 'one\n|two'],
    ['end', 'o|ne\ntwo', 'one|\ntwo'],
    ['ctrl-w', 'one two |three', 'one |three'],
    ['ctrl-u', 'one\ntwo| three', 'one\n| three'],
    ['ctrl-k', 'o|ne\ntwo', 'o|\ntwo'],
    ['alt-b', 'one two|', 'one |two'],
    ['alt-f', '|one two', 'one| two'],
  ])('%s turns %j into %j', (key, before, after) => {
    expect(marked(edited(at(before), key) ?? at('|none'))).toBe(after);
  });

  test('leaves other keys unhandled', () => {
    expect(edited(editorOf('a'), 'ctrl-s')).toBeUndefined();
  });
});

test('movedByLine keeps the column, and ends at the first and last line', () => {
  expect(marked(movedByLine(at('one\ntw|o'), -1) ?? at('|'))).toBe('on|e\ntwo');
  expect(marked(movedByLine(at('long line|\nab'), 1) ?? at('|'))).toBe('long line\nab|');
  expect(movedByLine(at('on|e'), -1)).toBeUndefined();
  expect(movedByLine(at('on|e'), 1)).toBeUndefined();
});

describe('layoutEditor', () => {
  test('breaks at the width and returns the cursor position', () => {
    const layout = layoutEditor(at('abcdef|gh'), 5, 10);
    expect(layout.lines.map(([part]) => part?.text)).toEqual(['abcd', 'efgh']);
    expect([layout.row, layout.column]).toEqual([1, 2]);
  });

  test('counts wide characters as two cells', () => {
    expect(layoutEditor(at('日本|語'), 20, 3).column).toBe(4);
  });

  test('marks invisible characters, and leaves the text unchanged', () => {
    const editor = at('a\u001b[31m\u202ebc\u009b\r\nd|');
    const layout = layoutEditor(editor, 40, 3);
    expect(layout.lines.map(([part]) => part?.text)).toEqual(['a\u241b[31m\ufffdbc\ufffd\u240d', 'd']);
    expect([layout.row, layout.column]).toEqual([1, 1]);
    expect(editor.text).toContain('\u001b[31m\u202e');
  });

  test('shows the rows around the cursor', () => {
    const layout = layoutEditor(
      editorOf(Array.from({ length: 30 }, (_, row) => `row ${row}`).join('\n')),
      20,
      3,
    );
    expect(layout.lines.map(([part]) => part?.text)).toEqual(['row 27', 'row 28', 'row 29']);
    expect(layout.row).toBe(2);
  });
});

test('insert types at the cursor', () => {
  expect(marked(insert(at('a|b'), 'xy'))).toBe('axy|b');
});

test('a history steps back and forth, and ends with the draft', () => {
  const history = historyOf(['one', 'one', '', 'two']);
  const back = stepped(history, -1, 'typed');
  expect(back?.text).toBe('two');
  const further = back && stepped(back.history, -1, 'two');
  expect(further?.text).toBe('one');
  expect(further && stepped(further.history, -1, 'one')).toBeUndefined();
  const forth = further && stepped(further.history, 1, 'one');
  expect(forth && stepped(forth.history, 1, 'two')?.text).toBe('typed');
});
