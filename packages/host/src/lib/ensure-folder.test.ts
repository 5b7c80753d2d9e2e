import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ensureFolder } from './ensure-folder.ts';

test('makes missing folders that only the owner can read, and leaves existing ones unchanged', () => {
  const base = mkdtempSync(join(tmpdir(), 'agenthost-folder-'));
  try {
    ensureFolder(join(base, 'a', 'b'));
    expect(statSync(join(base, 'a', 'b')).mode & 0o777).toBe(0o700);
    ensureFolder(join(base, 'a', 'b'));
    writeFileSync(join(base, 'file'), '');
    expect(() => ensureFolder(join(base, 'file'))).toThrow('EEXIST');
    expect(() => ensureFolder(join(base, 'file', 'below'))).toThrow(/ENOTDIR|EEXIST/);
  } finally {
    rmSync(base, { recursive: true });
  }
});

test.runIf(existsSync('/proc/self'))('fails at once where no folder can be made', () => {
  expect(() => ensureFolder('/proc/nope/below')).toThrow('ENOENT');
});
