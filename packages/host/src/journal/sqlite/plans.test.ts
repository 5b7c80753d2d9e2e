import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test, vi } from 'vitest';
import { SqliteJournal } from './sqlite-journal.ts';
import { exposeWords } from './word-index.ts';

/** Small tables that queries may read completely. */
const wholeTables = ['open_channels', 'processes', 'unindexed'];

test('no statement of the journal scans a table', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'agenthost-plans-'));
  const prepare = vi.spyOn(DatabaseSync.prototype, 'prepare');
  const journal = new SqliteJournal({ folder });
  await journal.open();
  const after = { modifiedAt: '2026-01-01T00:00:00.000Z', uri: 's' };
  await journal.commit([
    { op: 'channel', uri: 'c', kind: 'chat', session: 's', seq: 0, state: '{}', local: '{}' },
    { op: 'local', uri: 'c', local: '{}' },
    { op: 'envelope', seq: 1, channel: 'c', time: 1, json: '{}' },
    { op: 'envelope', seq: 2, channel: 'c', time: 2, json: '{}' },
    { op: 'turn', chat: 'c', ordinal: 0, id: 't', json: '{}' },
    { op: 'copyTurns', from: 'c', to: 'copy', session: 's', count: 1 },
    { op: 'moveChat', chat: 'c', session: 't' },
    { op: 'turn', chat: 'copy', ordinal: 0, id: 'other', json: '{}' },
    {
      op: 'content',
      session: 's',
      chat: 'copy',
      turnId: 'other',
      id: 'x',
      contentType: 'text/plain',
      data: Buffer.of(1),
    },
    { op: 'dropTurns', chat: 'copy', from: 0 },
    { op: 'dropTurns', chat: 'c', from: 5 },
    { op: 'dropContents', chat: 'c', turnId: 't' },
    { op: 'session', ...after, summary: '{}' },
    { op: 'dropChannel', uri: 'd' },
    { op: 'dropSession', uri: 'd' },
    { op: 'dropClient', id: 'd' },
    { op: 'markOpen', uri: 'c' },
    { op: 'markClosed', uri: 'c' },
  ]);
  await journal.readChannel('c');
  await journal.readChannelHead('c');
  await journal.readEnvelopesAfter('c', 5, 500);
  await journal.listChannels('s');
  await journal.listOpen();
  await journal.listStale(5, 5);
  await journal.readTurns('c', { before: 5, limit: 5, maxBytes: 5 });
  await journal.hasTurnBefore('c', 5);
  await journal.findTurn('c', 't');
  await journal.findTurn('copy', 't');
  await journal.readEnvelopes(['c'], 0, 5, 500);
  await journal.findOutcome('c', 'e', 1);
  await journal.windowStats();
  await journal.findTrimPoint({ maxBytes: 2, minTime: 2 });
  await journal.listSessions({ limit: 5 });
  await journal.listSessions({ limit: 5, after });
  await journal.readClient('c');
  await journal.listClients({ limit: 5 });
  await journal.listClients({ limit: 5, after: { seenAt: 5, id: 'c' } });
  await journal.readContent('c');
  await journal.readMeta('c');
  await journal.diskUse('s');
  await journal.search('word "a phrase" begin', { limit: 5 });
  await journal.search('be', { limit: 5 });
  await journal.fillIndex(1);
  await journal.trim(1, 5);
  await journal.close();
  const statements = new Set(
    prepare.mock.calls.map(([sql]) => sql).filter((sql) => !/^(PRAGMA|BEGIN|COMMIT|\/\* once)/.test(sql)),
  );
  prepare.mockRestore();

  const database = new DatabaseSync(join(folder, 'journal.db'));
  exposeWords(database);
  const walks = [...statements].flatMap((sql) => {
    // With a limit and without conditions or sorting a scan ends after the first rows, whatever the size of the table.
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
    const steps = plan.map((step) => String(step.detail));
    const isSorted = steps.some((step) => step.includes('TEMP B-TREE'));
    const isBounded = /LIMIT/.test(sql) && !/WHERE/.test(sql) && !isSorted;
    // 1537 stands for a range of words.
    const scans = steps.filter((step) =>
      /^SCAN (?!CONSTANT|temp\.word_places VIRTUAL TABLE INDEX 1537:|words VIRTUAL TABLE INDEX \d+:(?:=|M)|\(subquery|json_each|sqlite_schema)/.test(
        step,
      ),
    );
    const isMeant = scans.every((step) => wholeTables.includes(step.split(' ')[1] ?? ''));
    // An index on the chat alone would scan all turns of a long chat.
    if (/WHERE chat = \? AND id = \?/.test(sql) && !steps.join().includes('chat=? AND id=?'))
      return [{ sql, steps }];
    // An index on the chat alone would scan all contents of a chat.
    if (/FROM contents WHERE chat = \S+ AND turn/.test(sql) && !steps.join().includes('chat=? AND turn=?'))
      return [{ sql, steps }];
    return scans.length === 0 || isBounded || isMeant ? [] : [{ sql, steps }];
  });
  database.close();
  rmSync(folder, { recursive: true, force: true });
  expect(statements.size).toBeGreaterThan(30);
  expect(walks).toEqual([]);
});
