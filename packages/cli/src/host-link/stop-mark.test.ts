import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { markStopping, readStopMark, removeStopMark } from './stop-mark.ts';

test('one of several marks counts, until the process has ended; a folder that cannot be written marks nothing', () => {
  const folder = mkdtempSync(join(tmpdir(), 'agenthost-mark-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  expect(readStopMark(folder, 7)).toBeUndefined();
  expect(markStopping(folder, 7, 'drained')).toBeUndefined();
  expect(markStopping(folder, 7, 'waiting')).toBe('drained');
  expect(markStopping(folder, 8, 'waiting')).toBeUndefined();
  expect(readStopMark(folder, 8)).toBe('waiting');
  removeStopMark(folder, 7);
  expect(readdirSync(folder)).toEqual(['8.stopping']);
  expect(markStopping(join(folder, '8.stopping', 'none'), 7, 'waiting')).toBeUndefined();
});
