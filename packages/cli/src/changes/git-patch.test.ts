import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { gitPatch, type PatchFile, type PatchVersion } from './git-patch.ts';

/** A folder with the version before; applies a patch with the real git. */
function folderWith(version: PatchVersion | undefined) {
  const path = mkdtempSync(join(tmpdir(), 'git-patch-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  if (version !== undefined) put(path, version);
  return {
    path,
    apply: (patch: string, ...args: string[]) =>
      execFileSync('git', ['apply', '--whitespace=nowarn', ...args, '-'], {
        cwd: path,
        input: Buffer.from(patch, 'latin1'),
        env: { PATH: process.env['PATH'], HOME: path, GIT_CEILING_DIRECTORIES: tmpdir() },
        stdio: ['pipe', 'pipe', 'pipe'],
      }),
  };
}

function put(folder: string, { path, mode, bytes }: PatchVersion): void {
  const full = join(folder, path);
  mkdirSync(dirname(full), { recursive: true });
  if (mode === '120000') symlinkSync(Buffer.from(bytes), full);
  else {
    writeFileSync(full, bytes);
    chmodSync(full, mode === '100755' ? 0o755 : 0o644);
  }
}

function look(folder: string, path: string): { mode: string; bytes: Uint8Array } | undefined {
  const full = join(folder, path);
  const stat = lstatSync(full, { throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  if (stat.isSymbolicLink()) return { mode: '120000', bytes: readlinkSync(full, { encoding: 'buffer' }) };
  return { mode: (stat.mode & 0o100) === 0 ? '100644' : '100755', bytes: readFileSync(full) };
}

const file = (path: string, content: string | Uint8Array, mode = '100644'): PatchVersion => ({
  path,
  mode,
  bytes: Buffer.from(content),
});
const lines = (count: number, changed: Record<number, string> = {}): string =>
  Array.from({ length: count }, (_, index) => `${changed[index] ?? `line ${index}`}\n`).join('');
const noise = Uint8Array.from({ length: 5_000 }, (_, index) => (index * 7_919) % 251);

const CASES: Record<string, PatchFile> = {
  'a change': { before: file('a', lines(30)), after: file('a', lines(30, { 2: 'x', 25: 'y' })) },
  'a new file': { after: file('sub/a b', 'one\n') },
  'an empty new file': { after: file('empty', '') },
  'a removed file': { before: file('gone', 'one\ntwo') },
  'no newline at the end': { before: file('a', 'one\ntwo'), after: file('a', 'one\nzwei') },
  'a newline at the end': { before: file('a', 'one'), after: file('a', 'one\n') },
  'CRLF and BOM': { before: file('a', '\ufeffone\r\ntwo\r\n'), after: file('a', '\ufeffone\r\n2\r\n') },
  'a lone CR': { before: file('a', 'a\rb\nc\n'), after: file('a', 'a\rB\nc\n') },
  'invalid UTF-8': {
    before: file('a', Buffer.from([0xff, 0x0a, 0xfe, 0x0a])),
    after: file('a', Buffer.from([0xff, 0x0a, 0xfd, 0x0a])),
  },
  'an executable': { before: file('a', 'x\n'), after: file('a', 'x\n', '100755') },
  'a rename with a change': { before: file('a', lines(9)), after: file('ü "b"\t\\', lines(9, { 4: 'x' })) },
  'a link': { before: file('a', 'b', '120000'), after: file('a', 'c', '120000') },
  'a link that becomes a file': { before: file('a', 'b', '120000'), after: file('a', 'text\n') },
  'binary data': { before: file('a', noise), after: file('a', noise.toReversed()) },
  'a new binary file': { after: file('a', noise) },
  'a removed binary file': { before: file('a', noise) },
  'an empty file that becomes binary': { before: file('a', ''), after: file('a', new Uint8Array(1)) },
};

test.each(Object.entries(CASES))('git applies a patch, and takes it back: %s', (_, { before, after }) => {
  const { path, apply } = folderWith(before);
  const patch = gitPatch({ ...(before && { before }), ...(after && { after }) }, true);
  apply(patch);
  const found = look(path, after?.path ?? before?.path ?? '');
  expect(found).toEqual(after && { mode: after.mode, bytes: Buffer.from(after.bytes) });
  apply(patch, '-R');
  expect(look(path, before?.path ?? after?.path ?? '')).toEqual(
    before && { mode: before.mode, bytes: Buffer.from(before.bytes) },
  );
});

test('a binary file is only named if its content is not wanted', () => {
  expect(gitPatch({ before: file('a b', noise), after: file('a b', '\0') }, false)).toBe(
    'diff --git a/a b b/a b\nBinary files a/a b and b/a b differ\n',
  );
});

test('heads of hunks are those of git', () => {
  const patch = gitPatch({ before: file('a', 'x\n'), after: file('a', 'x\ny\n') }, true);
  expect(patch).toContain('@@ -1,1 +1,2 @@');
  expect(gitPatch({ after: file('a', 'x\n') }, true)).toContain('@@ -0,0 +1,1 @@');
});

test('a rename without changes has no hunk', () => {
  expect(gitPatch({ before: file('a', 'x'), after: file('b', 'x') }, true)).toBe(
    'diff --git a/a b/b\nrename from a\nrename to b\n',
  );
});

test('texts that take too long to compare are one hunk', () => {
  const before = Array.from({ length: 60_000 }, (_, index) => `${index * 7}\n`).join('');
  const after = Array.from({ length: 60_000 }, (_, index) => `x${index}\n`).join('');
  const { path, apply } = folderWith(file('a', before));
  const patch = gitPatch({ before: file('a', before), after: file('a', after) }, true);
  expect(patch.match(/^@@/gm)).toHaveLength(1);
  apply(patch);
  expect(look(path, 'a')?.bytes).toEqual(Buffer.from(after));
});
