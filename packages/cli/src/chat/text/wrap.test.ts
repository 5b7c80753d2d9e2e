import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Line, line, span, steady, toAnsi } from './line.ts';
import { cutLine, justified, lineCells, wrapLine, wrapText } from './wrap.ts';

const said = (spans: Line): string => spans.map(({ text }) => text).join('');

describe('wrapLine', () => {
  test('breaks at spaces, and words only if they are too long, and keeps styles', () => {
    const lines = wrapLine(
      [span('some '), span('bold words', { bold: true }), span(' and averyverylongword')],
      10,
    );
    expect(lines.map(said)).toEqual(['some bold', 'words and', 'averyveryl', 'ongword']);
    expect(lines[0]?.at(-1)).toEqual(span('bold', { bold: true }));
  });

  test('breaks Japanese between any two characters', () => {
    expect(wrapLine(line('ab 日本語の題名'), 8).map(said)).toEqual(['ab 日本', '語の題名']);
  });

  test('puts one prefix before the first line and another before the rest', () => {
    const lines = wrapText('one two three', 7, undefined, { first: [span('> ')], rest: [span('  ')] });
    expect(lines.map(said)).toEqual(['> one', '  two', '  three']);
  });

  test('makes no line wider than the limit, and loses only spaces', () => {
    const words = fc.array(
      fc.constantFrom('a', 'word', '日本語', 'supercalifragilistic', '👍🏽', ' ', '  '),
      { maxLength: 30 },
    );
    fc.assert(
      fc.property(words, fc.integer({ min: 2, max: 20 }), (pieces, width) => {
        const text = pieces.join('');
        const lines = wrapLine(line(text), width);
        for (const each of lines) expect(lineCells(each)).toBeLessThanOrEqual(width);
        expect(lines.map(said).join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
      }),
    );
  });
});

test('cutLine keeps the fitting part and marks the cut', () => {
  expect(said(cutLine([span('abc'), span('defgh', { dim: true })], 6))).toBe('abcde…');
  expect(said(cutLine(line('日本語'), 4))).toBe('日…');
  expect(said(cutLine(line('fits'), 4))).toBe('fits');
});

test('justified puts the second text at the right edge', () => {
  expect(said(justified(line('left'), line('right'), 20))).toBe('left           right');
  expect(said(justified(line('much too long for it'), line('right'), 16))).toBe('much too … right');
});

test.each([
  ['👍🏽 ok', '👍 ok'],
  ['👨‍👩‍👧!', '👨!'],
  ['❤️.', '❤ .'],
  ['1️⃣ one', '1  one'],
  ['é 日本', 'é 日本'],
])('steady turns %j into text with the same width everywhere', (text, shown) => {
  expect(steady(text)).toBe(shown);
});

test('toAnsi writes styles as sequences, and colours only on request', () => {
  const text = [span('a', { bold: true, color: 'red' }), span('b')];
  expect(toAnsi(text, true)).toBe('\u001b[1;31ma\u001b[0mb');
  expect(toAnsi(text, false)).toBe('\u001b[1ma\u001b[0mb');
});
