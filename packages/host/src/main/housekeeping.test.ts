import { statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startHost } from '../../test/host-fixture.ts';
import { SqliteJournal } from '../journal/sqlite/sqlite-journal.ts';

it('the space of a disposed session is freed within seconds', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'agenthost-space-'));
  try {
    const host = await startHost({ journal: new SqliteJournal({ folder }) });
    const client = await host.client();
    const { session, chat } = await host.session(client);
    const { sync } = host.host.core;
    const committed = sync.commitRows([
      { op: 'turn', chat, ordinal: 0, id: 't', json: JSON.stringify('x'.repeat(8_000_000)) },
    ]);
    await host.run();
    await committed;
    await client.request('disposeSession', { channel: session });
    await host.run();
    await host.advance(5_000);
    const size = (name: string): number => statSync(join(folder, name)).size;
    expect(size('journal.db') + size('journal.db-wal')).toBeLessThan(1_000_000);
    await host.stop();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

it('[CONN-7] a client is remembered for a week after it was last connected', async () => {
  const host = await startHost();
  const gone = await host.client('gone');
  const here = await host.client('here');
  const dayMs = 24 * 60 * 60_000;
  const known = (): string[] => [...host.journal.disk.clients.keys()].toSorted();
  await host.advance(3 * dayMs);
  gone.link.cut();
  await host.advance(6.9 * dayMs);
  expect(known()).toStrictEqual(['gone', 'here']);
  await host.advance(0.2 * dayMs);
  expect(known()).toStrictEqual(['here']);
  // A killed host writes no disconnection: the client counts as seen until the kill.
  await host.restart();
  await host.advance(6.9 * dayMs);
  expect(here.closed).toBeDefined();
  expect(known()).toStrictEqual(['here']);
}, 60_000);
