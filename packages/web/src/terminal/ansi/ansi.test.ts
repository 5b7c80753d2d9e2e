import { describe, expect, it } from 'vitest';
import { type FoldOptions, foldAnsi } from './ansi.ts';
import { outputTail } from './output-tail.ts';
import { plainOutput } from './plain-output.ts';

const linesOf = (text: string, options?: FoldOptions): string[] =>
  foldAnsi(text, options).lines.map((line) => line.map((span) => span.text).join(''));

describe('foldAnsi', () => {
  it('gives each piece of text its colours', () => {
    expect(foldAnsi('a\u001b[1;31mb\u001b[0mc').lines).toEqual([
      [
        { text: 'a', style: {} },
        { text: 'b', style: { isBold: true, foreground: 1 } },
        { text: 'c', style: {} },
      ],
    ]);
  });

  it('knows bright colours, 256 colours and true colours in both forms', () => {
    const text =
      '\u001b[92ma\u001b[38;5;196mb\u001b[48;5;244mc\u001b[0;38;2;1;2;3md\u001b[38:2::4:5:6me\u001b[38:5:4mf';
    expect(foldAnsi(text).lines[0]?.map(({ style }) => style.foreground)).toEqual([
      10,
      'rgb(255 0 0)',
      'rgb(255 0 0)',
      'rgb(1 2 3)',
      'rgb(4 5 6)',
      4,
    ]);
    expect(foldAnsi(text).lines[0]?.[2]?.style.background).toBe('rgb(128 128 128)');
  });

  it('ignores colours out of range', () => {
    expect(foldAnsi('\u001b[38;5;999ma\u001b[38;2;999;0;0mb\u001b[38;5mc').lines).toEqual([
      [{ text: 'abc', style: {} }],
    ]);
  });

  it('shows the last state of a progress bar', () => {
    expect(linesOf('10 %\r 50 %\r100 %\r\ndone')).toEqual(['100 %', 'done']);
    expect(linesOf('loading…\r\u001b[Kready')).toEqual(['ready']);
    expect(linesOf('a 1\r\nb 1\r\n\u001b[2A\u001b[2Ka 9\r\n\u001b[2Kb 9\r\n')).toEqual(['a 9', 'b 9']);
  });

  it('applies backspaces, tabs and columns', () => {
    expect(linesOf('abX\bc\tz')).toEqual(['abc     z']);
    expect(linesOf('\u001b[5Gx\u001b[1Gy')).toEqual(['y   x']);
  });

  it('clears the screen of a program that draws it again', () => {
    expect(linesOf('one\ntwo\n\u001b[H\u001b[2Jthree')).toEqual(['three']);
    expect(linesOf('old\nframe 1\n\u001b[1;1H\u001b[Jframe 2', { rows: 2 })).toEqual(['old', 'frame 2']);
  });

  it('drops titles, links, clipboards and queries', () => {
    const text =
      'a\u001b]0;title\u0007b\u001b]8;;http://x.example\u001b\\c\u001b]8;;\u001b\\d\u001b]52;c;aGk=\u0007\u001b[6n\u001bP$qm\u001b\\e';
    expect(linesOf(text)).toEqual(['abcde']);
  });

  it('ends a string without its end at the next sequence', () => {
    expect(linesOf('a\u001b]0;never ended \u001b[31mb')).toEqual(['ab']);
  });

  it('drops a sequence whose end has not come', () => {
    for (const part of ['\u001b', '\u001b[', '\u001b[31', '\u001b]0;ti', '\u001b(']) {
      expect(linesOf(`a${part}`)).toEqual(['a']);
    }
  });

  it('shows control characters and an invalid sequence as symbols', () => {
    expect(linesOf('a\u0000b\u007fc\u009bd')).toEqual(['a␀b␡c⟨U+009B⟩d']);
    expect(linesOf('\u001b[3\u00001m')).toEqual(['␛[3␀1m']);
  });

  it('shows direction characters as symbols', () => {
    expect(linesOf('rm \u202egpj.exe\u2066')).toEqual(['rm ⟨U+202E⟩gpj.exe⟨U+2066⟩']);
  });

  it('lets a wide character take two columns', () => {
    expect(linesOf('日本\u001b[3Gx')).toEqual(['日x']);
    expect(linesOf('日本\u001b[2Gx')).toEqual([' x本']);
  });

  it('joins combining marks, and bounds their number', () => {
    expect(linesOf('e\u0301x')).toEqual(['e\u0301x']);
    expect(linesOf(`e${'\u0301'.repeat(1_000)}`)[0]?.length).toBeLessThan(30);
  });

  it('draws boxes of the DEC character set', () => {
    expect(linesOf('\u001b(0lqk\u001b(Blqk')).toEqual(['┌─┐lqk']);
  });

  it('keeps the lines before a full-screen program and reports that it runs', () => {
    expect(foldAnsi('a\u001b[?1049hscreen').isFullScreen).toBe(true);
    expect(linesOf('a\u001b[?1049hscreen\u001b[?1049lb')).toEqual(['ab']);
  });

  it('keeps the last lines only, and bounds columns', () => {
    expect(linesOf('1\n2\n3\n4', { maxLines: 2 })).toEqual(['3', '4']);
    expect(linesOf('\u001b[99999999Cx\u001b[99999999Ax')).toEqual([]);
  });

  it('takes linear time for many strings without an end', () => {
    // Quadratic time would end at the limit of the runner.
    for (const text of ['\u001b]'.repeat(500_000), '\u001b[1;2'.repeat(200_000)])
      expect(foldAnsi(text).isFullScreen).toBe(false);
  });
});

describe('outputTail', () => {
  it('returns everything that fits', () => {
    expect(outputTail(['a\n', 'b'], 10)).toBe('a\nb');
  });

  it('cuts at the start of a line where there is one', () => {
    expect(outputTail(['first\nsecond\n', 'third'], 9)).toBe('third');
    expect(outputTail(['abcdef'], 3)).toBe('def');
  });
});

describe('plainOutput', () => {
  it('removes sequences, and keeps the last text of a repeated line', () => {
    expect(plainOutput('\u001b[32mok\u001b[0m\r\n10 %\r99 %\r\nab\bc\u0007\r\n\r\n')).toBe('ok\n99 %\nac');
  });
});
