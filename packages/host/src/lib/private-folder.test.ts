import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { checkPrivateFolder } from './private-folder.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agenthost-private-'));
  writeFileSync(join(folder, 'secret'), 'x');
  writeFileSync(join(folder, 'other'), 'x');
  mkdirSync(join(folder, 'folder'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);
const isRoot = process.getuid?.() === 0;

afterEach(() => {
  vi.restoreAllMocks();
});

test('a private folder and a missing folder need no change', () => {
  expect(checkPrivateFolder(folder, 'secret')).toEqual([]);
  expect(checkPrivateFolder(join(folder, 'none'), 'secret')).toEqual([]);
  expect(readdirSync(folder)).toContain('secret');
});

test('a folder that others can read becomes private, with a warning', () => {
  chmodSync(folder, 0o755);
  expect(checkPrivateFolder(folder, 'secret')).toEqual([
    expect.stringMatching(/could be read by others until now: its mode is 0700 from now on$/),
  ]);
  expect([modeOf(folder), readdirSync(folder).length]).toEqual(['700', 3]);
});

test('in a folder that others can write the secret may be planted: it is deleted, with a warning', () => {
  chmodSync(folder, 0o777);
  expect(checkPrivateFolder(folder, 'secret')).toEqual([
    expect.stringMatching(/could be written by others until now: .*, and secret in it is made anew$/),
  ]);
  expect([modeOf(folder), readdirSync(folder)]).toEqual(['700', ['folder', 'other']]);
});

test.skipIf(!isRoot)('a folder of another user, or with something of another user in it, is refused', () => {
  chownSync(join(folder, 'other'), 4_711, 4_711);
  chmodSync(folder, 0o777);
  expect(() => checkPrivateFolder(folder, 'secret')).toThrow(
    /other belongs to user 4711, who could put it there/,
  );
  // Nothing is changed, so that the next attempt detects it too.
  expect(modeOf(folder)).toBe('777');
  chownSync(folder, 4_711, 4_711);
  vi.spyOn(process, 'geteuid').mockReturnValue(4_712);
  expect(() => checkPrivateFolder(folder, 'secret')).toThrow(
    /belongs to user 4711, who could replace everything/,
  );
});

test.skipIf(!isRoot)(
  "root uses another user's folder, as one mounted into a container, and that is said",
  () => {
    chownSync(folder, 4_711, 4_711);
    chownSync(join(folder, 'other'), 4_711, 4_711);
    expect(checkPrivateFolder(folder, 'secret')).toEqual([
      expect.stringMatching(/belongs to user 4711, who can read and replace everything in it$/),
    ]);
    chownSync(join(folder, 'other'), 4_712, 4_712);
    expect(() => checkPrivateFolder(folder, 'secret')).toThrow(/other belongs to user 4712/);
    chownSync(join(folder, 'other'), 0, 0);
    symlinkSync('/etc/passwd', join(folder, 'link'));
    lchownSync(join(folder, 'link'), 4_711, 4_711);
    expect(() => checkPrivateFolder(folder, 'secret')).toThrow(/link belongs to user 4711/);
  },
);

test('a file in it that a start would wait for is refused by name', () => {
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  expect(() => checkPrivateFolder(folder, 'secret')).toThrow(/pipe is a named pipe/);
});
