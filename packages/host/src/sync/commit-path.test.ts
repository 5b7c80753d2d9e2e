import { describe, expect, it } from 'vitest';
import { row, setUpCommitPath as setUp } from '../../test/commit-path-fixture.ts';
import { JournalUnavailable } from './commit-path.ts';
import type { Tx } from './tx.ts';

describe('a tick', () => {
  it('[ACT-8] is one commit, followed by its output in order, and then by its effects', async () => {
    const { journal, clock, path, seen, append, note } = await setUp();
    path.transact('client', (tx) => append(tx, 'a'));
    path.send(note('response'));
    path.transact('host', (tx) => append(tx, 'b'));
    expect(seen).toStrictEqual([]);
    await clock.settle();
    expect(journal.commitCount).toBe(1);
    expect(seen).toStrictEqual(['sent a', 'response', 'sent b', 'effect a', 'effect b']);
  });

  it('[ACT-8] holds back everything that arrives during its commit', async () => {
    const { journal, clock, path, seen, append, note } = await setUp();
    const gate = Promise.withResolvers<void>();
    journal.gates.beforeCommit = () => gate.promise;
    path.transact('client', (tx) => append(tx, 'a'));
    await clock.settle();
    path.send(note('response'));
    path.transact('client', (tx) => append(tx, 'b'));
    await clock.settle();
    expect(seen).toStrictEqual([]);
    gate.resolve();
    await clock.settle();
    expect(seen).toStrictEqual(['sent a', 'effect a', 'response', 'sent b', 'effect b']);
    expect(journal.commitCount).toBe(2);
  });

  it('without changes sends at once', async () => {
    const { path, seen, note } = await setUp();
    path.send(note('response'));
    expect(seen).toStrictEqual(['response']);
  });

  it('is committed early when it is large, but never within one cause', async () => {
    const { journal, clock, path, keys } = await setUp();
    const sizes: number[] = [];
    journal.gates.beforeCommit = (writes) => void sizes.push(writes.length);
    path.transact('client', (tx) => {
      for (let index = 0; index < 1_500; index += 1) tx.write(row(`a${index}`));
    });
    path.transact('client', (tx) => tx.write(row('b')));
    await clock.settle();
    expect(sizes).toStrictEqual([1_500, 1]);
    expect(keys()).toHaveLength(1_501);
  });

  it('is committed early when its rows are long', async () => {
    const { journal, clock, path } = await setUp();
    const json = 'x'.repeat(600_000);
    for (let ordinal = 0; ordinal < 3; ordinal += 1) {
      path.transact('client', (tx) => tx.write({ op: 'turn', chat: 'c', ordinal, id: `${ordinal}`, json }));
    }
    await clock.settle();
    expect(journal.commitCount).toBe(2);
  });

  it('[CONN-4] is sent only when its numbers are reserved durably', async () => {
    const { journal, clock, sequencer, path, seen, append } = await setUp();
    const gate = Promise.withResolvers<void>();
    journal.gates.beforeReserve = () => gate.promise;
    sequencer.next();
    path.transact('client', (tx) => append(tx, 'a'));
    await clock.settle();
    expect(seen).toStrictEqual([]);
    gate.resolve();
    await clock.settle();
    expect(seen).toContain('sent a');
    expect(journal.disk.reservedSeq).toBeGreaterThanOrEqual(sequencer.last);
  });

  it('ends with the changes of its last hooks', async () => {
    const { clock, path, seen, append } = await setUp();
    let isDirty = false;
    path.onSeal((tx) => {
      if (isDirty) append(tx, 'hook');
      isDirty = false;
    });
    path.transact('client', (tx) => {
      append(tx, 'a');
      isDirty = true;
    });
    await clock.settle();
    expect(seen.slice(0, 2)).toStrictEqual(['sent a', 'sent hook']);
  });

  it('continues after output that throws', async () => {
    const { clock, path, seen, append } = await setUp();
    path.transact('client', (tx) => {
      tx.write(row('a'));
      tx.publish(() => {
        throw new Error('a socket broke');
      });
      append(tx, 'b');
    });
    await clock.settle();
    expect(seen).toStrictEqual(['sent b', 'effect b']);
  });

  it('runs its effects afterwards: their changes are another tick', async () => {
    const { journal, clock, path, seen, append } = await setUp();
    path.transact('client', (tx) => {
      append(tx, 'a');
      tx.effect(() => path.transact('host', (tx) => append(tx, 'b')));
    });
    await clock.settle();
    expect(journal.commitCount).toBe(2);
    expect(seen.indexOf('sent b')).toBeGreaterThan(seen.indexOf('effect a'));
  });
});

