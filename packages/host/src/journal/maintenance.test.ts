import { beforeEach, describe, expect, test } from 'vitest';
import type { Timers } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { JournalWrite } from './journal.ts';
import { Maintenance, type MaintenanceOptions } from './maintenance.ts';
import { MemoryJournal } from './memory/memory-journal.ts';
import { findExcessTurns, findExpiredSessions } from './retention.ts';

const dayMs = 24 * 60 * 60 * 1_000;
const now = Date.parse('2026-06-30T00:00:00.000Z');

/** Timers that fire when the test says so, in order of their time. */
class ManualTimers implements Timers {
  readonly pending: { at: number; callback: () => void }[] = [];
  time = 0;

  after(delayMs: number, callback: () => void) {
    const timer = { at: this.time + delayMs, callback };
    this.pending.push(timer);
    return () => {
      const index = this.pending.indexOf(timer);
      if (index >= 0) this.pending.splice(index, 1);
    };
  }

  immediate(callback: () => void): void {
    this.after(0, callback);
  }

  /** Fires everything due within `ms`, letting promises settle in between. */
  async advance(ms: number): Promise<void> {
    const until = this.time + ms;
    for (;;) {
      for (let turns = 0; turns < 300; turns++) await Promise.resolve();
      const next = this.pending.toSorted((a, b) => a.at - b.at)[0];
      if (next === undefined || next.at > until) break;
      this.pending.splice(this.pending.indexOf(next), 1);
      this.time = next.at;
      next.callback();
    }
    this.time = until;
  }
}

let journal: MemoryJournal;
let timers: ManualTimers;
let warnings: string[];
let snapshots: string[][];
let disposed: string[];
let present: string[];

beforeEach(async () => {
  journal = new MemoryJournal();
  await journal.open();
  timers = new ManualTimers();
  warnings = [];
  snapshots = [];
  disposed = [];
  present = [];
});

function start(
  options: Partial<MaintenanceOptions> = {},
  adopt: MaintenanceOptions['clients']['adopt'] = () => [],
): Maintenance {
  const silent = () => {};
  const log: Log = {
    debug: silent,
    info: silent,
    error: silent,
    warn: (_fields, message) => void warnings.push(message),
  };
  const maintenance = new Maintenance({
    journal,
    timers,
    clock: { now: () => now },
    log,
    snapshot: async (uris) => {
      snapshots.push([...uris]);
      await journal.commit(uris.map((uri) => channel(uri, 1_000_000)));
    },
    commit: (writes) => journal.commit(writes),
    dropTurns: async (chat, keep) => {
      const [newest] = await journal.readTurns(chat, { limit: 1 });
      const to = (newest?.ordinal ?? 0) - keep + 1;
      await journal.commit([{ op: 'dropTurns', chat, from: 0, to }]);
    },
    disposeSession: async (uri) => {
      disposed.push(uri);
      await journal.commit([{ op: 'dropSession', uri }]);
    },
    clients: { refresh: async () => {}, isPresent: (id) => present.includes(id), adopt, forgotten: silent },
    ...options,
  });
  maintenance.start();
  return maintenance;
}

function channel(uri: string, seq: number, session?: string): JournalWrite {
  return {
    op: 'channel',
    uri,
    kind: 'chat',
    seq,
    state: '{}',
    local: '{}',
    ...(session !== undefined && { session }),
  };
}

function envelope(seq: number, time: number, uri = 'c1'): JournalWrite {
  return { op: 'envelope', seq, channel: uri, time, json: '{}' };
}

function session(uri: string, ageDays: number): JournalWrite {
  return { op: 'session', uri, modifiedAt: new Date(now - ageDays * dayMs).toISOString(), summary: '{}' };
}

