import { describe, expect, test } from 'vitest';
import { KeyReader } from './keys.ts';

const esc = '\u001b';

function reader(prefix = '\u001d'): {
  read(text: string | Buffer): void;
  pause(): void;
  readonly log: string[];
} {
  const log: string[] = [];
  let waiting: (() => void) | undefined;
  const keys = new KeyReader(prefix, {
    type: (text) => log.push(text),
    command: (key) => log.push(`<${key}>`),
    later: (callback) => {
      waiting = callback;
      return () => {
        waiting = undefined;
      };
    },
  });
  return {
    read: (text) => keys.read(Buffer.from(text)),
    pause: () => waiting?.(),
    log,
  };
}

describe('keys', () => {
  test.each([
    'ls -la\r',
    '\u0003',
    esc,
    `${esc}x`,
    `${esc}[A`,
    `${esc}OR`,
    `${esc}[1;2R`,
    `${esc}[1;16R`,
    `${esc}[15;5~`,
    `${esc}[<0;3;4M`,
    `${esc}[I`,
    `${esc}[200~a\u001dd\u001b[201~`,
    `${esc}[97;3u`,
    '😀é',
  ])('are passed on: %j', (text) => {
    const it = reader();
    it.read(text);
    it.pause();
    expect(it.log.join('')).toBe(text);
  });

  test('a lone Escape is sent at once, the beginning of a sequence a moment later', () => {
    const it = reader();
    it.read(esc);
    expect(it.log).toEqual([esc]);
    it.read(`${esc}[`);
    expect(it.log).toEqual([esc]);
    it.pause();
    expect(it.log).toEqual([esc, `${esc}[`]);
    it.read(`${esc}]`);
    it.pause();
    expect(it.log[2]).toBe(`${esc}]`);
  });

  test('a character split between two reads is one', () => {
    const it = reader();
    const bytes = Buffer.from('😀');
    it.read(bytes.subarray(0, 2));
    it.read(bytes.subarray(2));
    expect(it.log).toEqual(['😀']);
  });
});

describe('[TERM-3] answers of the emulator', () => {
  test.each([
    `${esc}[12;40R`,
    `${esc}[1;1R`,
    `${esc}[1;17R`,
    `${esc}[?12;40R`,
    `${esc}[?62;22c`,
    `${esc}[>41;354;0c`,
    `${esc}[?2026;2$y`,
    `${esc}[0n`,
    `${esc}[?997;1n`,
    `${esc}[8;24;80t`,
    `${esc}[?1u`,
    `${esc}]11;rgb:0000/0000/0000\u0007`,
    `${esc}]10;rgb:ffff/ffff/ffff${esc}\\`,
    `${esc}P1$r0m${esc}\\`,
    `${esc}P>|XTerm(370)${esc}\\`,
  ])('are removed, whole or in pieces: %j', (text) => {
    const whole = reader();
    whole.read(`a${text}b`);
    whole.pause();
    expect(whole.log.join('')).toBe('ab');
    for (let cut = 2; cut < text.length; cut += 1) {
      const it = reader();
      it.read(`a${text.slice(0, cut)}`);
      it.read(`${text.slice(cut)}b`);
      it.pause();
      expect(it.log.join('')).toBe('ab');
    }
  });

  test('one that never ends is dropped', () => {
    const it = reader();
    it.read(`a${esc}]11;rgb:00`);
    it.pause();
    it.read('b');
    expect(it.log).toEqual(['a', 'b']);
  });
});

describe('the prefix key', () => {
  test('starts a command with the next key, and is typed when it is pressed twice', () => {
    const it = reader();
    it.read('a\u001dd');
    it.read('\u001d');
    it.read('c');
    it.read('\u001d\u001db');
    expect(it.log).toEqual(['a', '<d>', '<c>', '\u001db']);
  });

  test.each([`${esc}[27;5;93~`, `${esc}[93;5u`])('is recognised in the form %j', (form) => {
    const it = reader();
    it.read(`${form}d${form}${esc}[99u`);
    expect(it.log).toEqual(['<d>', '<c>']);
  });

  test('may be another key', () => {
    const it = reader('\u0001');
    it.read(`\u001d\u0001d${esc}[97;5ud`);
    expect(it.log).toEqual(['\u001d', '<d>', '<d>']);
  });
});
