import { createECDH } from 'node:crypto';
import { expect, test } from 'vitest';
import { isPoint, makeKeys } from './vapid-keys.ts';

test('a private key has 32 bytes, also when it begins with zeros', () => {
  // One of 256 keys begins with a zero.
  const lengths = Array.from({ length: 2_000 }, () => Buffer.from(makeKeys().privateKey, 'base64url').length);
  expect([...new Set(lengths)]).toEqual([32]);
});

test('a point is one of the curve, uncompressed', () => {
  const pair = createECDH('prime256v1');
  pair.generateKeys();
  expect(isPoint(pair.getPublicKey('base64url'))).toBe(true);
  expect(isPoint(pair.getPublicKey('base64url', 'compressed'))).toBe(false);
  expect(isPoint(Buffer.alloc(65, 4).toString('base64url'))).toBe(false);
  expect(isPoint(`${pair.getPublicKey('base64url')}!`)).toBe(false);
});
