import { expect, test } from 'vitest';
import { asksForCompletion, attachmentsIn, popupLines, taken } from './completion.ts';
import { editorOf } from './editor.ts';

const triggers = ['@', '/', '#'];
const file = { type: 'resource', label: 'main.ts', uri: 'file:///p/src/main.ts', _meta: { id: 7 } } as const;

test.each([
  ['look at @ma', true],
  ['@', true],
  ['mail me@example', false],
  ['/re', true],
  ['say /re', false],
  ['/tmp/x', false],
  ['like #3', true],
  ['plain', false],
  ['@file done', false],
  ['in @"my fol', true],
  ['in @"my folder/', true],
  ['in @"my folder/" and', false],
  ['me@"my fol', false],
])('%j requests completions: %s', (text, asks) => {
  expect(asksForCompletion(editorOf(text), triggers)).toBe(asks);
});

test('a completion replaces its range, and its attachment is kept unchanged with its position', () => {
  const item = { insertText: '@src/main.ts', rangeStart: 8, rangeEnd: 11, attachment: file };
  const { editor, inserted } = taken(editorOf('look at @ma'), item);
  expect(editor).toEqual({ text: 'look at @src/main.ts ', cursor: 21 });
  expect(attachmentsIn(`please\n${editor.text}`, [inserted])).toEqual([
    { ...file, range: { start: { line: 1, character: 8 }, end: { line: 1, character: 20 } } },
  ]);
});

test('a folder can be typed on, and text that was deleted is not attached', () => {
  const { editor, inserted } = taken(editorOf('@s'), {
    insertText: '@src/',
    rangeStart: 0,
    rangeEnd: 2,
    attachment: file,
  });
  expect(editor.text).toBe('@src/');
  expect(attachmentsIn('nothing', [inserted])).toEqual([]);
});

test('a quoted folder is typed on inside its quotes', () => {
  const item = { insertText: '@"my folder/"', rangeStart: 3, rangeEnd: 7, attachment: file };
  const { editor } = taken(editorOf('in @"my'), item);
  expect(editor).toEqual({ text: 'in @"my folder/"', cursor: 15 });
  expect(asksForCompletion(editor, triggers)).toBe(true);
});

test('the popup keeps the selected completion visible', () => {
  const items = Array.from({ length: 9 }, (_, index) => ({ insertText: `@f${index}`, attachment: file }));
  const lines = popupLines({ items, selected: 8 }, 40, 3).map((spans) => spans[0]?.text);
  expect(lines).toEqual(['  @f6', '  @f7', '  @f8']);
});
