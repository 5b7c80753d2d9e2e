import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { keepLogSmall } from './small-log.ts';

afterEach(() => vi.useRealTimers());

test('a large log is copied and emptied while it is written, and only the log of this process', () => {
  vi.useFakeTimers();
  const folder = mkdtempSync(join(tmpdir(), 'agenthost-log-'));
  const file = join(folder, 'serve.log');
  const output = openSync(file, 'a');
  onTestFinished(() => {
    closeSync(output);
    rmSync(folder, { recursive: true, force: true });
  });
  const told: string[] = [];
  const end = keepLogSmall(['/none', folder], (line) => told.push(line), output);
  const large = 'a line\n'.repeat(200_000);
  writeSync(output, large);
  vi.advanceTimersByTime(60 * 60_000);
  expect(readFileSync(`${file}.1`, 'utf8')).toBe(large);
  writeSync(output, 'the next line\n');
  expect(readFileSync(file, 'utf8')).toBe('the next line\n');

  // Somebody else has moved the file, and made another one.
  writeSync(output, large);
  rmSync(file);
  const other = openSync(file, 'a');
  writeSync(other, large);
  closeSync(other);
  vi.advanceTimersByTime(60 * 60_000);
  expect(statSync(file).size).toBe(large.length);
  end();
  expect(vi.getTimerCount()).toBe(0);
  keepLogSmall([folder], (line) => told.push(line), output);
  expect([vi.getTimerCount(), told]).toEqual([0, []]);
});
