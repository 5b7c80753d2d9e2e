import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { JsonReader, NotJson } from './json-reader.ts';

async function* pieces(text: string, size: number): AsyncGenerator<string> {
  for (let start = 0; start < text.length; start += size) yield text.slice(start, start + size);
}

const readWhole = async (text: string, size: number): Promise<unknown> => {
  const reader = new JsonReader(pieces(text, size));
  const value = await reader.value();
  await reader.end();
  return value;
};

describe('a JSON reader', () => {
  test('reads any value, wherever its text is cut', async () => {
    const run = fc.asyncProperty(
      fc.json({ maxDepth: 4 }),
      fc.integer({ min: 1, max: 7 }),
      async (text, size) => {
        expect(await readWhole(` ${text}\n`, size)).toEqual(JSON.parse(text));
      },
    );
    await fc.assert(run, { numRuns: 300 });
  });

  test('enters objects and arrays, and skips unwanted values', async () => {
    const text = JSON.stringify(
      { a: { x: ['"]}', 1] }, list: [{ n: 1 }, {}, { n: '\\"' }], end: -1.5e3 },
      null,
      1,
    );
    for (const size of [1, 3, 1_000]) {
      const reader = new JsonReader(pieces(text, size));
      const found: unknown[] = [];
      for await (const name of reader.fields()) {
        if (name === 'a') await reader.skip();
        else if (name === 'end') found.push(await reader.value());
        else for await (const _ of reader.items()) found.push(await reader.value());
      }
      await reader.end();
      expect(found).toEqual([{ n: 1 }, {}, { n: '\\"' }, -1500]);
    }
  });

  test.each(['', '{', '{"a"', '{"a":', '[1,', '[1 2]', '{"a" 1}', '{"a":1,}', '[1,]', '{1:2}', 'nope'])(
    'refuses %j',
    async (text) => {
      const read = async (): Promise<void> => {
        const reader = new JsonReader(pieces(text, 2));
        if (text.startsWith('[')) for await (const _ of reader.items()) await reader.value();
        else if (text.startsWith('{')) for await (const __ of reader.fields()) await reader.value();
        else await reader.value();
        await reader.end();
      };
      await expect(read()).rejects.toThrow(NotJson);
    },
  );
});
