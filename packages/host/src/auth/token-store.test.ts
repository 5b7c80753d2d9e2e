import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
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
  expect(findOwnerToken({ token: long, tokenFile })).toEqual({ token: long, warnings: [], exposures: [] });
  expect(findOwnerToken({ tokenFile, dataDir: folder })).toEqual({
    token: `${long}-file`,
    path: tokenFile,
    warnings: [],
    exposures: [],
  });
  expect(readdirSync(folder)).toEqual(['token']);
});

test('[AUTH-1] the first start writes 32 random bytes to a file that only the owner can read; later starts read them', () => {
  const dataDir = join(folder, 'data');
  const first = findOwnerToken({ dataDir });
  expect(Buffer.from(first.token, 'base64url')).toHaveLength(32);
  expect(first.path).toBe(join(dataDir, 'owner-token'));
  expect([modeOf(dataDir), modeOf(join(dataDir, 'owner-token'))]).toEqual(['700', '600']);
  expect(readdirSync(dataDir)).toEqual(['owner-token']);
  expect(findOwnerToken({ dataDir })).toEqual(first);
  expect(findOwnerToken({ dataDir: join(folder, 'other') }).token).not.toBe(first.token);
});

test('without a file each start makes a new token', () => {
  const first = findOwnerToken({});
  expect(Buffer.from(first.token, 'base64url')).toHaveLength(32);
  expect(findOwnerToken({}).token).not.toBe(first.token);
  expect(first.path).toBeUndefined();
});

test('[AUTH-1] a file that others can read becomes private, with a warning', () => {
  const tokenFile = join(folder, 'token');
  writeFileSync(tokenFile, long);
  chmodSync(tokenFile, 0o644);
  const found = findOwnerToken({ tokenFile });
  expect(found).toMatchObject({
    token: long,
    exposures: [expect.stringContaining('could be read by others')],
  });
  expect(modeOf(tokenFile)).toBe('600');
  expect(findOwnerToken({ tokenFile }).exposures).toEqual([]);
});

test.each([
  ['the option token', { token: '' }],
  ['the option token', { token: 'two words' }],
  ['the option token', { token: 'a;b' }],
  ['the option token', { token: 'tökén' }],
])('%s with characters that no header can carry is refused by name: %j', (name, sources) => {
  expect(() => findOwnerToken(sources)).toThrow(name);
});

test('an empty token file is refused by name, and does not count as an empty token', () => {
  const tokenFile = join(folder, 'token');
  writeFileSync(tokenFile, '\n', { mode: 0o600 });
  expect(() => findOwnerToken({ tokenFile })).toThrow(
    `${tokenFile} is empty: remove it, and the host creates a new token`,
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
  expect(() => findOwnerToken({ tokenFile: join(folder, 'token') })).toThrow(/is a folder, not a token file/);
  expect(() => findOwnerToken({ dataDir: join(folder, 'file') })).toThrow(/owner-token cannot be/);
});

test('[AUTH-1] a token in the data folder that others could have written is replaced with a warning', () => {
  const planted = join(folder, 'owner-token');
  writeFileSync(planted, `${long}-planted\n`);
  chmodSync(planted, 0o666);
  const found = findOwnerToken({ dataDir: folder });
  expect(found.token).not.toContain('planted');
  expect(found.exposures).toEqual([expect.stringContaining('could have been written by others')]);
  expect(modeOf(planted)).toBe('600');
  expect(findOwnerToken({ dataDir: folder })).toEqual({ ...found, exposures: [] });
});

test('[AUTH-1] a token file of an option that others can write is refused', () => {
  const tokenFile = join(folder, 'token');
  writeFileSync(tokenFile, long);
  chmodSync(tokenFile, 0o622);
  expect(() => findOwnerToken({ tokenFile })).toThrow(/can be written by others/);
});

test.skipIf(process.getuid?.() !== 0)(
  '[AUTH-1] a token file of another user is refused as an option, and replaced by root in the data folder',
  () => {
    const planted = join(folder, 'owner-token');
    writeFileSync(planted, long, { mode: 0o600 });
    chownSync(planted, 4_711, 4_711);
    expect(() => findOwnerToken({ tokenFile: planted })).toThrow(/belongs to user 4711/);
    const found = findOwnerToken({ dataDir: folder });
    expect(found.token).not.toBe(long);
    expect(found.exposures).toEqual([expect.stringContaining('could have been written by others')]);
    expect(statSync(planted).uid).toBe(0);
  },
);

test('[AUTH-1] a link to a token file is followed in an option, and not in the data folder', () => {
  writeFileSync(join(folder, 'secret'), long, { mode: 0o600 });
  symlinkSync('secret', join(folder, 'owner-token'));
  expect(findOwnerToken({ tokenFile: join(folder, 'owner-token') }).token).toBe(long);
  expect(() => findOwnerToken({ dataDir: folder })).toThrow(/is a symbolic link/);
});

test.each([
  ['a named pipe', (path: string) => execFileSync('mkfifo', [path]), /is a named pipe, not a token file/],
  ['a device', (path: string) => symlinkSync('/dev/null', path), /is a device, not a token file/],
  ['huge', (path: string) => writeFileSync(path, 'x'.repeat(4_097)), /has more than 4096 bytes/],
])('[AUTH-1] a token file that is %s is refused at once', (_, make, message) => {
  const tokenFile = join(folder, 'token');
  make(tokenFile);
  expect(() => findOwnerToken({ tokenFile })).toThrow(message);
});
