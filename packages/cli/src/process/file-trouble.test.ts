import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fileTrouble } from './file-trouble.ts';

test.each([
  [join(tmpdir(), 'no', 'such', 'file'), 'there is no such file'],
  [tmpdir(), 'it is a folder'],
])('what the file system says of %s, in words', async (path, told) => {
  await expect(readFile(path).catch(fileTrouble)).resolves.toBe(told);
});

test('of a full disk too, and what it does not know as it was said', () => {
  expect(fileTrouble(Object.assign(new Error('ENOSPC: …'), { code: 'ENOSPC' }))).toBe('no space left');
  expect(fileTrouble(new Error('something else'))).toBe('something else');
});
