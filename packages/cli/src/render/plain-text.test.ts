import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cellsOf, cutToCells, homely, jsonLine, oneLine, PlainText, plain } from './plain-text.ts';

describe('plain', () => {
  test.each([
    ['colours', '\u001b[1;31mred\u001b[0m', 'red'],
    ['a title, ended by BEL', '\u001b]0;owned\u0007text', 'text'],
    ['a clipboard write, ended by ST', '\u001b]52;c;ZXZpbA==\u001b\\text', 'text'],
    ['a device control string', '\u001bPq#0;2\u001b\\text', 'text'],
    ['one-byte controls of the upper range', '\u009b2Jtext\u0085\u009d0;x\u0007!', 'text!'],
    ['a character set', '\u001b(0text', 'text'],
    ['a reset', '\u001bctext', 'text'],
    ['carriage returns, backspaces and bells', 'a\rb\bc\u0007d', 'abcd'],
    ['controls of writing direction', 'gnp\u202efdp.exe\u2066', 'gnpfdp.exe'],
    ['a string that nobody ends, but not over its line', '\u001b]0;never\nnext', '\nnext'],
  ])('removes %s', (_what, text, shown) => {
    expect(plain(text)).toBe(shown);
  });

  test('leaves text of all scripts, newlines and tabs', () => {
    const text = 'Grüße\t日本語 👩‍👩‍👧 e\u0301\n';
    expect(plain(text)).toBe(text);
  });

  test('gives the same result wherever a text is split', () => {
    const dangerous = fc.array(
      fc.constantFrom('\u001b', '[', ']', '0', ';', 'm', 'P', '\\', '\u0007', '\u009b', 'a', '\n'),
    );
    fc.assert(
      fc.property(dangerous, fc.nat(), (characters, at) => {
        const text = characters.join('');
        const cut = text.length === 0 ? 0 : at % text.length;
        const pieces = new PlainText();
        const shown = pieces.next(text.slice(0, cut)) + pieces.next(text.slice(cut));
        expect(shown).toBe(plain(text));
        expect(shown).not.toMatch(/[\u001b\u009b\u0007]/);
      }),
    );
  });
});

describe('oneLine', () => {
  test('joins several lines to one, and cuts it', () => {
    expect(oneLine(' a\n\tb  c ')).toBe('a b c');
    expect(oneLine('x'.repeat(300), 10)).toBe('xxxxxxx...');
  });
});

test.each([
  ['plain', 5],
  ['日本語', 6],
  ['한국', 4],
  ['e\u0301', 1],
  ['👍🏽 ok', 5],
  ['ｆｕｌｌ', 8],
  ['→', 1],
])('%j takes %d cells', (text, cells) => {
  expect(cellsOf(text)).toBe(cells);
});

test.each([
  ['what fits stays', 15, 'what fits stays'],
  ['what does not fit', 10, 'what do...'],
  ['日本語の題名です', 10, '日本語...'],
])('%j in %d cells is %j', (text, limit, cut) => {
  expect(cutToCells(text, limit)).toBe(cut);
  expect(cellsOf(cut)).toBeLessThanOrEqual(limit);
});

test('a path outside the home folder is unchanged', () => {
  expect(homely('/home/username', '/home/user')).toBe('/home/username');
  expect(homely('/home/user', '/home/user')).toBe('~');
});

test('a JSON line is one line without control sequences, and loses nothing', () => {
  const value = { text: 'a\nb \u001b[31m \u009b2J \u202e \u2028 \u007f ü' };
  const line = jsonLine(value);
  expect(line).toMatch(/^[^\n]+\n$/);
  expect(line.trimEnd()).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u202e]/);
  expect(JSON.parse(line)).toEqual(value);
});