function turns(chat: string, count: number, from = 0): JournalWrite[] {
  return Array.from({ length: count }, (_, n) => ({
    op: 'turn',
    chat,
    ordinal: from + n,
    id: `t${from + n}`,
    json: '{}',
  }));
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

async function ordinals(chat: string): Promise<number[]> {
  return (await journal.readTurns(chat, {})).map(({ ordinal }) => ordinal);
}

describe('the replay window', () => {
  test('envelopes older than a day are deleted after their channels have been snapshotted', async () => {
    await journal.commit([channel('c1', 0), channel('c2', 0), channel('c3', 2)]);
    await journal.commit([
      envelope(1, now - 2 * dayMs),
      envelope(2, now - 2 * dayMs, 'c3'),
      envelope(3, now - 10, 'c2'),
    ]);
    const maintenance = start();
    await timers.advance(59_999);
    expect(snapshots).toEqual([]);
    await timers.advance(1_001);
    expect(snapshots).toEqual([['c1']]);
    expect(await journal.windowStats()).toEqual({ bytes: 2, trimmedSeq: 2, oldestTime: now - 10 });
    await maintenance.stop();
  });

  test('it is trimmed to its byte limit in slices, with pauses between them', async () => {
    await journal.commit(Array.from({ length: 1_800 }, (_, n) => envelope(n + 1, now)));
    const maintenance = start({ window: { maxBytes: 200 } });
    await timers.advance(60_000);
    expect(await journal.windowStats()).toMatchObject({ trimmedSeq: 500 });
    await timers.advance(100);
    expect(await journal.windowStats()).toMatchObject({ bytes: 200, trimmedSeq: 1_700 });
    await maintenance.stop();
  });

  test('many stale channels are snapshotted batch by batch', async () => {
    const uris = Array.from({ length: 120 }, (_, n) => `c${n}`);
    await journal.commit(uris.flatMap((uri, n) => [channel(uri, 0), envelope(n + 1, 0, uri)]));
    const maintenance = start();
    await timers.advance(61_000);
    expect(snapshots.map((batch) => batch.length)).toEqual([50, 50, 20]);
    expect(await journal.windowStats()).toMatchObject({ bytes: 0, trimmedSeq: 120 });
    await maintenance.stop();
  });

  test('a channel that is not snapshotted keeps its envelopes, and that is logged', async () => {
    await journal.commit([channel('c1', 0), envelope(1, 0, 'free'), envelope(2, 0)]);
    const maintenance = start({ snapshot: async () => {} });
    await timers.advance(61_000);
    expect(await journal.windowStats()).toMatchObject({ trimmedSeq: 1 });
    expect(warnings).toEqual([expect.stringContaining('their envelopes stay')]);
    await maintenance.stop();
  });

  test('a failure is logged, and the next interval tries again', async () => {
    await journal.commit([channel('c1', 0), envelope(1, 0)]);
    let failures = 1;
    const maintenance = start({
      snapshot: async (uris) => {
        if (failures-- > 0) throw new Error('disk full');
        await journal.commit(uris.map((uri) => channel(uri, 9)));
      },
    });
    await timers.advance(61_000);
    expect(warnings).toHaveLength(1);
    expect(await journal.windowStats()).toMatchObject({ trimmedSeq: 0 });
    await timers.advance(60_000);
    expect(await journal.windowStats()).toMatchObject({ trimmedSeq: 1 });
    await maintenance.stop();
  });

  test('a stop during a run ends it after the current slice and leaves no timer', async () => {
    await journal.commit(Array.from({ length: 1_800 }, (_, n) => envelope(n + 1, 0)));
    const maintenance = start();
    await timers.advance(60_000);
    await maintenance.stop();
    expect(await journal.windowStats()).toMatchObject({ trimmedSeq: 500 });
    for (let settle = 0; settle < 50; settle++) await Promise.resolve();
    expect(timers.pending).toEqual([]);
  });
});

describe('remembered clients', () => {
  const client = (id: string, ageDays: number): JournalWrite => ({
    op: 'client',
    id,
    tokenHash: 'h',
    version: '1.0.0',
    lastClientSeq: -1,
    subscriptions: '[]',
    seenAt: now - ageDays * dayMs,
  });

  const remembered = async (): Promise<string[]> =>
    (await journal.listClients({ limit: 10 })).map(({ id }) => id);

  test('clients that have not connected for a week are forgotten in slices, except connected ones', async () => {
    await journal.commit(Array.from({ length: 450 }, (_, n) => client(`old${n}`, 8)));
    await journal.commit([client('young', 6.9), client('here', 9)]);
    present = ['here'];
    const commits: number[] = [];
    const maintenance = start({
      commit: async (writes) => {
        commits.push(writes.length);
        await journal.commit(writes);
      },
    });
    await timers.advance(61_000);
    expect(commits).toEqual([199, 200, 51]);
    expect(await remembered()).toEqual(['here', 'young']);
    await maintenance.stop();
  });

  test('forgettable clients of earlier starts are reported once, the longest away first, and are deleted beyond the limit', async () => {
    const acted = { op: 'client', id: 'acted', tokenHash: 'h', version: '1.0.0', lastClientSeq: 1 } as const;
    await journal.commit([
      ...Array.from({ length: 450 }, (_, n) => client(`c${n}`, 6 - n / 1_000)),
      { ...acted, subscriptions: '[]', seenAt: now },
    ]);
    present = ['c1'];
    const adopted: string[][] = [];
    const maintenance = start({}, (found) => {
      adopted.push(found.map(({ id }) => id));
      return found.slice(0, -2).map(({ id }) => id);
    });
    await timers.advance(61_000);
    expect(adopted.map(({ length }) => length)).toEqual([449]);
    expect(adopted[0]?.slice(0, 3)).toEqual(['c0', 'c2', 'c3']);
    expect(await remembered()).toEqual(['c1', 'c448', 'c449', 'acted']);
    await timers.advance(3_700_000);
    expect(adopted).toHaveLength(1);
    await maintenance.stop();
  });

  test('with a longer replay window they are remembered as long as that', async () => {
    await journal.commit([client('a', 20), client('b', 31)]);
    const maintenance = start({ window: { maxAgeMs: 30 * dayMs } });
    await timers.advance(61_000);
    expect(await remembered()).toEqual(['a']);
    await maintenance.stop();
  });
});

describe('retention', () => {
  test('by default nothing is deleted', async () => {
    await journal.commit([session('s1', 10_000), channel('c1', 0, 's1'), ...turns('c1', 500)]);
    const maintenance = start();
    await timers.advance(2 * 60 * 60 * 1_000);
    expect(await ordinals('c1')).toHaveLength(500);
    expect(disposed).toEqual([]);
    await maintenance.stop();
  });

  test('each chat keeps its newest turns, with any number of sessions', async () => {
    const uris = Array.from({ length: 230 }, (_, n) => `s${n}`);
    await journal.commit(uris.map((uri) => session(uri, 1)));
    await journal.commit([
      channel('c1', 0, 's0'),
      channel('c2', 0, 's0'),
      channel('c3', 0, 's229'),
      ...turns('c1', 10),
      ...turns('c2', 3),
      ...turns('c3', 4),
    ]);
    const maintenance = start({ retention: { turnsPerChat: 3 } });
    await timers.advance(61_000);
    expect([await ordinals('c1'), await ordinals('c2'), await ordinals('c3')]).toEqual([
      [7, 8, 9],
      [0, 1, 2],
      [1, 2, 3],
    ]);
    await maintenance.stop();
  });

  test('a chat within its limit loses no turn', async () => {
    await journal.commit([session('s1', 1), channel('c1', 0, 's1'), ...turns('c1', 3, 40)]);
    for await (const chats of findExcessTurns(journal, { turnsPerChat: 3 })) expect(chats).toEqual([]);
    expect(await collect(findExcessTurns(journal, { turnsPerChat: 2 }))).toEqual([['c1']]);
  });

  test('sessions without a change for longer than the limit are disposed of, and the others stay', async () => {
    await journal.commit([session('old', 31), session('exact', 30), session('young', 29)]);
    expect(await collect(findExpiredSessions(journal, { maxAgeDays: 30 }, now))).toEqual(['exact', 'old']);
    const maintenance = start({ retention: { maxAgeDays: 30 } });
    await timers.advance(61_000);
    expect(disposed).toEqual(['exact', 'old']);
    await maintenance.stop();
  });

  test('the policy is applied once an hour, not at each run of maintenance', async () => {
    const maintenance = start({ retention: { maxAgeDays: 30 } });
    await timers.advance(61_000);
    await journal.commit([session('old', 31)]);
    await timers.advance(600_000);
    expect(disposed).toEqual([]);
    await maintenance.stop();
  });

  test('freed space is returned after deletes, slice by slice', async () => {
    let slices = 3;
    const asked: number[] = [];
    journal.compact = async (maxPages?: number) => {
      asked.push(maxPages ?? 0);
      return --slices > 0;
    };
    const maintenance = start();
    await timers.advance(61_000);
    expect(asked).toEqual([]);
    maintenance.requestCompaction();
    maintenance.requestCompaction();
    await timers.advance(999);
    expect(asked).toEqual([]);
    await timers.advance(100);
    expect(asked).toEqual([64, 64, 64]);
    await timers.advance(61_000);
    expect(asked).toHaveLength(3);
    maintenance.requestCompaction();
    await maintenance.stop();
    maintenance.requestCompaction();
    expect(timers.pending).toEqual([]);
  });
});
