import { hostname } from 'node:os';
import { describe, expect, test } from 'vitest';
import { OWN_MARK_LIMIT_BYTES, SEQUENCE_LIMIT_BYTES, STRING_LIMIT_BYTES } from './control-strings.ts';
import type { OutputEvent, ShellMark } from './events.ts';
import { OutputParser } from './parser.ts';

const NONCE = '5f2c';

const bytes = (text: string): Buffer => Buffer.from(text, 'utf8');
const textOf = (events: readonly OutputEvent[]): string =>
  events.map((event) => (event.type === 'text' ? event.text : '')).join('');
const withoutText = (events: readonly OutputEvent[]): OutputEvent[] =>
  events.filter((event) => event.type !== 'text');

/** All events of these reads, the end included. */
function read(...chunks: readonly (string | Uint8Array)[]): OutputEvent[] {
  const parser = new OutputParser({ nonce: NONCE });
  const events = chunks.flatMap((chunk) => parser.push(typeof chunk === 'string' ? bytes(chunk) : chunk));
  return [...events, ...parser.end()];
}

const own = (said: string): string => `\x1b]633;${NONCE};${said}\x1b\\`;
const marks = (output: string): ShellMark[] =>
  read(output).flatMap((event) => (event.type === 'mark' ? [event.mark] : []));

const SHELL_INTEGRATION = [
  '\x1b]133;A\x07',
  '\x1b]133;A;k=i;aid=17\x1b\\',
  '\x1b]133;D;127\x1b\\',
  '\x1b]133\x07',
  '\x9d133;C\x9c',
  '\x1b]133;C;cmdline=äé\x9c',
  '\x1b]633;A\x07',
  '\x1b]633;E;ls -l;abc\x07',
  '\x1b]633;P;Task=x\x1b\\',
  '\x1b]7;file:///tmp\x07',
  '\x1b]7;\x1b\\',
  '\x1b]1337;SetMark\x07',
  '\x1b]1337;CurrentDir=/tmp\x07',
  '\x1b]1337;RemoteHost=me@here\x1b\\',
  '\x1b]1337;ShellIntegrationVersion=15;shell=zsh\x07',
  own('A'),
  own('C;echo \\x3b'),
];