describe('a cause that throws', () => {
  const failing =
    (work: (tx: Tx) => void): ((tx: Tx) => void) =>
    (tx) => {
      work(tx);
      throw new Error('an observer broke');
    };

  it.each(['client', 'host'] as const)(
    'half-way (of a %s) leaves nothing, and nobody else is hurt',
    async (cause) => {
      const { clock, path, seen, state, append, keys } = await setUp();
      path.transact('client', (tx) => append(tx, 'a'));
      expect(() =>
        path.transact(
          cause,
          failing((tx) => append(tx, 'b')),
        ),
      ).toThrow('an observer broke');
      path.transact('client', (tx) => append(tx, 'c'));
      await clock.settle();
      expect(state).toStrictEqual(['a', 'c']);
      expect(keys()).toStrictEqual(['a', 'c']);
      expect(seen).toStrictEqual(['sent a', 'sent c', 'effect a', 'effect c']);
    },
  );

  it('is not repeated after a failed commit', async () => {
    const { journal, clock, path, state, append } = await setUp();
    journal.failNextCommits();
    path.transact('host', (tx) => append(tx, 'a'));
    expect(() =>
      path.transact(
        'host',
        failing((tx) => append(tx, 'b')),
      ),
    ).toThrow('an observer broke');
    await clock.settle();
    await clock.advance(1_000);
    expect(state).toStrictEqual(['a']);
  });

  it('has one number for all its changes, which no other cause has', async () => {
    const { clock, path } = await setUp();
    const causes: number[] = [];
    const look = (tx: Tx): void => void causes.push(tx.cause);
    const twice = (tx: Tx): void => {
      look(tx);
      path.transact('host', look);
    };
    path.transact('client', twice);
    path.transact('client', twice);
    path.onSeal(twice);
    await clock.settle();
    const [first, second, hook] = [causes[0], causes[2], causes[4]];
    expect(causes).toStrictEqual([first, first, second, second, hook, hook]);
    expect(new Set(causes).size).toBe(3);
  });

  it('as the last part of a tick does not lose the tick or its other parts', async () => {
    const { clock, path, seen, state, append } = await setUp();
    let isFirst = true;
    path.onSeal((tx) => {
      if (isFirst) failing((inner) => append(inner, 'broken'))(tx);
    });
    path.onSeal((tx) => {
      if (isFirst) append(tx, 'hook');
      isFirst = false;
    });
    path.transact('client', (tx) => append(tx, 'a'));
    await clock.settle();
    expect(seen.slice(0, 2)).toStrictEqual(['sent a', 'sent hook']);
    expect(state).toStrictEqual(['a', 'hook']);
  });
});

describe('a boundary', () => {
  it('[CONN-2] has every earlier change, and no later one', async () => {
    const { clock, path, seen, state, append } = await setUp();
    path.transact('client', (tx) => append(tx, 'a'));
    const captured = path.boundary(
      () => [...state],
      (found) => {
        seen.push('boundary');
        return found;
      },
    );
    path.transact('client', (tx) => append(tx, 'b'));
    await clock.settle();
    expect(await captured).toStrictEqual(['a']);
    expect(seen).toStrictEqual(['sent a', 'boundary', 'effect a', 'sent b', 'effect b']);
  });

  it('is immediate when no commit runs, even while the journal is down', async () => {
    const { journal, clock, path, append } = await setUp();
    journal.failNextCommits();
    path.transact('client', (tx) => append(tx, 'a'));
    await clock.settle();
    expect(path.isHealthy).toBe(false);
    let isReached = false;
    void path.boundary(
      () => undefined,
      () => {
        isReached = true;
      },
    );
    expect(isReached).toBe(true);
  });

  it('[CONN-2] sees the state without the changes of a failed commit before it', async () => {
    const { journal, clock, path, state, append } = await setUp();
    journal.failNextCommits();
    path.transact('client', (tx) => append(tx, 'a'));
    const captured = path.boundary(
      () => [...state],
      (found) => found,
    );
    await clock.settle();
    expect(await captured).toStrictEqual([]);
  });

  it('rejects with the error of its start', async () => {
    const { clock, path, append } = await setUp();
    path.transact('client', (tx) => append(tx, 'a'));
    const failing = path.boundary(
      () => undefined,
      () => {
        throw new Error('no');
      },
    );
    const [outcome] = await Promise.all([failing.catch((error: unknown) => error), clock.settle()]);
    expect(outcome).toStrictEqual(new Error('no'));
  });
});

