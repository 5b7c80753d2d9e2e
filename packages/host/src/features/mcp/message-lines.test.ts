import { describe, expect, test } from 'vitest';
import { MessageLines } from './message-lines.ts';

const read = (lines: MessageLines, ...chunks: string[]) =>
  chunks.flatMap((chunk) => lines.read(Buffer.from(chunk)));

describe('lines of a server', () => {
  test('are complete however the bytes arrive', () => {
    const bytes = Buffer.from('{"a":"ä"}\r\n{"b":1}\n{"c"');
    const lines = new MessageLines(100);
    expect([...bytes].flatMap((byte) => lines.read(Buffer.from([byte])))).toEqual(['{"a":"ä"}', '{"b":1}']);
    expect(read(lines, ':2}\n')).toEqual(['{"c":2}']);
  });

  test.each([
    ['{"jsonrpc":"2.0","id":7,"result":{"x":"', '"}}', 7],
    ['{"id":"k","result":{"x":"', '"}}', 'k'],
    ['{"result":{"x":"', '"},"jsonrpc":"2.0","id":8}', 8],
    ['{"result":{"x":"', '"}}', undefined],
  ])('above the limit are skipped, and %s…%s answers request %j', (head, tail, id) => {
    const line = `${head}${'x'.repeat(2_000)}${tail}`;
    const lines = new MessageLines(1_000);
    expect(read(lines, line.slice(0, 900), line.slice(900), '\n{"next":1}\n')).toEqual([
      { id, bytes: line.length },
      '{"next":1}',
    ]);
  });
});
