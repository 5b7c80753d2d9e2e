import { describe, expect, it } from 'vitest';
import { sharedLook } from './process-session.ts';

/** Looks that end when the test says so, in order. */
class Looks {
  readonly begun: PromiseWithResolvers<number>[] = [];
  readonly ask = sharedLook(() => {
    const look = Promise.withResolvers<number>();
    this.begun.push(look);
    return look.promise;
  });
}

describe('a look that is shared', () => {
  it('runs one at a time, and every caller during one gets the result of the next', async () => {
    const looks = new Looks();
    const first = looks.ask();
    const others = Array.from({ length: 300 }, () => looks.ask());
    expect(looks.begun).toHaveLength(1);

    looks.begun[0]?.resolve(1);
    expect(await first).toBe(1);
    await Promise.resolve();
    expect(looks.begun).toHaveLength(2);
    looks.begun[1]?.resolve(2);
    expect(new Set(await Promise.all(others))).toEqual(new Set([2]));

    const later = looks.ask();
    expect(looks.begun).toHaveLength(3);
    looks.begun[2]?.resolve(3);
    expect(await later).toBe(3);
  });

  it('runs one at a time, also for a caller between the end of one and the start of the next', async () => {
    const looks = new Looks();
    const first = looks.ask();
    const inBetween = first.then(() => looks.ask());
    const second = looks.ask();
    looks.begun[0]?.resolve(1);
    await new Promise(setImmediate);
    expect(looks.begun).toHaveLength(2);
    looks.begun[1]?.resolve(2);
    expect(await Promise.all([second, inBetween])).toEqual([2, 2]);
  });

  it('that fails rejects only the callers who wait for it', async () => {
    const looks = new Looks();
    const first = looks.ask();
    const second = looks.ask();
    looks.begun[0]?.reject(new Error('no table'));
    await expect(first).rejects.toThrow('no table');
    await new Promise(setImmediate);
    looks.begun[1]?.resolve(2);
    expect(await second).toBe(2);
  });
});