describe('a failed commit', () => {
  it('rolls back its changes and all later ones, and rejects the requests', async () => {
    const { journal, clock, path, seen, state, append, keys } = await setUp();
    const gate = Promise.withResolvers<void>();
    journal.gates.beforeCommit = () => gate.promise;
    journal.failNextCommits();
    path.transact('client', (tx) => append(tx, 'a'));
    await clock.settle();
    path.transact('client', (tx) => append(tx, 'b'));
    path.seal();
    path.transact('client', (tx) => append(tx, 'c'));
    gate.resolve();
    await clock.settle();
    expect(state).toStrictEqual([]);
    expect(seen).toStrictEqual(['dropped a', 'dropped b', 'dropped c']);
    expect(keys()).toStrictEqual([]);
  });

  it('refuses clients and keeps changes of the host for later, in order', async () => {
    const { journal, clock, path, seen, state, append } = await setUp();
    journal.failNextCommits(2);
    path.transact('host', (tx) => append(tx, 'a'));
    path.transact('client', (tx) => append(tx, 'b'));
    path.transact('host', (tx) => append(tx, 'c'));
    await clock.settle();
    expect(state).toStrictEqual([]);
    expect(() => path.transact('client', (tx) => append(tx, 'd'))).toThrow(JournalUnavailable);
    path.transact('host', (tx) => append(tx, 'e'));
    expect(state).toStrictEqual([]);
    await clock.advance(1_000);
    expect(path.isHealthy).toBe(false);
    await clock.advance(1_000);
    expect(path.isHealthy).toBe(true);
    expect(state).toStrictEqual(['a', 'c', 'e']);
    expect(seen.filter((what) => what.startsWith('sent'))).toStrictEqual(['sent a', 'sent c', 'sent e']);
    expect(seen.filter((what) => what.startsWith('effect'))).toStrictEqual([
      'effect a',
      'effect c',
      'effect e',
    ]);
    path.transact('client', (tx) => append(tx, 'f'));
    await clock.settle();
    expect(seen).toContain('sent f');
  });

  it('that fails again during the retry keeps the order', async () => {
    const { journal, clock, path, state, append, keys } = await setUp();
    path.transact('host', (tx) => append(tx, 'a'));
    path.transact('host', (tx) => append(tx, 'b'));
    journal.failNextCommits();
    await clock.settle();
    let failures = 3;
    journal.gates.beforeCommit = (writes) => {
      const isProbe = writes.some((write) => write.op === 'meta' && write.key === 'probe');
      if (!isProbe && failures > 0) {
        failures -= 1;
        throw new Error('still full');
      }
    };
    await clock.advance(10_000);
    expect(state).toStrictEqual(['a', 'b']);
    expect(keys()).toStrictEqual(['a', 'b']);
  });

  it('is reported once, however often the retry fails, and its end after all waiting changes are written', async () => {
    const { journal, clock, log, path, append } = await setUp();
    const health: string[] = [];
    path.onHealth((failure) => health.push(failure === undefined ? 'well' : 'ill'));
    journal.failNextCommits();
    path.transact('host', (tx) => append(tx, 'a'));
    await clock.settle();
    let isFull = true;
    journal.gates.beforeCommit = (writes) => {
      if (isFull && writes.some((write) => write.op === 'meta' && write.key !== 'probe'))
        throw new Error('still full');
    };
    await clock.advance(10_000);
    expect(health).toStrictEqual(['ill']);
    expect(log.lines).toHaveLength(1);
    isFull = false;
    await clock.advance(1_000);
    expect(health).toStrictEqual(['ill', 'well']);
    expect(log.lines.map(({ level }) => level)).toStrictEqual(['error', 'info']);
  });

  it('is over when there is room for all that could not be written, not for less', async () => {
    const { journal, clock, path, append } = await setUp();
    let room = 0;
    journal.gates.beforeCommit = (writes) => {
      if (JSON.stringify(writes).length > room) throw new Error('full');
    };
    path.transact('host', (tx) => append(tx, 'x'.repeat(500_000)));
    await clock.settle();
    for (const bytes of [1_000, 400_000]) {
      room = bytes;
      await clock.advance(3_000);
      expect(path.isHealthy).toBe(false);
    }
    room = 2_000_000;
    await clock.advance(1_000);
    expect(path.isHealthy).toBe(true);
  });

  it('lets agents and terminals wait, and no longer than needed', async () => {
    const { journal, clock, path, append } = await setUp();
    expect(path.whenReady()).toBeUndefined();
    journal.failNextCommits();
    path.transact('client', (tx) => append(tx, 'a'));
    await clock.settle();
    let isReady = false;
    void path.whenReady()?.then(() => {
      isReady = true;
    });
    await clock.settle();
    expect(isReady).toBe(false);
    await clock.advance(1_000);
    expect(isReady).toBe(true);
  });

  it('still sends answers that need no number', async () => {
    const { journal, clock, sequencer, path, seen, append, note } = await setUp();
    journal.gates.beforeReserve = () => {
      throw new Error('full');
    };
    sequencer.next();
    path.transact('client', (tx) => append(tx, 'a'));
    await clock.settle();
    path.send(note('read'));
    path.sendNumbered(note('numbered'));
    expect(seen).toStrictEqual(['dropped a', 'read']);
  });
});

describe('the end', () => {
  it('drains first and accepts no later change', async () => {
    const { clock, path, seen, state, append } = await setUp();
    path.transact('host', (tx) => append(tx, 'a'));
    const stopped = path.stop();
    await clock.settle();
    await stopped;
    expect(seen).toContain('sent a');
    path.transact('host', (tx) => append(tx, 'b'));
    path.transact('client', (tx) => append(tx, 'c'));
    expect(state).toStrictEqual(['a']);
  });

  it('does not wait for a journal that cannot be written, and leaves no timer', async () => {
    const { journal, clock, path, append } = await setUp();
    journal.failNextCommits();
    path.transact('client', (tx) => append(tx, 'a'));
    await clock.settle();
    const ready = path.whenReady();
    await path.stop();
    await ready;
    expect(clock.timerCount).toBe(0);
  });
});
