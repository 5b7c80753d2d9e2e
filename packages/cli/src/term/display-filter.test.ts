import { describe, expect, test } from 'vitest';
import { DisplayFilter, FileFilter } from './display-filter.ts';

const esc = '\u001b';

/** Distinct outputs of a filter for a text in pieces of every length. */
function everyWay(text: string, make: () => (piece: string) => string): Set<string> {
  const shown = new Set<string>();
  for (let length = 1; length <= text.length; length += 1) {
    const next = make();
    let result = '';
    for (let start = 0; start < text.length; start += length)
      result += next(text.slice(start, start + length));
    shown.add(result);
  }
  return shown;
}

const display = () => {
  const filter = new DisplayFilter();
  return (piece: string): string => filter.next(piece);
};

describe('[TERM-3] output to the emulator that shows a terminal', () => {
  test.each([
    ['cursor position', '[6n'],
    ['its private form', '[?6n'],
    ['status', '[5n'],
    ['device attributes', '[c'],
    ['secondary ones', '[>0c'],
    ['a mode', '[?2026$p'],
    ['version', '[>0q'],
    ['keyboard flags', '[?u'],
    ['window size', '[18t'],
    ['window size in pixels', '[14;2t'],
    ['background colour', ']11;?\u0007'],
    ['a palette colour', `]4;12;?${esc}\\`],
    ['the clipboard', ']52;c;?\u0007'],
    ['a setting', `P$qm${esc}\\`],
    ['a capability', `P+q544e${esc}\\`],
    ['identity', 'Z'],
  ])('queries are removed: %s', (_what, body) => {
    expect(everyWay(`a${esc}${body}b`, display)).toEqual(new Set(['ab']));
  });

  test.each([
    ['colours', '[1;31m'],
    ['cursor movement', '[6;1H'],
    ['a title that ends in a question mark', ']0;what?\u0007'],
    ['setting a colour', ']11;#123456\u0007'],
    ['setting the clipboard', ']52;c;aGk=\u0007'],
    ['the cursor of the Linux console', '[?6c'],
    ['setting modified keys', '[>4;2m'],
    ['resizing', '[8;24;80t'],
    ['an image', `Pq#0;2;0;0;0~~${esc}\\`],
    ['a character set', '(0'],
    ['saving the cursor', '7'],
  ])('everything else stays: %s', (_what, body) => {
    expect(everyWay(`a${esc}${body}b`, display)).toEqual(new Set([`a${esc}${body}b`]));
  });

  test('text around is unchanged, wide characters too', () => {
    expect(everyWay(`日本${esc}[6n😀\r\n`, display)).toEqual(new Set(['日本😀\r\n']));
  });

  test('an unended sequence passes when it is long', () => {
    const filter = new DisplayFilter();
    expect(filter.next(`${esc}]0;abc`)).toBe('');
    const image = filter.next('x'.repeat(70_000));
    expect(image.length).toBe(70_007);
    expect(filter.next('more')).toBe('more');
  });
});

describe('leaving a program', () => {
  const left = (text: string): string => {
    const filter = new DisplayFilter();
    filter.next(text);
    return filter.modes.restore();
  };
  const always = `${esc}[m${esc}(B\u000f`;

  test('nothing but colours and character sets when nothing was changed', () => {
    expect(left('plain\r\n')).toBe(always);
    expect(left(`${esc}[?1049h${esc}[?25l${esc}[?25h${esc}[?1049l`)).toBe(always);
    expect(left(`${esc}[?1049h${esc}[?1000;1006h${esc}c`)).toBe(always);
  });

  test('alternate screen last, cursor, mouse, paste, keys, margins', () => {
    const text = left(
      `${esc}[?1049h${esc}[?1h${esc}=${esc}[?25l${esc}[?1002;1006h${esc}[?2004h${esc}[?1004h${esc}[5;10r${esc}[>4;2m${esc}[>1u${esc}[4 q`,
    );
    for (const part of ['?1l', '?25h', '?1002l', '?1006l', '?2004l', '?1004l', '>4m', '<1u', '0 q'])
      expect(text).toContain(`${esc}[${part}`);
    expect(text).toContain(`${esc}7${esc}[r${esc}8`);
    expect(text).toContain(`${esc}>`);
    expect(text.endsWith(`${esc}[?1049l${always}`)).toBe(true);
  });

  test('once is enough', () => {
    const filter = new DisplayFilter();
    filter.next(`${esc}[?1049h`);
    filter.modes.restore();
    expect(filter.modes.restore()).toBe(always);
  });
});

describe('output to files and pipes', () => {
  const file = (isRaw: boolean) => () => {
    const filter = new FileFilter(isRaw);
    return (piece: string): string => filter.next(piece);
  };

  test('no sequences, and lines of files', () => {
    const text = `${esc}[1mbold${esc}[m\r\nnext\r\n${esc}]0;t\u0007end\r\n`;
    expect(everyWay(text, file(false))).toEqual(new Set(['bold\nnext\nend\n']));
    expect(everyWay(text, file(true))).toEqual(new Set([text.replaceAll('\r\n', '\n')]));
  });

  test('a carriage return that does not end a line stays', () => {
    const filter = new FileFilter(false);
    expect(filter.next('10%\r20%\r')).toBe('10%\r20%');
    expect(filter.rest()).toBe('\r');
    expect(filter.rest()).toBe('');
  });
});
