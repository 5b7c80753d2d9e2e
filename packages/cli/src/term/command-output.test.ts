import { describe, expect, test } from 'vitest';
import { FakeContext } from '../../test/fake-context.ts';
import { Screen } from '../render/screen.ts';
import { CommandOutput } from './command-output.ts';

function output({ isTerminal = false, isRaw = false } = {}): { context: FakeContext; output: CommandOutput } {
  const context = new FakeContext({ isTerminal });
  return { context, output: new CommandOutput(context, new Screen(context), isRaw) };
}

const whole = { start: 0, screenLength: 0 };

describe('the output of a command', () => {
  test('a snapshot continues after the written output, once', () => {
    const { context, output: out } = output();
    out.continueIn('', whole);
    out.write('one\r\ntwo\r\n');
    out.continueIn('one\r\ntwo\r\nthree\r\n', whole);
    out.write('four');
    out.end();
    expect([context.out, context.err]).toEqual(['one\ntwo\nthree\nfour', '']);
  });

  test('repetitive output continues at its position', () => {
    const { context, output: out } = output();
    out.continueIn('', whole);
    out.write('y\r\n'.repeat(10_000));
    out.continueIn('y\r\n'.repeat(12_000), whole);
    // The host has trimmed even written output: the screen that replaces it is not written again.
    out.continueIn(`screen${'y\r\n'.repeat(10_000)}`, { start: 9_000, screenLength: 6 });
    out.write('end');
    out.end();
    expect(context.out).toBe(`${'y\n'.repeat(13_000)}end`);
    expect(context.err).toBe('');
  });

  test('output that was trimmed before it arrived is reported as missed, and stays on the screen of a window', () => {
    for (const isTerminal of [false, true]) {
      const { context, output: out } = output({ isTerminal });
      out.write('one\r\n');
      out.continueIn('[screen]two\r\n', { start: 12_345, screenLength: 8 });
      out.continueIn('two\r\nthree\r\n', { start: 12_345, screenLength: 0 });
      expect(context.out).toBe(isTerminal ? 'one\r\n[screen]two\r\nthree\r\n' : 'one\ntwo\nthree\n');
      expect(context.err).toMatch(/^12,340 characters of output are missing after the first 5\n$/);
    }
    const { context, output: out } = output();
    out.continueIn('late\r\n', { start: 7, screenLength: 0 });
    expect([context.out, context.err]).toEqual(['late\n', 'the first 7 characters of output are missing\n']);
  });

  test('lines on both sides of missed output stay separate in a file', () => {
    const { context, output: out } = output();
    out.write('cut in its mid');
    out.continueIn('next\r', { start: 1_000, screenLength: 0 });
    out.continueIn('last\r\n', { start: 2_000, screenLength: 0 });
    expect(context.out).toBe('cut in its mid\nnext\nlast\n');
  });

  test('a snapshot without the written output never counts as its continuation', () => {
    const { context, output: out } = output();
    out.write('y\r\n'.repeat(100_000));
    out.continueIn('y\r\n'.repeat(40_000), whole);
    expect(context.err).toContain('some output is missing or shown twice');
  });

  test('if a snapshot has no position, the end of the written output is searched in it', () => {
    const { context, output: out } = output();
    const lines = Array.from({ length: 2_000 }, (_, index) => `${index}\r\n`).join('');
    out.write(lines);
    out.continueIn(`${lines.slice(3_000)}end\r\n`, whole);
    const written = `${lines.replaceAll('\r', '')}end\n`;
    expect([context.out, context.err]).toEqual([written, '']);
    out.continueIn('much later\r\n', whole);
    expect(context.out).toBe(`${written}much later\n`);
    expect(context.err).toContain('some output is missing');
  });

  test('a window gets the output unchanged, and is restored', () => {
    const { context, output: out } = output({ isTerminal: true });
    out.write('\u001b[?25l\u001b[1mbold\r\n\u001b[6n');
    expect(context.out).toBe('\u001b[?25l\u001b[1mbold\r\n');
    out.end();
    expect(context.out).toContain('\u001b[?25h');
  });
});
