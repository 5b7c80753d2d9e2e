import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findPrivate } from './find-private.ts';

test("a program in somebody's own folder is found, wherever that folder is", async () => {
  // Every folder above must be open: that of the tests may be private.
  const folder = mkdtempSync('/tmp/agenthost-private-');
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const program = join(folder, 'alice/.nvm/bin/node');
  mkdirSync(join(program, '..'), { recursive: true });
  writeFileSync(program, '');
  chmodSync(program, 0o755);
  chmodSync(folder, 0o755);
  const words = ['serve', '--root', '/none/x', program];
  expect(await findPrivate(words)).toBeUndefined();
  chmodSync(join(folder, 'alice'), 0o750);
  expect(await findPrivate(words)).toBe(program);
  chmodSync(join(folder, 'alice'), 0o711);
  expect(await findPrivate(words)).toBeUndefined();
  chmodSync(program, 0o700);
  expect(await findPrivate(words)).toBe(program);
});
