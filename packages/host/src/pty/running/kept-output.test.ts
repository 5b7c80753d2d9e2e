import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KeptOutput } from './kept-output.ts';

/** All kept output, joined from its pieces. */
function all(kept: KeptOutput): Buffer {
  const pieces: Buffer[] = [];
  for (let at = kept.start; at < kept.end; at += pieces.at(-1)?.length ?? 0)
    pieces.push(Buffer.from(kept.at(at)));
  return Buffer.concat(pieces);
}

function keptOf(text: string): KeptOutput {
  const kept = new KeptOutput();
  kept.append(Buffer.from(text));
  return kept;
}

describe('kept output', () => {
  it('is the added and not dropped output, with its offsets, for any sizes', () => {
    const size = fc.integer({ min: 0, max: 150_000 });
    const step = fc.record({ add: size, forget: size });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        const kept = new KeptOutput();
        let model = Buffer.alloc(0);
        let start = 0;
        for (const { add, forget } of steps) {
          const bytes = Buffer.from(
            Array.from({ length: add }, (_, index) => (start + model.length + index) % 251),
          );
          kept.append(bytes);
          model = Buffer.concat([model, bytes]);
          kept.forget(start + forget);
          start += Math.min(forget, model.length);
          model = model.subarray(Math.min(forget, model.length));
          expect([kept.start, kept.end]).toEqual([start, start + model.length]);
          expect(all(kept).equals(model)).toBe(true);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('is a copy: the given buffer may change', () => {
    const kept = new KeptOutput();
    const bytes = Buffer.from('abc');
    kept.append(bytes);
    bytes.fill('x');
    expect(all(kept).toString()).toBe('abc');
  });

  it.each([
    ['one\ntwo\nthree', 7, 'three'],
    ['one\ntwo\nthree', 9, 'two\nthree'],
    ['one\ntwo\nthree', 8, 'three'],
    ['one\ntwo\nthree', 100, 'one\ntwo\nthree'],
    ['one long line', 4, 'line'],
    ['aäöü', 3, 'ü'],
    ['line\n', 2, 'e\n'],
  ])('%j trimmed to %i bytes begins at a line start, else at a character: %j', (text, limit, left) => {
    const kept = keptOf(text);
    kept.trim(limit);
    expect(all(kept).toString()).toBe(left);
    expect(kept.end).toBe(Buffer.byteLength(text));
  });

  it('finds a line start several blocks away', () => {
    const kept = keptOf(`${'x'.repeat(200_000)}\nlast`);
    kept.trim(190_000);
    expect(all(kept).toString()).toBe('last');
  });
});
