import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { OutputEvent } from './events.ts';
import { OutputParser } from './parser.ts';

const NONCE = 'c0ffee';

/** The rule without a parser: decodes everything at once, then removes the sequences. */
const REMOVED =
  /(?:\x1b\]|\x9d)(?:0*(?:7|133|633)(?:;[^\x07\x18\x1a\x1b\x80-\x9f]*)?|0*1337;(?:SetMark|CurrentDir=|RemoteHost=|ShellIntegrationVersion=)[^\x07\x18\x1a\x1b\x80-\x9f]*)(?:\x07|\x1b\\|\x9c)/g;
const expectedText = (bytes: Uint8Array): string =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes).replace(REMOVED, '');

const textOf = (events: readonly OutputEvent[]): string =>
  events.map((event) => (event.type === 'text' ? event.text : '')).join('');

/** Events with neighbouring texts joined. They must not depend on how the bytes were cut. */
function joined(events: readonly OutputEvent[]): OutputEvent[] {
  const result: OutputEvent[] = [];
  for (const event of events) {
    const last = result.at(-1);
    if (event.type === 'text' && last?.type === 'text') {
      result.splice(-1, 1, { type: 'text', text: last.text + event.text });
    } else result.push(event);
  }
  return result;
}

const ascii = (text: string): Uint8Array => Buffer.from(text, 'utf8');

/** Pieces that occur in every order, so that one ends, interrupts or completes another. */
const fragment = fc.oneof(
  fc.constantFrom(
    ...[
      '\x1b',
      '\x1b]',
      '\x9d',
      '\x1b[',
      '\x9b',
      '\x1bP',
      '\x90',
      '\x07',
      '\x1b\\',
      '\x9c',
      '\x18',
      '\x1a',
      '\\',
      ';',
      '133',
      '133;A',
      '133;C;cmdline=ls -l é',
      '633',
      `633;${NONCE};A`,
      `633;${NONCE};C;ls\\x3b \\xc3\\xa9`,
      '633;P;Cwd=/a\\x20b',
      '7;file:///tmp/x%20y',
      '0133;A',
      '1337;',
      'SetMark',
      'CurrentDir=/x',
      '1337;File=inline=1:AAAA',
      '0;title é',
      '2;',
      '11;?',
      '10;?;?',
      '52;c;Zm9v',
      '8;;http://x',
      '6n',
      '?6n',
      '?2026$p',
      '31m',
      'c',
      '+q544e',
      '$qm',
      'q"1;1;2;2#0~~',
      '7',
      '1',
      '3',
      '\n',
      'plain text',
      'é€😀',
      'x'.repeat(60),
      'longer '.repeat(60),
      'ü'.repeat(40),
      '漢'.repeat(120),
      '\u0085',
      '\ufeff',
    ].map(ascii),
  ),
  fc
    .constantFrom(
      [0xc2],
      [0x9d],
      [0x9c],
      [0xe2, 0x82],
      [0xac],
      [0xf0, 0x9f, 0x98],
      [0xed, 0xa0],
      [0xf4, 0x90],
      [0xe0, 0x80],
      [0xff],
      [0xc0],
      [0xc3],
    )
    .map((bytes) => Uint8Array.from(bytes)),
  fc.uint8Array({ maxLength: 4 }),
);
const whole = fc
  .tuple(
    fc.constantFrom('\x1b]', '\x9d'),
    fc.constantFrom(
      '133;D;0',
      `633;${NONCE};B`,
      '633;x',
      '7;file:///a',
      '1337;RemoteHost=a@b',
      '2;t',
      '11;?',
      '52;c;eA==',
    ),
    fc.constantFrom('\x07', '\x1b\\', '\x9c'),
  )
  .map((parts) => ascii(parts.join('')));
const stream = fc
  .array(fc.oneof(fragment, whole), { maxLength: 40 })
  .map((parts) => new Uint8Array(Buffer.concat(parts)));
const cuts = fc.array(fc.oneof(fc.nat({ max: 12 }), fc.nat({ max: 400 })), { maxLength: 60 });

function chunks(bytes: Uint8Array, sizes: readonly number[]): Uint8Array[] {
  const result: Uint8Array[] = [];
  let at = 0;
  for (const size of sizes) {
    result.push(bytes.slice(at, at + size));
    at += size;
  }
  result.push(bytes.slice(at));
  return result;
}

describe('the output of a pty', () => {
  test('[TERM-3] becomes the decoded text without shell integration, wherever it is cut', () => {
    fc.assert(
      fc.property(stream, cuts, (bytes, sizes) => {
        const parser = new OutputParser({ nonce: NONCE });
        const events = chunks(bytes, sizes).flatMap((chunk) => parser.push(chunk));
        events.push(...parser.end());
        expect(textOf(events)).toBe(expectedText(bytes));
        expect(parser.pendingBytes).toBe(0);
      }),
      { numRuns: 5_000 },
    );
  });

  test('[TERM-3] gives the same events in the same order, wherever it is cut', () => {
    fc.assert(
      fc.property(stream, cuts, (bytes, sizes) => {
        const atOnce = new OutputParser({ nonce: NONCE });
        const inPieces = new OutputParser({ nonce: NONCE });
        const events = chunks(bytes, sizes).flatMap((chunk) => {
          const shared = Uint8Array.from(chunk);
          const read = inPieces.push(shared);
          shared.fill(0x21);
          return read;
        });
        expect(joined([...events, ...inPieces.end()])).toEqual(
          joined([...atOnce.push(bytes), ...atOnce.end()]),
        );
      }),
      { numRuns: 5_000 },
    );
  });

  test('can be continued by a new parser from the first byte that is in no event', () => {
    fc.assert(
      fc.property(stream, cuts, fc.nat(), (bytes, sizes, where) => {
        const cut = bytes.length === 0 ? 0 : where % (bytes.length + 1);
        const uncut = new OutputParser({ nonce: NONCE });
        const before = new OutputParser({ nonce: NONCE });
        const after = new OutputParser({ nonce: NONCE });
        const events = chunks(bytes.slice(0, cut), sizes).flatMap((chunk) => before.push(chunk));
        events.push(...after.push(bytes.slice(cut - before.pendingBytes)), ...after.end());
        expect(joined(events)).toEqual(joined([...uncut.push(bytes), ...uncut.end()]));
      }),
      { numRuns: 5_000 },
    );
  });

  test('is not held after CAN has interrupted a sequence', () => {
    fc.assert(
      fc.property(stream, (noise) => {
        const parser = new OutputParser();
        parser.push(Buffer.concat([noise, Buffer.from('\x18')]));
        expect(parser.pendingBytes).toBe(0);
      }),
      { numRuns: 2_000 },
    );
  });
});
