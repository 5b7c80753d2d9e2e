import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findOwnerToken } from './token-store.ts';

const long = 'a-token-that-is-long-enough';
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agenthost-token-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}

test('[AUTH-1] the option comes before the file', () => {
  const tokenFile = join(folder, 'token');
  writeFileSync(tokenFile, `${long}-file\n`, { mode: 0o600 });
  expect(findOwnerToken({ token: long, tokenFile })).toEqual({ token: long, warnings: [] });
  expect(findOwnerToken({ tokenFile, dataDir: folder })).toEqual({
    token: `${long}-file`,
    path: tokenFile,
    warnings: [],
  });
  expect(readdirSync(folder)).toEqual(['token']);
});

test('[AUTH-1] the first start makes 32 random bytes in a file for the owner alone, later ones find them', () => {
  const dataDir = join(folder, 'data');
  const first = findOwnerToken({ dataDir });
  expect(Buffer.from(first.token, 'base64url')).toHaveLength(32);
  expect(first.path).toBe(join(dataDir, 'owner-token'));
  expect([modeOf(dataDir), modeOf(join(dataDir, 'owner-token'))]).toEqual(['700', '600']);
  expect(readdirSync(dataDir)).toEqual(['owner-token']);
  expect(findOwnerToken({ dataDir })).toEqual(first);
  expect(findOwnerToken({ dataDir: join(folder, 'other') }).token).not.toBe(first.token);
});

test('without a place to keep it, each token is new', () => {
  const first = findOwnerToken({});
  expect(Buffer.from(first.token, 'base64url')).toHaveLength(32);
  expect(findOwnerToken({}).token).not.toBe(first.token);
  expect(first.path).toBeUndefined();
});

test('[AUTH-1] a file that others can read is taken from them, with a warning', () => {
  const tokenFile = join(folder, 'token');
  writeFileSync(tokenFile, long);
  chmodSync(tokenFile, 0o644);
  const found = findOwnerToken({ tokenFile });
  expect(found).toMatchObject({
    token: long,
    warnings: [expect.stringContaining('could be read by others')],
  });
  expect(modeOf(tokenFile)).toBe('600');
  expect(findOwnerToken({ tokenFile }).warnings).toEqual([]);
});

test.each([
  ['the option token', { token: '' }],
  ['the option token', { token: 'two words' }],
  ['the option token', { token: 'a;b' }],
  ['the option token', { token: 'tökén' }],
])('%s that no header could carry is refused by name: %j', (name, sources) => {
  expect(() => findOwnerToken(sources)).toThrow(name);
});

test('an empty token file is refused by name, and not taken for a token', () => {
  const tokenFile = join(folder, 'token');
  writeFileSync(tokenFile, '\n', { mode: 0o600 });
  expect(() => findOwnerToken({ tokenFile })).toThrow(
    `${tokenFile} is empty: remove it, and a new token is made`,
  );
  expect(readFileSync(tokenFile, 'utf8')).toBe('\n');
});

test('a short token is used with a warning', () => {
  expect(findOwnerToken({ token: 'short' })).toMatchObject({
    token: 'short',
    warnings: [expect.stringContaining('can be guessed')],
  });
});

test('a token file that is a folder, and a folder that is a file, are refused by name', () => {
  mkdirSync(join(folder, 'token'));
  writeFileSync(join(folder, 'file'), '');
  expect(() => findOwnerToken({ tokenFile: join(folder, 'token') })).toThrow(/cannot be read/);
  expect(() => findOwnerToken({ dataDir: join(folder, 'file') })).toThrow(/owner-token cannot be/);
});
