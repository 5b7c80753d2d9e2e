import { statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startHost } from '../../test/host-fixture.ts';
import { SqliteJournal } from '../journal/sqlite-journal.ts';

it('the space of a session that is disposed of is given back within seconds', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'agenthost-space-'));
  try {
    const host = await startHost({ journal: new SqliteJournal({ folder }) });
    const client = await host.client();
    const { session, chat } = await host.session(client);
    const { commits } = host.host.core;
    const committed = commits.commit([
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
