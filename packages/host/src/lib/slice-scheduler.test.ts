import { describe, expect, test } from 'vitest';
import {
  MAX_WAITING,
  MAX_WAITING_OF_PARTY,
  type NextSlice,
  SliceScheduler,
  TooManyJobs,
} from './slice-scheduler.ts';

const never = new AbortController().signal;

/** Event-loop iterations that the test runs. */
class Turns {
  readonly scheduler: SliceScheduler;
  readonly log: string[] = [];
  #immediates: (() => void)[] = [];

  constructor() {
    this.scheduler = new SliceScheduler({
      after: () => () => undefined,
      immediate: (callback) => void this.#immediates.push(callback),
    });
  }

  /** Runs one iteration. Its slices are in the log. */
  async turn(): Promise<string[]> {
    const due = this.#immediates.splice(0);
    this.log.length = 0;
    for (const callback of due) callback();
    await new Promise((resolve) => setImmediate(resolve));
    return [...this.log];
  }

  /** A job of this many slices. */
  job(party: string, name: string, slices: number, signal = never): Promise<string> {
    return this.scheduler.run(party, signal, async (next: NextSlice) => {
      for (let left = slices; left > 0; left -= 1) {
        await next();
        this.log.push(name);
      }
      return name;
    });
  }
}

describe('slices of the event loop', () => {
  test('run one in each iteration, for any number of jobs, and parties alternate', async () => {
    const turns = new Turns();
    const jobs = Promise.all([
      ...Array.from({ length: 100 }, (_, index) => turns.job('many', `many ${index}`, 2)),
      turns.job('one', 'one', 3),
    ]);
    const seen: string[] = [];
    for (let count = 0; count < 6; count += 1) {
      const slices = await turns.turn();
      expect(slices.length).toBeLessThanOrEqual(1);
      seen.push(...slices);
    }
    expect(seen).toEqual(['many 0', 'one', 'many 1', 'one', 'many 2', 'one']);
    while ((await turns.turn()).length > 0);
    expect((await jobs).length).toBe(101);
  });

  test('end when no job waits: no empty iteration is scheduled', async () => {
    const turns = new Turns();
    const job = turns.job('one', 'one', 1);
    await turns.turn();
    expect(await job).toBe('one');
    await turns.turn();
    expect(await turns.turn()).toEqual([]);
  });

  test('are refused to a party that has too many jobs waiting, and to no other party', async () => {
    const turns = new Turns();
    const failed: unknown[] = [];
    const add = (party: string): void => {
      turns.job(party, party, 1).catch((error: unknown) => failed.push(error));
    };
    for (let count = 0; count < 4 + MAX_WAITING_OF_PARTY + 2; count += 1) add('greedy');
    const job = turns.job('other', 'other', 1);
    await turns.turn();
    expect(failed).toEqual([
      new TooManyJobs(MAX_WAITING_OF_PARTY, true),
      new TooManyJobs(MAX_WAITING_OF_PARTY, true),
    ]);
    await turns.turn();
    expect(await job).toBe('other');
  });

  test('are refused when too many jobs of all parties wait', async () => {
    const turns = new Turns();
    const failed: unknown[] = [];
    const parties = MAX_WAITING / MAX_WAITING_OF_PARTY + 1;
    for (let count = 0; count < (4 + MAX_WAITING_OF_PARTY) * parties; count += 1)
      turns.job(`${count % parties}`, 'any', 1).catch((error: unknown) => failed.push(error));
    await turns.turn();
    expect(failed.length).toBe(MAX_WAITING_OF_PARTY);
    expect(failed[0]).toMatchObject({ limit: MAX_WAITING, isOfParty: false });
  });

  test('leave the queue with the client of their job, whether the job has a slot or not', async () => {
    const turns = new Turns();
    const gone = new AbortController();
    const reason = new Error('gone');
    const left = Promise.allSettled(
      Array.from({ length: 10 }, () => turns.job('one', 'gone', 5, gone.signal)),
    );
    const stays = turns.job('one', 'stays', 1);
    expect(await turns.turn()).toEqual(['gone']);
    gone.abort(reason);
    expect(await left).toEqual(Array.from({ length: 10 }, () => ({ status: 'rejected', reason })));
    expect(await turns.turn()).toEqual(['stays']);
    expect(await stays).toBe('stays');
  });
});
