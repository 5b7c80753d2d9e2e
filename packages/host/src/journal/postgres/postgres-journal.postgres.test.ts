import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { JournalWrite } from '../journal.ts';
import { Connection } from './connection.ts';
import { FENCE_FAULTS, replaceFence } from './fence-faults-fixture.ts';
import { PostgresJournal, type PostgresJournalOptions } from './postgres-journal.ts';
import { findPrograms, TestServer } from './postgres-server-fixture.ts';

const programs = findPrograms();
const chat = 'ahp-chat:/c1';

/** Timers of a host that is paused: nothing is due. */
const paused = { after: () => () => undefined, immediate: () => undefined };
const envelope = (seq: number): JournalWrite => ({
  op: 'envelope',
  seq,
  channel: chat,
  time: seq,
  json: `{"n":${seq}}`,
});

describe.skipIf(programs === undefined)(
  'PostgresJournal (needs initdb in PATH or /usr/lib/postgresql/*/bin)',
  () => {
    let server: TestServer;
    let admin: Connection | undefined;
    let opened: PostgresJournal[] = [];
    let count = 0;

    const create = (options: Partial<PostgresJournalOptions> = {}): PostgresJournal => {
      const journal = new PostgresJournal({ url: server.url, cell: `cell ${count}`, waitMs: 0, ...options });
      opened.push(journal);
      return journal;
    };
    const connected = async (): Promise<Connection> => {
      if (admin === undefined || admin.isLost) admin = await Connection.open({ url: server.url }, 'admin');
      return admin;
    };
    const query = async (sql: string): Promise<void> => (await connected()).execute(sql);
    const firstOf = async (sql: string, ...values: string[]): Promise<unknown> => {
      const { rows } = await (await connected()).query(sql, values);
      return Object.values(rows[0] ?? {})[0];
    };
    /** Cuts the connections of this test's cell. */
    const cut = (): Promise<void> =>
      query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'agenthost cell ${count}'`,
      );
    const seqsOf = async (journal: PostgresJournal): Promise<number[]> =>
      (await journal.readEnvelopesAfter(chat, 0, 1e9)).map(({ seq }) => seq);

    beforeAll(async () => {
      if (programs !== undefined) server = await TestServer.start(programs);
    });
    afterEach(async () => {
      for (const journal of opened) await journal.close();
      opened = [];
      count += 1;
    });
    afterAll(async () => {
      await admin?.end();
      await server?.stop();
    });

    describe('the lease', () => {
      test('a refusal names the holder, and a clean close gives the cell back at once', async () => {
        const first = create();
        await first.open();
        await expect(create().open()).rejects.toMatchObject({
          code: 'locked',
          message: expect.stringContaining(`(process ${process.pid})`),
        });
        await first.close();
        await create().open();
      });

      test('a host renews its lease, and another takes it within 10 s of a crash', async () => {
        const first = create({ leaseMs: 3_000 });
        await first.open();
        const expiry = async (): Promise<number> => {
          return Number(
            await firstOf(
              'SELECT extract(epoch FROM expires_at)::float8 AS expiry FROM agenthost.cells WHERE name = $1',
              `cell ${count}`,
            ),
          );
        };
        const before = await expiry();
        await expect.poll(expiry).toBeGreaterThan(before);
        await first.close();
        const crashed = create({ leaseMs: 600, timers: paused });
        await crashed.open();
        await crashed.commit([envelope(1)]);
        await cut();
        const crashedAt = performance.now();
        const waits: string[] = [];
        const next = create({
          waitMs: Number.POSITIVE_INFINITY,
          onWait: (message) => void waits.push(message),
        });
        expect(await next.open()).toMatchObject({ lastSeq: 1, mayHaveLostTail: false });
        expect(performance.now() - crashedAt).toBeLessThan(10_000);
        expect(waits.length).toBeLessThanOrEqual(1);
      });

      /** Two hosts on one cell. Resolves with the numbers that the first was told are committed and that the second does not know. */
      const unknownToSecond = async (): Promise<number[]> => {
        const failures: string[] = [];
        const first = create({ leaseMs: 50, timers: paused, onLost: ({ code }) => void failures.push(code) });
        await first.open();
        const acknowledged: number[] = [];
        const commit = (seq: number): Promise<void> =>
          first.commit([envelope(seq), { op: 'meta', key: 'k', value: String(seq) }]).then(
            () => void acknowledged.push(seq),
            () => undefined,
          );
        await commit(1);
        // Stops the next commit between its fence and its end.
        await query(
          `BEGIN; UPDATE agenthost.meta SET value = 'held' WHERE cell = (SELECT id FROM agenthost.cells WHERE name = 'cell ${count}')`,
        );
        const stopped = commit(2);
        const second = create({ waitMs: Number.POSITIVE_INFINITY });
        const taking = second.open();
        // Until the second host has taken the cell, or waits for the first one as that waits for the row.
        let isTaken = false;
        void taking.then(() => {
          isTaken = true;
        });
        const waiting = async (): Promise<number> => {
          // A transaction reads the statistics once.
          await query('SELECT pg_stat_clear_snapshot()');
          return Number(
            await firstOf(
              `SELECT count(*) AS count FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND application_name = $1`,
              `agenthost cell ${count}`,
            ),
          );
        };
        await expect.poll(async () => isTaken || (await waiting()) === 2).toBe(true);
        await query('ROLLBACK');
        await stopped;
        const { lastSeq } = await taking;
        await commit(3);
        const unknown = acknowledged.filter((seq) => seq > lastSeq);
        if (unknown.length === 0) expect(failures).toEqual(['lost']);
        await first.close();
        await second.close();
        return unknown;
      };

      test('two hosts never both commit: a host that lost its lease writes nothing more', async () => {
        expect(await unknownToSecond()).toEqual([]);
      });

      test.each(Object.entries(FENCE_FAULTS))('a fault in the fence is found: %s', async (_, body) => {
        const journal = create();
        await journal.open();
        await journal.close();
        const source = await firstOf(`SELECT prosrc FROM pg_proc WHERE proname = 'fence'`);
        await query(replaceFence(body));
        try {
          expect(await unknownToSecond()).not.toEqual([]);
        } finally {
          await query(replaceFence(String(source)));
        }
      });

      test('[CONN-4] numbers continue above the clock when the server is another or was restored', async () => {
        const first = create();
        await first.open();
        await first.reserveSeq(50);
        await first.commit([envelope(7)]);
        await first.close();
        await query(`UPDATE agenthost.cells SET server = 'another' WHERE name = 'cell ${count}'`);
        const startedAt = Date.now();
        const start = await create().open();
        expect(start).toMatchObject({ lastSeq: 7, mayHaveLostTail: true });
        expect(start.reservedSeq).toBeGreaterThan(startedAt - 60_000);
        expect(start.lost).toEqual([{ after: 7, upTo: start.reservedSeq }]);
      });
    });

    describe('failures', () => {
      test('after a cut connection the next commits are written, and none is there twice', async () => {
        const journal = create();
        await journal.open();
        await journal.commit([envelope(1)]);
        await cut();
        for (;;) {
          try {
            await journal.commit([envelope(2)]);
            break;
          } catch (error) {
            expect(error).toMatchObject({ name: 'JournalError', code: 'unreachable' });
          }
        }
        await cut();
        await expect.poll(() => seqsOf(journal).catch(() => [])).toEqual([1, 2]);
      });

      test('a server that is killed during commits keeps exactly those that resolved', async () => {
        const journal = create();
        await journal.open();
        const acknowledged: number[] = [];
        const codes = new Set<unknown>();
        let seq = 0;
        const run = { isDone: false };
        const commits = (async () => {
          while (!run.isDone) {
            seq += 1;
            try {
              await journal.commit([envelope(seq), { op: 'meta', key: 'k', value: 'x'.repeat(5_000) }]);
              acknowledged.push(seq);
            } catch (error) {
              codes.add(error instanceof Error && 'code' in error ? error.code : error);
              await new Promise((resolve) => setTimeout(resolve, 5));
            }
          }
        })();
        for (const target of [50, 200, 400]) {
          await expect.poll(() => acknowledged.length, { interval: 1 }).toBeGreaterThan(target);
          await server.kill();
          await server.start();
        }
        run.isDone = true;
        await commits;
        expect([...codes]).toEqual(['unreachable']);
        await expect.poll(() => seqsOf(journal).catch(() => [])).toEqual(acknowledged);
      }, 120_000);

      test('errors say what is wrong and what to do, and never the password', async () => {
        const journal = create();
        await journal.open();
        await journal.close();
        await query('CREATE ROLE stranger LOGIN');
        await query('CREATE DATABASE other');
        const failure = (url: string, password?: string): Promise<string> =>
          create({ url, password })
            .open()
            .then(
              () => 'open',
              (error: Error & { code?: string }) => `${error.code}: ${error.message}`,
            );
        expect(await failure('postgres://me:secret@localhost:1/x')).toMatch(
          /^unreachable: no answer from PostgreSQL at localhost:1 /,
        );
        expect(await failure(server.url.replace('/postgres?', '/nowhere?'), 'secret')).toMatch(
          /^readOnly: .* no database nowhere: create it/,
        );
        expect(
          await failure(server.url.replace('agenthost@', 'stranger@').replace('/postgres?', '/other?')),
        ).toMatch(/^readOnly: stranger lacks a permission in database other /);
        expect(await failure(server.url.replace('agenthost@', 'stranger@'))).toMatch(
          /^readOnly: stranger lacks a permission/,
        );
        expect(await failure(server.url.replace('agenthost@', 'nobody@'))).toMatch(
          /^readOnly: .* does not admit nobody/,
        );
        await query('UPDATE agenthost.version SET version = 99');
        // Tables of a newer version that this host can still use.
        const older = create();
        await older.open();
        await query('UPDATE agenthost.version SET least = 98');
        const newer = await failure(server.url);
        await cut();
        await expect
          .poll(() => older.commit([envelope(1)]).catch((error: Error) => error.message))
          .toMatch(/^a newer host changed the tables/);
        await query('UPDATE agenthost.version SET version = 2, least = 1');
        expect(newer).toMatch(
          /^newer: .* has version 99, and this host knows versions up to 2: install a newer agenthost/,
        );
      });
    });

    test('a password that is given is sent, and a missing or wrong one is told as such', async () => {
      await query("CREATE ROLE keyed LOGIN PASSWORD 'right'; GRANT CREATE ON DATABASE postgres TO keyed");
      const rules = join(server.home, 'data/pg_hba.conf');
      writeFileSync(rules, `local all keyed scram-sha-256\n${readFileSync(rules, 'utf8')}`);
      await query('SELECT pg_reload_conf()');
      const url = server.url.replace('agenthost@', 'keyed@');
      const outcome = (password?: string): Promise<string> =>
        Connection.open({ url, password }, 'keyed').then(
          (connection) => connection.end().then(() => 'open'),
          (error: Error & { code?: string }) => `${error.code}: ${error.message}`,
        );
      // The server reads its new rules a little later.
      await expect
        .poll(() => outcome(), { timeout: 60_000 })
        .toMatch(/^readOnly: PostgreSQL at .* requires a password for keyed: set AGENTHOST_JOURNAL_PASSWORD/);
      expect(await outcome('wrong')).toMatch(
        /^readOnly: PostgreSQL at .* refused the password of keyed: set/,
      );
      expect(await outcome('right')).toBe('open');
    });

    test('reads see exactly the commits that had resolved when they were called, also during a commit', async () => {
      const journal = create();
      await journal.open();
      let resolved = 0;
      const run = { isDone: false };
      const wrong: string[] = [];
      const reads: Promise<void>[] = [];
      const commits = (async () => {
        for (let n = 1; n <= 150; n += 1) {
          await journal.commit([{ op: 'meta', key: 'n', value: String(n) }]);
          resolved = n;
        }
        run.isDone = true;
      })();
      while (!run.isDone) {
        const expected = resolved;
        reads.push(
          journal.readMeta('n').then((value = '0') => {
            if (value !== String(expected)) wrong.push(`${expected}: ${value}`);
          }),
        );
        await new Promise((resolve) => setImmediate(resolve));
      }
      await Promise.all([commits, ...reads]);
      expect(reads.length).toBeGreaterThan(150);
      expect(wrong).toEqual([]);
    });

    test('each machine of a cell has its own processes: pids of another one are neither read nor dropped', async () => {
      const folders = ['a', 'b'].map((name) => join(mkdtempSync(join(tmpdir(), 'agenthost-pg-data-')), name));
      onTestFinished(() => {
        for (const folder of folders) rmSync(dirname(folder), { recursive: true, force: true });
      });
      const [first, second, again] = [0, 1, 0].map((n) => create({ dataFolder: String(folders[n]) }));
      if (first === undefined || second === undefined || again === undefined) throw new Error('no journals');
      await first.open();
      await first.commit([{ op: 'process', pid: 7, startTime: 'boot/1', command: 'one' }]);
      await first.close();
      await second.open();
      expect(await second.listProcesses()).toEqual([]);
      await second.commit([
        { op: 'process', pid: 7, startTime: 'boot/2', command: 'two' },
        { op: 'dropProcess', pid: 7 },
      ]);
      const orphans: unknown[] = [];
      const waiting = create({
        dataFolder: String(folders[0]),
        endOrphans: async ({ listProcesses, readMeta }) => {
          orphans.push(...(await listProcesses()), await readMeta('k'));
        },
      });
      await second.commit([{ op: 'meta', key: 'k', value: 'v' }]);
      await expect(waiting.open()).rejects.toMatchObject({ code: 'locked' });
      expect(orphans).toEqual([{ pid: 7, startTime: 'boot/1', command: 'one' }, 'v']);
      await second.close();
      await again.open();
      expect(await again.listProcesses()).toEqual([{ pid: 7, startTime: 'boot/1', command: 'one' }]);
    });

    test('long URIs, texts with every character and large contents come back as they were', async () => {
      const journal = create();
      await journal.open();
      const long = `ahp-session:/${'é'.repeat(16_000)}`;
      const longChat = `ahp-chat:/${'x'.repeat(16_000)}`;
      const data = Uint8Array.from({ length: 1_300_000 }, (_, index) => index % 251);
      await journal.commit([
        { op: 'session', uri: long, modifiedAt: '2026-01-01T00:00:00.000Z', summary: '{"title":"Walnut"}' },
        { op: 'channel', uri: longChat, kind: 'chat', session: long, seq: 0, state: '{}', local: '{}' },
        { op: 'markOpen', uri: longChat },
        {
          ...envelope(1),
          channel: longChat,
          origin: { clientId: '\0\u0001', epoch: 'é'.repeat(512), clientSeq: 1 },
        } as JournalWrite,
        { op: 'turn', chat: longChat, ordinal: 0, id: 't\0', json: '{"message":{"text":"walnut bread"}}' },
        { op: 'copyTurns', from: longChat, to: `${longChat}2`, session: long, count: 1 },
        {
          op: 'content',
          session: long,
          chat: longChat,
          turnId: 't\0',
          id: 'c',
          contentType: 'image/png',
          data,
        },
        { op: 'meta', key: 'k\0', value: '\0\u0001\u0001\u0002' },
      ]);
      expect(await journal.listSessions({})).toMatchObject([{ uri: long }]);
      expect(await journal.listChannels(long)).toEqual([{ uri: longChat, kind: 'chat' }]);
      expect(await journal.readChannel(longChat)).toMatchObject({ uri: longChat, session: long });
      expect(await journal.listOpen()).toEqual([longChat]);
      expect(await journal.listStale(1, 10)).toEqual([longChat]);
      expect(await journal.findOutcome('\0\u0001', 'é'.repeat(512), 1)).toMatchObject({ channel: longChat });
      expect(await journal.readTurns(`${longChat}2`, {})).toMatchObject([{ id: 't\0' }]);
      expect(await journal.readMeta('k\0')).toBe('\0\u0001\u0001\u0002');
      expect((await journal.search('walnut', { limit: 5 })).hits).toMatchObject([
        { session: { uri: long } },
        { session: { uri: long }, chat: longChat, turnId: 't\0' },
      ]);
      const content = await journal.readContent('c');
      expect(Buffer.compare(content?.data ?? new Uint8Array(), data)).toBe(0);
    });
  },
);
