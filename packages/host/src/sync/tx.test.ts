import { describe, expect, it } from 'vitest';
import { row, setUpCommitPath as setUp } from '../../test/commit-path-fixture.ts';
import { garbageCollector } from '../../test/garbage.ts';
import { JournalUnavailable } from './commit-path.ts';
import type { Tx } from './tx.ts';

describe('a transaction', () => {
  it('throws when it is used after the end of its cause', async () => {
    const { clock, path, keys } = await setUp();
    const kept: Tx[] = [];
    path.transact('client', (tx) => void kept.push(tx));
    const [tx] = kept;
    for (const use of [
      () => tx?.write(row('late')),
      () => tx?.undo(() => undefined),
      () => tx?.effect(() => undefined),
      () => tx?.publish(() => undefined),
    ])
      expect(use).toThrow('the transaction was used after its cause had ended');
    await clock.settle();
    path.transact('client', () => expect(() => tx?.write(row('late'))).toThrow('after its cause had ended'));
    await clock.settle();
    expect(keys()).toStrictEqual([]);
  });

  it('is one object for all causes of a tick, and another in the next tick', async () => {
    const { clock, path } = await setUp();
    const kept: Tx[] = [];
    const keep = (tx: Tx): void => void kept.push(tx);
    path.transact('client', keep);
    path.transact('host', keep);
    await clock.settle();
    path.transact('client', keep);
    expect(kept[1]).toBe(kept[0]);
    expect(kept[2]).not.toBe(kept[0]);
  });

  it('is garbage after its commit, with everything that its effects hold', async () => {
    const { clock, path } = await setUp();
    const held = (() => {
      const large = { text: 'what an effect uses' };
      path.transact('host', (tx) => tx.effect(() => void large.text));
      return new WeakRef(large);
    })();
    await clock.settle();
    // A `WeakRef` keeps its target until the current event-loop iteration has ended.
    await new Promise((resolve) => setImmediate(resolve));
    garbageCollector()();
    expect(held.deref()).toBeUndefined();
  });

  it('takes no asynchronous work', async () => {
    const { path } = await setUp();
    expect.assertions(0);
    // @ts-expect-error: code after an `await` would not belong to the transaction.
    path.transact('client', async (tx) => tx.write(row('a')));
    // @ts-expect-error: the same for a returned promise.
    void path.commit('host', (tx) => Promise.resolve(tx.write(row('b'))));
  });
});

describe('a promise for the commit', () => {
  it('resolves with the result when that is durable and sent', async () => {
    const { clock, path, seen, append, keys } = await setUp();
    const committed = path.commit('client', (tx) => {
      append(tx, 'a');
      return 'result';
    });
    void committed.then(() => seen.push('resolved'));
    expect(keys()).toStrictEqual([]);
    await clock.settle();
    expect(await committed).toBe('result');
    expect(seen).toStrictEqual(['sent a', 'effect a', 'resolved']);
  });

  it('rejects for a client whose commit fails, or whose request comes while the journal is down', async () => {
    const { journal, clock, path, state, append } = await setUp();
    journal.failNextCommits();
    const failed = path.commit('client', (tx) => append(tx, 'a'));
    await Promise.all([expect(failed).rejects.toBeInstanceOf(JournalUnavailable), clock.settle()]);
    await expect(path.commit('client', (tx) => append(tx, 'b'))).rejects.toBeInstanceOf(JournalUnavailable);
    expect(state).toStrictEqual([]);
  });

  it('of a host cause waits for the journal, and rejects when the host stops before', async () => {
    const { journal, clock, path, keys, append } = await setUp();
    journal.failNextCommits();
    const first = path.commit('host', (tx) => append(tx, 'a'));
    await clock.settle();
    const second = path.commit('host', (tx) => append(tx, 'b'));
    await clock.advance(1_000);
    await Promise.all([first, second]);
    expect(keys()).toStrictEqual(['a', 'b']);
    journal.failNextCommits(10_000);
    const third = path.commit('host', (tx) => append(tx, 'c'));
    await clock.settle();
    path.beginStop();
    await expect(third).rejects.toThrow('The host is stopping');
    await expect(path.commit('host', (tx) => append(tx, 'd'))).rejects.toThrow('The host is stopping');
  });

  it('rejects with the error of its work, and within another transaction', async () => {
    const { clock, path, state, append } = await setUp();
    const broken = path.commit('client', (tx) => {
      append(tx, 'a');
      throw new Error('no such chat');
    });
    await expect(broken).rejects.toThrow('no such chat');
    const inner: Promise<void>[] = [];
    path.transact('client', () => void inner.push(path.commit('client', (tx) => append(tx, 'b'))));
    await expect(inner[0]).rejects.toThrow('a transaction is already open');
    await clock.settle();
    expect(state).toStrictEqual([]);
  });

  it('of an attempt reports whether the changes are durable at once', async () => {
    const { journal, clock, path, keys, append } = await setUp();
    journal.failNextCommits();
    const attempts = ['a', 'b'].map((item) => path.attempt((tx) => append(tx, item)));
    await clock.settle();
    expect(await Promise.all(attempts)).toStrictEqual([false, false]);
    expect(await path.attempt((tx) => append(tx, 'c'))).toBe(false);
    await clock.advance(1_000);
    expect(keys()).toStrictEqual(['a', 'b', 'c']);
    const durable = path.attempt((tx) => append(tx, 'd'));
    await clock.settle();
    expect(await durable).toBe(true);
  });
});
