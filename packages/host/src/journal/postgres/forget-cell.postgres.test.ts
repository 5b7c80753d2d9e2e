import { describe, expect, test } from 'vitest';
import { countSessionsOfCell, forgetCell } from './forget-cell.ts';
import { findPrograms, type TestServer } from './postgres-server-fixture.ts';
import { envelope, type TestCells, useServer } from './test-cells-fixture.ts';

const programs = findPrograms();
const session = 'ahp-session:/s1';
const chat = 'ahp-chat:/c1';

describe.skipIf(programs === undefined)('forgetting a cell', () => {
  let server: TestServer;
  let cells: TestCells;

  useServer(programs, (...started) => {
    [server, cells] = started;
  });

  test('removes all rows of a free cell and of no other, and refuses one that a host holds', async () => {
    const other = cells.create({ cell: 'other' });
    await other.open();
    await other.commit([envelope(1)]);
    const journal = cells.create();
    await journal.open();
    await journal.commit([
      { op: 'session', uri: session, modifiedAt: '2026-01-01T00:00:00.000Z', summary: '{}' },
      { op: 'channel', uri: chat, kind: 'chat', session, seq: 0, state: '{}', local: '{}' },
      { op: 'content', id: 'c', session, contentType: 'text/plain', data: Buffer.alloc(3_000_000) },
      ...Array.from({ length: 600 }, (_, at) => envelope(at + 1)),
    ]);
    const place = { url: server.url };
    await expect(forgetCell(place, cells.name)).rejects.toThrow(/is in use by .*: stop that host first/);
    await journal.close();
    expect(await countSessionsOfCell(place, cells.name)).toBe(1);

    // A call that was interrupted after its first transaction.
    const admin = await cells.connect();
    await admin.execute(
      `INSERT INTO agenthost.cells (name) VALUES ('/forgotten 0 gone'), ('/forgotten 0 other')`,
    );
    await admin.execute(
      `INSERT INTO agenthost.meta SELECT id, 'key', '' FROM agenthost.cells WHERE name = '/forgotten 0 gone'`,
    );
    await admin.execute(
      `UPDATE agenthost.cells SET name = replace(name, ' 0 ', ' ' || id || ' ') WHERE name ~ '^/forgotten'`,
    );
    expect(await countSessionsOfCell(place, 'gone')).toBe(0);
    await expect(countSessionsOfCell(place, 'other')).rejects.toThrow(/^cell other is in use by /);
    expect(await forgetCell(place, cells.name)).toBe(1);

    const { rows: left } = await admin.query('SELECT id, name FROM agenthost.cells');
    expect(left.map(({ name }) => name)).toEqual(['other']);
    const { rows: tables } = await admin.query(
      `SELECT table_name AS name FROM information_schema.columns WHERE table_schema = 'agenthost' AND column_name = 'cell'`,
    );
    for (const { name } of tables) {
      const { rows } = await admin.query(`SELECT DISTINCT cell FROM agenthost.${String(name)}`);
      expect([left[0]?.['id']]).toEqual(expect.arrayContaining(rows.map(({ cell }) => cell)));
    }
    expect(await other.readEnvelopesAfter(chat, 0, 1e9)).toHaveLength(1);
    await expect(forgetCell(place, cells.name)).rejects.toThrow(`has no cell ${cells.name}`);
    // A host can have a new cell of the name.
    expect(await cells.create().open()).toMatchObject({ lastSeq: 0 });
  });

  test('waits for a host that is taking the cell, and then refuses', async () => {
    const journal = cells.create();
    await journal.open();
    await journal.close();
    const taking = await cells.connect();
    await taking.execute('BEGIN');
    await cells.ofCell(
      taking,
      `UPDATE agenthost.cells SET holder = 'new', expires_at = clock_timestamp() + interval '1 hour' WHERE name = $1`,
    );
    const forgotten = forgetCell({ url: server.url }, cells.name);
    const watching = await cells.connect();
    await expect
      .poll(async () => {
        const { rows } = await watching.query(
          `SELECT 1 FROM pg_stat_activity WHERE application_name = 'agenthost forget' AND wait_event_type = 'Lock'`,
        );
        return rows.length;
      })
      .toBe(1);
    await taking.execute('COMMIT');
    await expect(forgotten).rejects.toThrow('is in use by new: stop that host first');
  });
});
