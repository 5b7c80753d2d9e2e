import { describe, expect, test } from 'vitest';
import { FakeContext } from '../../test/fake-context.ts';
import { Screen } from '../render/screen.ts';
import { CommandOutput } from './command-output.ts';

function output({ isTerminal = false, isRaw = false } = {}): { context: FakeContext; output: CommandOutput } {
  const context = new FakeContext({ isTerminal });
  return { context, output: new CommandOutput(context, new Screen(context), isRaw) };
}

describe('what a command puts out', () => {
  test('a snapshot goes on behind what was written, once', () => {
    const { context, output: out } = output();
    out.continueIn('');
    out.write('one\r\ntwo\r\n');
    out.continueIn('one\r\ntwo\r\nthree\r\n');
    out.write('four');
    out.end();
    expect([context.out, context.err]).toEqual(['one\ntwo\nthree\nfour', '']);
  });

  test('where the end of it is not in the snapshot any more, that is said', () => {
    const { context, output: out } = output();
    out.write('one\r\n');
    out.continueIn('much later\r\n');
    expect(context.out).toBe('one\nmuch later\n');
    expect(context.err).toContain('some output was missed');
  });

  test('a window gets it as it is, and is put back as it was', () => {
    const { context, output: out } = output({ isTerminal: true });
    out.write('\u001b[?25l\u001b[1mbold\r\n\u001b[6n');
    expect(context.out).toBe('\u001b[?25l\u001b[1mbold\r\n');
    out.end();
    expect(context.out).toContain('\u001b[?25h');
  });
});
