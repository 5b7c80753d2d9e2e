import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { hasCode } from '@agenthost/protocol/values';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { PtyInput } from './pty-input.ts';

const MEBIBYTE = 1024 * 1024;
let folder: string;
let fd: number;
let input: PtyInput;

// A pipe in place of a pty: its buffer is as small, and reads are faster.
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pty-input-'));
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  fd = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
  input = new PtyInput(fd, () => false);
});
afterEach(() => {
  input.end();
  closeSync(fd);
  rmSync(folder, { recursive: true });
});

/** Reads the written input up to a mark. */
async function readUpTo(mark: string): Promise<Buffer> {
  const buffer = Buffer.alloc(MEBIBYTE);
  const pieces: Buffer[] = [];
  for (;;) {
    try {
      const piece = Buffer.from(buffer.subarray(0, readSync(fd, buffer)));
      pieces.push(piece);
      if (piece.toString('latin1').endsWith(mark)) return Buffer.concat(pieces);
    } catch (error) {
      if (!hasCode(error, 'EAGAIN')) throw error;
      await turn();
    }
  }
}

test('keeps 16 MiB for a program that does not read, drops later input, and takes keys again when there is room', async () => {
  for (let count = 1; count <= 20; count += 1) input.write(Buffer.alloc(MEBIBYTE, 64 + count));
  input.write('dropped');
  const kept = await readUpTo('P');
  // The pipe itself holds a little, so one more write was accepted.
  await turn();
  input.write('again');
  const rest = await readUpTo('again');
  const all = Buffer.concat([kept, rest]).toString('latin1');
  expect(all.length).toBe(17 * MEBIBYTE + 'again'.length);
  for (let count = 1; count <= 17; count += 1) {
    expect(all[(count - 1) * MEBIBYTE]).toBe(String.fromCharCode(64 + count));
  }
});

test('keeps a bounded number of single keys', async () => {
  input.write('x'.repeat(MEBIBYTE));
  for (let count = 0; count < 300 * 1024; count += 1) input.write('k');
  const kept = await readUpTo('k');
  await turn();
  input.write('!');
  const all = Buffer.concat([kept, await readUpTo('!')]).toString('latin1');
  expect(all.length).toBe(MEBIBYTE + 256 * 1024);
});
