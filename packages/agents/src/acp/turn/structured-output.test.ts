import type { ToolResultContent } from '@agenthost/protocol';
import { describe, expect, it } from 'vitest';
import { structuredOutput } from './structured-output.ts';

const long = 'line of output\n'.repeat(100);
const text = (value: string): ToolResultContent => ({ type: 'text', text: value });

describe('raw output of an agent', () => {
  it('is unchanged when the content shows something else', () => {
    const raw = { output: long, exit: 0 };
    expect(structuredOutput(raw, [text('done')])).toStrictEqual(raw);
    expect(structuredOutput({}, [])).toStrictEqual({});
  });

  it('omits a long text that the content shows, at any depth', () => {
    const raw = {
      output: long,
      exit: 0,
      metadata: { output: long, cwd: '/w' },
      parts: [{ type: 'text', text: long }],
    };
    expect(structuredOutput(raw, [text(long.trim())])).toStrictEqual({
      exit: 0,
      metadata: { cwd: '/w' },
      parts: [{ type: 'text' }],
    });
  });

  it('omits text that the output of a terminal shows', () => {
    const content: ToolResultContent[] = [
      { type: 'terminal', resource: 'r', title: 'x', result: { preview: long, exitCode: 0 } },
    ];
    expect(structuredOutput({ stdout: long, exit_code: 0 }, content)).toStrictEqual({ exit_code: 0 });
  });

  it('keeps a short text, which may be a value', () => {
    expect(structuredOutput({ status: 'ok' }, [text('ok')])).toStrictEqual({ status: 'ok' });
  });

  it('is absent when nothing is left of it, or when the content is its JSON', () => {
    expect(structuredOutput({ output: long }, [text(long)])).toBeUndefined();
    expect(structuredOutput({ rows: [1, 2] }, [text('{"rows":[1,2]}')])).toBeUndefined();
    expect(structuredOutput(long, [])).toBeUndefined();
  });
});
