import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { Compressor, decompress } from './compression.ts';
import { DamageError } from './errors.ts';

const log = JSON.stringify(
  Array.from({ length: 2_000 }, (_, index) => `12:00:${index} \u001b[32minfo\u001b[0m é🌍 compiled ${index}`),
);
const noise = (): string => randomBytes(30_000).toString('base64');

function compressed(text: string): Uint8Array {
  const stored = new Compressor().compress(text);
  if (typeof stored === 'string') throw new Error('stayed text');
  return stored;
}

test('large text becomes far fewer bytes and comes back whole; small text stays text', () => {
  const stored = compressed(log);
  expect(stored.length).toBeLessThan(log.length / 4);
  expect(decompress(stored, Buffer.byteLength(log))).toBe(log);
  expect(new Compressor().compress(log.slice(0, 4_000))).toBe(log.slice(0, 4_000));
  expect(decompress('plain', 0)).toBe('plain');
});

test('text that does not shrink stays text, and the next few texts are not tried', () => {
  const compressor = new Compressor();
  const text = noise();
  expect(compressor.compress(text)).toBe(text);
  const kinds = Array.from({ length: 20 }, () => typeof compressor.compress(log));
  expect(kinds.indexOf('object')).toBe(15);
  expect(kinds.lastIndexOf('string')).toBe(14);
});

describe('bytes that are no compressed text', () => {
  const flipped = (at: number): Uint8Array =>
    compressed(log).map((byte, index) => (index === at ? byte ^ 1 : byte));
  const { length } = compressed(log);
  test.each([
    ['are none', new Uint8Array()],
    ['are cut short', compressed(log).subarray(0, length - 20)],
    ['begin wrong', flipped(0)],
    ['are wrong in the middle', flipped(Math.floor(length / 2))],
    ['are wrong at the end', flipped(length - 1)],
  ])('are damage: they %s', (_case, stored) => {
    expect(() => decompress(stored, 1e9)).toThrow(DamageError);
  });

  test('are damage when they expand beyond the length in their row', () => {
    expect(() => decompress(compressed(log), Buffer.byteLength(log) - 1)).toThrow(DamageError);
  });
});
