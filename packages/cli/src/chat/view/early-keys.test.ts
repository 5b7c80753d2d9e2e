import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { EarlyKeys } from './early-keys.ts';

/** A terminal input, and a record of its use. */
function terminal() {
  const modes: boolean[] = [];
  const interrupts: string[] = [];
  const input = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (isRaw: boolean) => modes.push(isRaw),
  });
  const early = new EarlyKeys(input, () => interrupts.push('once'));
  return { input, early, modes, interrupts };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('keys before the first screen are dropped, and later ones go to that screen', async () => {
  const { input, early, modes } = terminal();
  input.write('too soon');
  await turn();
  expect(await early.handOver(() => 'a window')).toBe('a window');
  input.write('soon enough');
  await turn();
  expect(String(input.read())).toBe('soon enough');
  early.dispose();
  expect(modes).toEqual([true]);
});

test('Ctrl-C among them works, and an end before the first screen restores the terminal', async () => {
  const { input, early, modes, interrupts } = terminal();
  input.write('abc\u0003');
  await turn();
  expect(interrupts).toEqual(['once']);
  early.dispose();
  early.dispose();
  expect(modes).toEqual([true, false]);
});

test('a failure of the first screen restores the terminal', async () => {
  const { early, modes } = terminal();
  const opening = early.handOver(() => {
    throw new Error('no screen');
  });
  await expect(opening).rejects.toThrow('no screen');
  early.dispose();
  expect(modes).toEqual([true, false]);
});