describe('shell integration', () => {
  test.each(SHELL_INTEGRATION)('[TERM-3] %j is removed, split over reads at any byte', (sequence) => {
    const output = bytes(`bé${sequence}fter`);
    for (let at = 0; at <= output.length; at++) {
      expect(textOf(read(output.subarray(0, at), output.subarray(at)))).toBe('béfter');
    }
    expect(textOf(read(...[...output].map((byte) => Uint8Array.of(byte))))).toBe('béfter');
  });

  test.each([
    '\x1b[1;31mred\x1b[0m',
    '\x1b]0;title\x07',
    '\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\',
    '\x1b]52;c;Zm9v\x07',
    '\x1b]9;4;1;50\x07',
    '\x1b]1337;File=inline=1:aGk=\x07',
    '\x1b]1337;MultipartFile=inline=1\x07',
    '\x1b]1337;SetUserVar=a=Yg==\x07',
    '\x1b]1330;A\x07',
    '\x1b]13;A\x07',
    '\x1b]70;x\x07',
    '\x1b]133A\x07',
    '\x1b]133;A\x18',
    '\x1b]133;A\x1b[31m',
    '\x1b]11;?\x07',
    '\x1bPq"1;1;2;2#0~~\x1b\\',
    '\x1bP+q544e\x1b\\',
    '\x1b_Ga=T;AAAA\x1b\\',
    '\x1b(B\x1b)0\x1b7\x1b8\x1bc\x1b#8',
    '\x9b31m\x90q\x9c',
    '\x1b\x1b\x1b[A',
    '\0\x01\x7f\u0085\u00a0\ufeff',
  ])('[TERM-3] %j is left unchanged, split over reads at any byte', (sequence) => {
    const output = bytes(`before${sequence}after`);
    for (let at = 0; at <= output.length; at++) {
      expect(textOf(read(output.subarray(0, at), output.subarray(at)))).toBe(`before${sequence}after`);
    }
  });

  test('[TERM-3] control and escape sequences, and titles, are not cut between text events', () => {
    const output = bytes('a\x1b[38;5;208mb\x1b(Bc\x1b]2;title\x1b\\d€e');
    for (let at = 0; at <= output.length; at++) {
      const parser = new OutputParser();
      const first = textOf(parser.push(output.subarray(0, at)));
      expect(['a', 'ab', 'abc', 'abcd', 'abcde', '']).toContain(
        first.replace(/\x1b\[38;5;208m|\x1b\(B|\x1b\]2;title\x1b\\|€/g, ''),
      );
      expect(bytes(first).length + parser.pendingBytes).toBe(at);
    }
  });

  test('[TERM-3] marks without the nonce are removed and mean nothing', () => {
    const fakes = [
      '\x1b]633;A\x07',
      '\x1b]633;C;rm -rf ~\x07',
      '\x1b]633;0000;C;ls\x07',
      `\x1b]633;${NONCE}\x07`,
      `\x1b]633;${NONCE}x;C;ls\x07`,
      `\x1b]633;${NONCE}xA\x07`,
      `\x1b]633;${NONCE.toUpperCase()};C;ls\x07`,
      `\x1b]633;;${NONCE};A\x07`,
      `\x1b]133;${NONCE};A\x07`,
      '\x1b]133;D;0\x07',
    ];
    expect(read(fakes.join(''))).toEqual([]);
    const parsers = [new OutputParser(), new OutputParser({ nonce: '' })];
    for (const parser of parsers) expect(parser.push(bytes(`\x1b]633;;A\x07${own('A')}`))).toEqual([]);
  });

  test('marks with the nonce are reported at their position', () => {
    expect(read(`${own('A')}$ ${own('B')}ls\r\n${own('C;ls')}out\r\n${own('D;0')}`)).toEqual([
      { type: 'mark', mark: { kind: 'prompt' } },
      { type: 'text', text: '$ ' },
      { type: 'mark', mark: { kind: 'input' } },
      { type: 'text', text: 'ls\r\n' },
      { type: 'mark', mark: { kind: 'executed', commandLine: 'ls' } },
      { type: 'text', text: 'out\r\n' },
      { type: 'mark', mark: { kind: 'finished', exitCode: 0 } },
    ]);
    expect(marks(own('R') + own('D') + own('D;130') + own('D;x') + own('P;/a\\x20b'))).toEqual([
      { kind: 'ready' },
      { kind: 'finished', exitCode: undefined },
      { kind: 'finished', exitCode: 130 },
      { kind: 'finished', exitCode: undefined },
      { kind: 'cwd', path: '/a b' },
    ]);
    expect(marks(own('') + own('X') + own('AB') + own('Cls') + own('P;relative'))).toEqual([]);
  });

  test('a command line arrives exactly as typed', () => {
    const line = 'for i in 1 2; do\n\techo "é€😀 \\x41 \\\\;$i" # \x1b\x07\r\ndone <<EOF\n;\\\nEOF';
    const escaped = [...bytes(line)]
      .map((byte) => {
        const letter = String.fromCharCode(byte);
        return /[ -:<-[\]-~]/.test(letter) ? letter : `\\x${byte.toString(16).padStart(2, '0')}`;
      })
      .join('');
    expect(marks(own(`C;${escaped}`))).toEqual([{ kind: 'executed', commandLine: line }]);
    expect(marks(own('C'))).toEqual([{ kind: 'executed', commandLine: '' }]);
  });
});

describe('characters', () => {
  test('[TERM-3] no character is cut, wherever a read ends', () => {
    const output = bytes('aé€😀\u{10ffff}');
    for (let at = 0; at <= output.length; at++) {
      const parser = new OutputParser();
      const texts = [output.subarray(0, at), output.subarray(at)].map((chunk) => textOf(parser.push(chunk)));
      expect(texts.join('')).toBe('aé€😀\u{10ffff}');
      expect(texts.join('|')).not.toContain('\ufffd');
    }
  });

  test('bytes that can no longer become a character are not held', () => {
    for (const beginning of [[0xe0, 0x80], [0xed, 0xa0], [0xf4, 0x90], [0xc0], [0xff], [0x80]]) {
      const parser = new OutputParser();
      expect(textOf(parser.push(Uint8Array.from(beginning)))).toBe('\ufffd'.repeat(beginning.length));
      expect(parser.pendingBytes).toBe(0);
    }
  });

  test('half a character at the end is shown as a replacement', () => {
    expect(read(Uint8Array.of(0x61, 0xe2, 0x82))).toEqual([
      { type: 'text', text: 'a' },
      { type: 'text', text: '\ufffd' },
    ]);
  });

  test('halves on both sides of a removed sequence do not join', () => {
    const output = Buffer.concat([Buffer.of(0xe2, 0x82), bytes('\x1b]133;A\x07'), Buffer.of(0xac)]);
    expect(textOf(read(output))).toBe('\ufffd\ufffd');
  });
});

describe('titles and folders', () => {
  test('a title is reported after its sequence', () => {
    expect(read('a\x1b]0;vim – é\x07b\x1b]2;\x1b\\')).toEqual([
      { type: 'text', text: 'a\x1b]0;vim – é\x07' },
      { type: 'title', title: 'vim – é' },
      { type: 'text', text: 'b\x1b]2;\x1b\\' },
      { type: 'title', title: '' },
    ]);
  });

  test('a title has no control characters and at most 512 code units', () => {
    expect(withoutText(read('\x1b]0;a\tb\r\n\0c\x7f\x07'))).toEqual([{ type: 'title', title: 'abc' }]);
    expect(withoutText(read(`\x1b]2;${'x'.repeat(511)}😀\x07`))).toEqual([
      { type: 'title', title: 'x'.repeat(511) },
    ]);
  });

  test.each([
    ['\x1b]7;file:///tmp/a%20b%C3%A9\x07', '/tmp/a bé'],
    ['\x1b]7;file://localhost/tmp?#;x\x1b\\', '/tmp?#;x'],
    [`\x1b]7;file://${hostname()}/\x07`, '/'],
    [`\x1b]7;FILE://${hostname().toUpperCase()}/é\x07`, '/é'],
    ['\x1b]633;P;Cwd=/a\\x3bb\\\\c\x07', '/a;b\\c'],
    ['\x1b]1337;CurrentDir=/tmp/é;x\x07', '/tmp/é;x'],
  ])('[TERM-3] %j reports the folder of the program', (sequence, path) => {
    expect(read(sequence)).toEqual([{ type: 'cwd', path }]);
  });

  test.each([
    '\x1b]7;file://elsewhere.invalid/tmp\x07',
    '\x1b]7;http://localhost/tmp\x07',
    '\x1b]7;/tmp\x07',
    '\x1b]7;file:///%ff\x07',
    '\x1b]7;file:///a%00b\x07',
    '\x1b]7;file://\x07',
    '\x1b]633;P;Cwd=relative\x07',
    '\x1b]1337;CurrentDir=\x07',
  ])('%j reports no folder, and is removed', (sequence) => {
    expect(read(sequence)).toEqual([]);
  });
});

describe('queries', () => {
  test('[TERM-3] a query is reported right after its sequence, split over reads at any byte', () => {
    const output = bytes('ab\x1b[6ncd');
    for (let at = 0; at <= output.length; at++) {
      const events = read(output.subarray(0, at), output.subarray(at));
      const position = events.findIndex((event) => event.type === 'query');
      expect(events[position]).toEqual({
        type: 'query',
        query: { kind: 'cursorPosition', isPrivate: false },
      });
      expect(textOf(events.slice(0, position))).toBe('ab\x1b[6n');
      expect(textOf(events)).toBe('ab\x1b[6ncd');
    }
  });
});

describe('held bytes', () => {
  const FLOOD = 'x'.repeat(1000);

  /** The most bytes held during reads of 1,000 bytes, and the text at the end. */
  function flood(beginning: string, reads: number): { most: number; text: string } {
    const parser = new OutputParser({ nonce: NONCE });
    let text = textOf(parser.push(bytes(beginning)));
    let most = parser.pendingBytes;
    for (let count = 0; count < reads; count++) {
      text += textOf(parser.push(bytes(FLOOD)));
      most = Math.max(most, parser.pendingBytes);
    }
    return { most, text: text + textOf(parser.end()) };
  }

  test.each([
    ['\x1b]133;C;', STRING_LIMIT_BYTES],
    ['\x1b]633;E;', STRING_LIMIT_BYTES],
    ['\x1b]0;', STRING_LIMIT_BYTES],
    [`\x1b]633;${NONCE};C;`, OWN_MARK_LIMIT_BYTES],
    ['\x1b]11;', SEQUENCE_LIMIT_BYTES],
    ['\x1bP+q', SEQUENCE_LIMIT_BYTES],
    ['\x1b]52;c;', 0],
    ['\x1b]8;;', 0],
    ['\x1b]1337;File=', 0],
    ['\x1bPq', 0],
    ['\x1b_G', 0],
  ])('an unended %j is held up to its limit, then is text', (beginning, limit) => {
    const { most, text } = flood(beginning, 400);
    expect(most).toBeLessThan(limit === 0 ? 4 : limit);
    expect(most).toBeGreaterThanOrEqual(limit === 0 ? 0 : limit - 1000);
    expect(text).toBe(beginning + FLOOD.repeat(400));
  });

  test('an unended control sequence is held for a bounded length', () => {
    const parser = new OutputParser();
    parser.push(bytes('\x1b['));
    for (let count = 0; count < 10; count++) parser.push(bytes('1;'.repeat(500)));
    expect(parser.pendingBytes).toBe(0);
  });

  test('a number that is too long is held for a bounded length', () => {
    const parser = new OutputParser();
    parser.push(bytes('\x1b]000000'));
    expect(parser.pendingBytes).toBe(8);
    parser.push(bytes('0'.repeat(100)));
    expect(parser.pendingBytes).toBe(0);
  });

  test('nothing is held when a limit is reached', () => {
    const parser = new OutputParser();
    parser.push(bytes(`\x1b]133;${'x'.repeat(STRING_LIMIT_BYTES - 7)}`));
    expect(parser.pendingBytes).toBe(STRING_LIMIT_BYTES - 1);
    parser.push(bytes('x'));
    expect(parser.pendingBytes).toBe(0);
  });

  test.each([
    ['\x1b]133;', '\x07', STRING_LIMIT_BYTES],
    ['\x1b]133;', '\x1b\\', STRING_LIMIT_BYTES],
    [`\x1b]633;${NONCE};C;`, '\x1b\\', OWN_MARK_LIMIT_BYTES],
  ])('%j ended by %j is removed up to its limit and no further, for every cut', (start, end, limit) => {
    const longest = `${start}${'x'.repeat(limit - start.length - end.length)}${end}`;
    const tooLong = `${start}x${longest.slice(start.length)}`;
    for (const cut of [limit - 2, limit - 1, limit, limit + 1, 100]) {
      expect(textOf(read(longest.slice(0, cut), `${longest.slice(cut)}after`))).toBe('after');
      expect(textOf(read(tooLong.slice(0, cut), `${tooLong.slice(cut)}after`))).toBe(`${tooLong}after`);
    }
  });

  test('a long mark in single bytes takes time in proportion to its length', () => {
    const parser = new OutputParser({ nonce: NONCE });
    const line = 'y'.repeat(200_000);
    const events = [...bytes(own(`C;${line}`))].flatMap((byte) => parser.push(Uint8Array.of(byte)));
    expect(events).toEqual([{ type: 'mark', mark: { kind: 'executed', commandLine: line } }]);
  }, 10_000);

  test('a mark within an open image is removed, as it would have ended the image', () => {
    expect(read(`\x1bPq#0~~${own('A')}~\x1b\\`)).toEqual([
      { type: 'text', text: '\x1bPq#0~~' },
      { type: 'mark', mark: { kind: 'prompt' } },
      { type: 'text', text: '~\x1b\\' },
    ]);
  });

  test('the buffer of a read may be reused', () => {
    const parser = new OutputParser({ nonce: NONCE });
    const shared = bytes('\x1b]2;ti');
    parser.push(shared);
    shared.fill(0x21);
    expect(withoutText(parser.push(bytes('tle\x07')))).toEqual([{ type: 'title', title: 'title' }]);
  });
});
