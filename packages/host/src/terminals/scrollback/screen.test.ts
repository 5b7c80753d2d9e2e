import { describe, expect, it } from 'vitest';
import type { Timers } from '../../lib/clock.ts';
import type { Emulator } from './emulator.ts';
import { LiveScreen } from './screen.ts';

const SIZE = { cols: 80, rows: 24 };
const cursor = ({ terminal: { buffer } }: Emulator): number[] => [
  buffer.active.cursorX,
  buffer.active.cursorY,
];

/** Timers that fire when the test says so. */
class HeldTimers implements Timers {
  readonly #held = new Set<() => void>();

  after(_delayMs: number, callback: () => void): () => void {
    this.#held.add(callback);
    return () => this.#held.delete(callback);
  }

  immediate(callback: () => void): void {
    setImmediate(callback);
  }

  run(): void {
    for (const callback of this.#held) callback();
    this.#held.clear();
  }
}

describe('LiveScreen', () => {
  it('[TERM-3] returns the cursor right after a query, whatever is written before the answer is known', async () => {
    const screen = new LiveScreen(new HeldTimers());
    const first = screen.read(SIZE, () => 'one\r\ntwo', cursor);
    screen.wrote('!\r\n');
    const second = screen.read(SIZE, () => expect.fail('the screen was made anew'), cursor);
    screen.wrote('later\r\nand later');
    expect([await first, await second]).toEqual([
      [3, 1],
      [0, 2],
    ]);
    screen.close();
  });

  it('rebuilds the screen after a while without queries, after much output, and for another size', async () => {
    const timers = new HeldTimers();
    const screen = new LiveScreen(timers);
    expect(await screen.read(SIZE, () => 'a', cursor)).toEqual([1, 0]);
    timers.run();
    screen.wrote('unseen');
    expect(await screen.read(SIZE, () => 'ab', cursor)).toEqual([2, 0]);
    screen.wrote('x'.repeat(600_000));
    expect(await screen.read(SIZE, () => 'abc', cursor)).toEqual([3, 0]);
    expect(await screen.read({ cols: 2, rows: 5 }, () => 'abc', cursor)).toEqual([1, 1]);
    screen.close();
  });
});
