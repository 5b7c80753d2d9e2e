import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeFolder } from './make-folder.ts';

test('makes missing folders with their mode, and leaves existing ones unchanged', async () => {
  const base = mkdtempSync(join(tmpdir(), 'agenthost-folder-'));
  try {
    await makeFolder(join(base, 'a', 'b'), 0o700);
    await makeFolder(join(base, 'a', 'b'), 0o755);
    expect(statSync(join(base, 'a', 'b')).mode & 0o777).toBe(0o700);
  } finally {
    rmSync(base, { recursive: true });
  }
});

test.runIf(existsSync('/proc/self'))('fails at once where no folder can be created', async () => {
  await expect(makeFolder('/proc/none/below', 0o700)).rejects.toThrow('ENOENT');
});
