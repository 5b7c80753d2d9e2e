import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { PostgresJournal } from './postgres-journal.ts';
import { findPrograms, TestServer } from './postgres-server-fixture.ts';
import { TcpProxy } from './tcp-proxy-fixture.ts';
import { envelope, type TestCells, useServer } from './test-cells-fixture.ts';

const programs = findPrograms();

/** Commits until the outcome is another than a lost connection. */
async function outcomeOf(journal: PostgresJournal, seq: number): Promise<string> {
  for (;;) {
    try {
      await journal.commit([envelope(seq)]);
      return 'committed';
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
      if (code !== 'unreachable') return code;
    }
  }
}

describe.skipIf(programs === undefined)('databases that lost the newest commits', () => {
  let server: TestServer;
  let cells: TestCells;

  useServer(programs, (...started) => {
    [server, cells] = started;
  });

  test('[CONN-4] a dump that was restored into the same server: the running host stops, and the next one continues above the clock', async () => {
    const admin = await cells.connect();
    await admin.query('CREATE DATABASE dumped');
    const url = server.urlOf('dumped');
    const lost: string[] = [];
    const running = cells.create({ url, onLost: ({ code }) => void lost.push(code) });
    await running.open();
    await running.reserveSeq(50);
    await running.commit([envelope(7)]);
    // Folding makes one word, and all words together, longer than the server's limits, which it does not check.
    const words = Array.from({ length: 2_800 }, (_, n) => `${n}${'\uFDFA'.repeat(16)}`);
    const text = `${'\uFDFA'.repeat(68)}abcdef ${words.slice(1_400).join(' ')}`;
    const responseParts = [{ kind: 'markdown', content: words.slice(0, 1_400).join(' ') }];
    const json = JSON.stringify({ id: 't1', message: { text }, responseParts });
    await running.commit([{ op: 'turn', chat: 'ahp-chat:/c1', ordinal: 0, id: 't1', json }]);
    const dump = join(server.home, 'dump.sql');
    server.run('pg_dump', '-h', server.home, '-U', 'agenthost', '-f', dump, 'dumped');
    await running.commit([envelope(8)]);
    await admin.query('DROP DATABASE dumped WITH (FORCE)');
    await admin.query('CREATE DATABASE dumped');
    server.run('psql', '-q', '-h', server.home, '-U', 'agenthost', '-d', 'dumped', '-f', dump);
    expect(await outcomeOf(running, 9)).toBe('lost');
    expect(lost).toEqual(['lost']);
    const restored = await cells.connect(url);
    const { rows } = await restored.query('SELECT id FROM agenthost.turns');
    expect(rows).toEqual([{ id: 't1' }]);
    // The lease of the dump ends.
    await cells.ofCell(restored, 'UPDATE agenthost.cells SET expires_at = NULL WHERE name = $1');
    const startedAt = Date.now();
    const start = await cells.create({ url }).open();
    expect(start).toMatchObject({ lastSeq: 7, mayHaveLostTail: true });
    expect(start.reservedSeq).toBeGreaterThan(startedAt - 60_000);
    expect(start.lost).toEqual([{ after: 7, upTo: start.reservedSeq }]);
    await restored.end();
  });

  test.each([
    { leaseMs: 60_000, at: 'commit' },
    { leaseMs: 300, at: 'renewal' },
  ])(
    '[CONN-4] rows that were set back under a running host end it at its next $at',
    async ({ leaseMs, at }) => {
      const lost: string[] = [];
      const journal = cells.create({ leaseMs, onLost: ({ message }) => void lost.push(message) });
      await journal.open();
      await journal.commit([envelope(1)]);
      await cells.ofCell(await cells.connect(), 'UPDATE agenthost.cells SET mark = mark - 1 WHERE name = $1');
      if (at === 'commit') expect(await outcomeOf(journal, 2)).toBe('lost');
      await expect.poll(() => lost, { timeout: 30_000 }).toHaveLength(1);
      await expect(journal.commit([envelope(3)])).rejects.toMatchObject({ code: 'lost' });
    },
  );

  test('[CONN-4] a standby of the database that was promoted: the running host stops, and the next one continues above the clock', async () => {
    const proxy = await TcpProxy.start(server.socket);
    const running = cells.create({ url: proxy.url });
    await running.open();
    await running.reserveSeq(50);
    await running.commit([envelope(7)]);
    const standby = await TestServer.standbyOf(server);
    const promoted = await cells.connect(standby.url);
    try {
      await expect(cells.create({ url: standby.url, cell: 'new' }).open()).rejects.toMatchObject({
        code: 'unreachable',
      });
      await promoted.query('SELECT pg_promote()');
      proxy.target = standby.socket;
      proxy.cut();
      expect(await outcomeOf(running, 8)).toBe('lost');
      await cells.ofCell(promoted, 'UPDATE agenthost.cells SET expires_at = NULL WHERE name = $1');
      // No checkpoint has written the new timeline yet.
      const next = cells.create({ url: standby.url });
      expect(await next.open()).toMatchObject({ lastSeq: 7, mayHaveLostTail: true });
      await next.close();
    } finally {
      await promoted.end();
      await running.close();
      await standby.stop();
      await proxy.stop();
    }
  });
});
