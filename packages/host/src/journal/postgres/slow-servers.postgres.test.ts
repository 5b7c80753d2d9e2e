import { describe, expect, test } from 'vitest';
import { findPrograms, type TestServer } from './postgres-server-fixture.ts';
import { TcpProxy } from './tcp-proxy-fixture.ts';
import { envelope, paused, type TestCells, useServer } from './test-cells-fixture.ts';

const programs = findPrograms();
const chat = 'ahp-chat:/c1';
const session = 'ahp-session:/s1';

describe.skipIf(programs === undefined)('slow and silent servers', () => {
  let server: TestServer;
  let cells: TestCells;

  useServer(programs, (...started) => {
    [server, cells] = started;
  });

  test('slow reads delay no commit, and see only the commits before their call', async () => {
    const journal = cells.create({ statementMs: 120_000 });
    await journal.open();
    await journal.commit([
      { op: 'session', uri: session, modifiedAt: '2026-01-01T00:00:00.000Z', summary: '{}' },
      { op: 'channel', uri: chat, kind: 'chat', session, seq: 0, state: '{}', local: '{}' },
      envelope(1),
    ]);
    const before = await journal.diskUse(session);
    const blocker = await cells.connect();
    // Reads of sizes wait for this lock, and commits of envelopes do not.
    await blocker.execute('BEGIN; LOCK TABLE agenthost.contents IN ACCESS EXCLUSIVE MODE');
    const slow = [1, 2, 3].map(() => journal.diskUse(session));
    for (let seq = 2; seq <= 20; seq += 1) await journal.commit([envelope(seq)]);
    const during = journal.readEnvelopesAfter(chat, 0, 1e9);
    await journal.commit([envelope(21)]);
    // The idle limit of a transaction that writes, which no commit met.
    await blocker.query('SELECT pg_sleep(3.5)');
    await journal.commit([envelope(22)]);
    await blocker.execute('COMMIT');
    expect(await Promise.all(slow)).toEqual([before, before, before]);
    expect(await during).toHaveLength(20);
    expect(await journal.readEnvelopesAfter(chat, 0, 1e9)).toHaveLength(22);
  });

  test('a journal closes while reads wait: each gets an error', async () => {
    const journal = cells.create({ statementMs: 120_000 });
    await journal.open();
    const blocker = await cells.connect();
    await blocker.execute('BEGIN; LOCK TABLE agenthost.clients IN ACCESS EXCLUSIVE MODE');
    const reads = Promise.allSettled([1, 2, 3, 4, 5, 6].map(() => journal.readClient('a')));
    await journal.close();
    expect((await reads).map(({ status }) => status)).toEqual(Array(6).fill('rejected'));
  });

  test('a server that answers nothing: commits reject, reads too, the journal is given up, and closes', async () => {
    const proxy = await TcpProxy.start(server.socket);
    try {
      const lost: string[] = [];
      const settings = { url: proxy.url, statementMs: 1_500, leaseMs: 60_000 };
      const journal = cells.create({ ...settings, onLost: ({ code }) => void lost.push(code) });
      await journal.open();
      await journal.commit([envelope(1)]);
      proxy.freeze();
      const outcomes = Promise.allSettled([journal.commit([envelope(2)]), journal.readMeta('k')]);
      expect(await outcomes).toMatchObject([
        { reason: { code: 'unreachable' } },
        { reason: { code: 'unreachable' } },
      ]);
      proxy.thaw();
      await expect
        .poll(() => journal.commit([envelope(3)]).then(() => 'done', String), { timeout: 30_000 })
        .toBe('done');
      expect(lost).toEqual([]);
      await journal.close();

      const silent = cells.create({
        ...settings,
        leaseMs: 900,
        giveUpMs: 3_000,
        onLost: ({ code, message }) => void lost.push(code, message.replace(/,.*/, '')),
      });
      await silent.open();
      proxy.freeze();
      const told = ['lost', 'PostgreSQL did not answer for 3 s'];
      await expect.poll(() => lost, { timeout: 60_000 }).toEqual(told);
      await expect(silent.commit([envelope(4)])).rejects.toMatchObject({ code: 'lost' });
      await silent.close();
    } finally {
      await proxy.stop();
    }
  }, 120_000);

  test('a host whose lease ended reads out nothing of the next host', async () => {
    const stalled = cells.create({ leaseMs: 50, timers: paused });
    await stalled.open();
    await stalled.commit([{ op: 'meta', key: 'k', value: 'old' }]);
    // No other host has taken the cell: the read renews the lease.
    const admin = await cells.connect();
    await admin.query('SELECT pg_sleep(0.1)');
    expect(await stalled.readMeta('k')).toBe('old');
    const next = cells.create({ waitMs: Number.POSITIVE_INFINITY });
    await next.open();
    await next.commit([{ op: 'meta', key: 'k', value: 'new' }]);
    await expect(stalled.readMeta('k')).rejects.toMatchObject({ code: 'lost' });
  });

  test('a commit extends the lease, and a slow one extends it again at its end', async () => {
    const journal = cells.create({ timers: paused, statementMs: 60_000 });
    await journal.open();
    const admin = await cells.connect();
    await cells.ofCell(admin, 'UPDATE agenthost.cells SET expires_at = clock_timestamp() WHERE name = $1');
    await journal.commit([{ op: 'meta', key: 'k', value: '1' }]);
    await expect(cells.create().open()).rejects.toMatchObject({ code: 'locked' });
    const blocker = await cells.connect();
    await blocker.execute(`BEGIN; UPDATE agenthost.meta SET value = 'held'`);
    const slow = journal.commit([{ op: 'meta', key: 'k', value: '2' }]);
    await expect
      .poll(
        async () =>
          Number(
            await cells.ofCell(
              admin,
              `SELECT count(*) AS count FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND application_name = 'agenthost ' || $1`,
            ),
          ),
        { timeout: 30_000 },
      )
      .toBe(1);
    await admin.query('SELECT pg_sleep(1.5)');
    const { rows } = await admin.query('SELECT extract(epoch FROM clock_timestamp())::float8 AS now');
    await blocker.execute('ROLLBACK');
    await slow;
    const expiry = await cells.ofCell(
      admin,
      'SELECT extract(epoch FROM expires_at)::float8 AS expiry FROM agenthost.cells WHERE name = $1',
    );
    expect(Number(expiry)).toBeGreaterThan(Number(rows[0]?.['now']) + 6);
  });

  test('hosts that wait for a cell write nothing and lock nothing', async () => {
    const holder = cells.create();
    await holder.open();
    const admin = await cells.connect();
    const rows = 'SELECT max(id) AS id FROM agenthost.cells WHERE $1 <> $$$$';
    const before = Number(await cells.ofCell(admin, rows));
    const blocker = await cells.connect();
    await blocker.execute('BEGIN; SELECT 1 FROM agenthost.cells FOR UPDATE');
    for (let n = 0; n < 3; n += 1)
      await expect(cells.create({ statementMs: 60_000 }).open()).rejects.toMatchObject({ code: 'locked' });
    await blocker.execute('COMMIT');
    await cells.create({ cell: 'another' }).open();
    expect(await cells.ofCell(admin, rows)).toBe(before + 1);
  });

  test('an upgrade waits for a reader of the tables, and the other hosts commit meanwhile', async () => {
    const admin = await cells.connect();
    await admin.query('CREATE DATABASE upgraded');
    const url = server.urlOf('upgraded');
    const running = cells.create({ url, leaseMs: 60_000, timers: paused });
    await running.open();
    const reader = await cells.connect(url);
    await reader.execute(
      `ALTER TABLE agenthost.cells DROP COLUMN announced; DROP INDEX agenthost.sessions_of_all;
       UPDATE agenthost.version SET version = 1`,
    );
    await reader.execute('BEGIN; LOCK TABLE agenthost.cells IN ACCESS SHARE MODE');
    const waits: string[] = [];
    const next = cells.create({ url, cell: 'another', onWait: (line) => void waits.push(line) });
    const opening = next.open();
    const isQueued = `SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted AND mode = 'AccessExclusiveLock' AND $1 <> '')`;
    await expect.poll(() => cells.ofCell(admin, isQueued), { interval: 20 }).toBe(true);
    await running.commit([envelope(1)]);
    await expect
      .poll(() => waits)
      .toEqual([expect.stringMatching(/ need an upgrade, and agenthost admin \(process \d+ /)]);
    await reader.execute('COMMIT');
    await opening;
  }, 60_000);

  test('a standby waits for a server that does not run, and outlives a restart of it', async () => {
    await server.kill();
    await expect(cells.create().open()).rejects.toMatchObject({ code: 'unreachable' });
    const waits: string[] = [];
    const wait = { waitMs: Number.POSITIVE_INFINITY, onWait: (line: string) => void waits.push(line) };
    const standby = cells.create(wait);
    const opening = standby.open();
    await expect.poll(() => waits, { timeout: 30_000 }).toHaveLength(1);
    await server.start();
    await opening;
    const second = cells.create(wait);
    const taking = second.open();
    await expect.poll(() => waits, { timeout: 30_000 }).toHaveLength(2);
    await server.kill();
    await expect.poll(() => waits, { timeout: 30_000 }).toHaveLength(3);
    await server.start();
    await standby.close();
    await taking;
    const reasons = waits.map((line) => /^(?:no answer|cell .* is in use)/.exec(line)?.[0].slice(0, 4));
    // A slow machine may ask once more before the first host has closed its cell.
    expect([reasons.slice(0, 3), reasons.slice(3)]).toEqual([
      ['no a', 'cell', 'no a'],
      reasons.length > 3 ? ['cell'] : [],
    ]);
  }, 120_000);
});
