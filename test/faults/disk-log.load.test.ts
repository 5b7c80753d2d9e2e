import { existsSync } from 'node:fs';
import { rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { agree } from '../agree.ts';
import { quickly } from '../terminals/stage.ts';
import { clientOf, hostOn, temporaryFolder } from './stage.ts';

/** Size of a page in the log, with its header. */
const FRAME_BYTES = 24 + 4_096;

describe('the log of the database, truncated while no host runs', () => {
  test.each([
    {
      where: 'in its last frame',
      cut: async (log: string) => truncate(log, (await stat(log)).size - 100),
      title: 'first',
    },
    {
      where: 'in the middle',
      cut: async (log: string) =>
        truncate(log, 32 + FRAME_BYTES * Math.floor((await stat(log)).size / FRAME_BYTES / 2)),
    },
    { where: 'behind its header', cut: (log: string) => truncate(log, 32) },
    { where: 'to nothing', cut: (log: string) => truncate(log, 0) },
    { where: 'away, all of it', cut: (log: string) => rm(log) },
  ])(
    '[CONN-4] [CONN-5] $where: the host starts without the lost part, and clients that saw it follow the host',
    async ({ cut, title }) => {
      const folder = await temporaryFolder();
      const dataDir = join(folder, 'data');
      const host = hostOn(dataDir, folder);
      await host.start();
      const before = await clientOf(host, 'before');
      const kept = await before.sessions.create({ provider: 'demo' });
      await kept.prompt(quickly('say kept')).result;
      const keptTurn = kept.chat.mirror.confirmed.turns[0];
      before.close();
      // An orderly stop moves everything into the database itself.
      await host.stop();
      await host.start();
      const client = await clientOf(host, 'client');
      const session = await client.sessions.open(kept.uri);
      await session.prompt(quickly('say more')).result;
      await session.rename('first');
      await session.rename('last');
      const lastSeen = session.mirror.reflectedSeq;
      await host.kill();
      await cut(join(dataDir, 'journal.db-wal'));
      await host.start();
      await client.whenOnline();
      await client.ping();
      const late = await clientOf(host, 'late');
      const reopened = await late.sessions.open(kept.uri);
      expect(reopened.chat.mirror.confirmed.turns[0]).toEqual(keptTurn);
      if (title !== undefined) expect(reopened.mirror.confirmed.title).toBe(title);
      expect(reopened.mirror.confirmed.title).not.toBe('last');
      await agree(session.mirror, reopened.mirror);
      await agree(session.chat.mirror, reopened.chat.mirror);
      expect(await session.rename('again')).toMatchObject({ outcome: 'accepted' });
      expect(session.mirror.reflectedSeq).toBeGreaterThan(lastSeen);
      expect(host.errors).not.toContain('damaged');
      expect(existsSync(join(dataDir, 'journal.db.suspect'))).toBe(false);
    },
    60_000,
  );
});
