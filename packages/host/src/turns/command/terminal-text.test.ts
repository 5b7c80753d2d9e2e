import { describe, expect, it } from 'vitest';
import { lastBytes, plainText, terminalText } from './terminal-text.ts';

describe('plain text of a terminal', () => {
  it.each([
    ['colours', '\u001b[1;32mok\u001b[0m \u001b[38;5;196mred\u001b[m', 'ok red'],
    ['line ends', 'a\r\nb\r\n', 'a\nb\n'],
    ['a line written over', '10%\r50%\r100%\r\ndone', '100%\ndone'],
    [
      'a title and a link',
      '\u001b]0;my title\u0007x\u001b]8;;http://a\u001b\\link\u001b]8;;\u001b\\',
      'xlink',
    ],
    ['a title that never ends', 'x\u001b]0;my tit', 'x'],
    ['a device control string', '\u001bP1$r0m\u001b\\x', 'x'],
    ['character sets and keypad modes', '\u001b(B\u001b=x\u001b>', 'x'],
    ['what was erased', 'passs\b \bword', 'password'],
    ['bells and other controls, but not tabs', '\u0007a\tb\u0000', 'a\tb'],
    ['wide characters', '日本 🎉 é', '日本 🎉 é'],
  ])('is without %s', (_, output, plain) => {
    expect(plainText(output)).toBe(plain);
  });
});

describe('the last bytes of a text', () => {
  it.each([
    ['abc', 3, 'abc'],
    ['abc', 2, 'bc'],
    ['abc', 0, ''],
    ['aéé', 3, 'é'],
    ['a🎉', 4, '🎉'],
    ['a🎉', 3, ''],
    ['🎉🎉', 6, '🎉'],
    ['', 5, ''],
  ])('of "%s", at most %i, are "%s"', (text, maxBytes, end) => {
    expect(lastBytes(text, maxBytes)).toBe(end);
  });
});

describe('the output in a tool call', () => {
  const terminal = (text: string, isTruncated = false) => ({ output: () => ({ text, isTruncated }) });

  it('begins at a line start when it is cut', () => {
    const text = 'first line\nsecond line\nthird line\n';
    expect(terminalText(terminal(text), 25)).toEqual({
      text: 'second line\nthird line\n',
      isTruncated: true,
    });
    expect(terminalText(terminal('31mcut off\nx\nyyyyyyyyyyy\n', true), 100)).toEqual({
      text: 'x\nyyyyyyyyyyy\n',
      isTruncated: true,
    });
  });

  it('is complete when it fits, and a long line is cut at the limit', () => {
    expect(terminalText(terminal('a\nb\n'), 100)).toEqual({ text: 'a\nb\n', isTruncated: false });
    expect(terminalText(terminal('x'.repeat(50)), 10)).toEqual({ text: 'x'.repeat(10), isTruncated: true });
  });
});
