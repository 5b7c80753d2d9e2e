import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { turnStarted } from '@agenthost/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Connection } from '../../packages/host/src/journal/postgres/connection.ts';
import {
  findPrograms,
  TestServer,
} from '../../packages/host/src/journal/postgres/postgres-server-fixture.ts';
import { canMount, smallDisk } from '../faults/stage.ts';
import { HostProcess } from '../kill/host-process.ts';
import { Witness } from '../kill/witness.ts';
import { removeFolder } from '../remove-folder.ts';

const programs = findPrograms();
const SESSION = 'ahp-session:/lasting';
const PATIENCE = { timeout: 60_000, interval: 50 };

describe.skipIf(programs === undefined)(
  'a host whose database fails (needs initdb in PATH or /usr/lib/postgresql/*/bin)',
  () => {
    let server: TestServer;
    let folder = '';
    let host: HostProcess;
    let witness: Witness;

    const execute = async (sql: string): Promise<void> => {
      const connection = await Connection.open({ url: server.url }, 'test');
      await connection.execute(sql);
      await connection.end();
    };
    /** Envelopes that the client has seen and the database does not have. */
    const lost = async (): Promise<number[]> => {
      // More may be seen while the database is read.
      const seen = witness.seen.map(({ serverSeq }) => serverSeq);
      const connection = await Connection.open({ url: server.url }, 'test');
      const { rows } = await connection.query('SELECT seq FROM agenthost.envelopes');
      await connection.end();
      const known = new Set<unknown>(rows.map(({ seq }) => seq));
      return seen.filter((seq) => !known.has(seq));
    };
    /** Starts a turn, and resolves when the client has seen some of it. */
    const begin = async (turnId: string, prompt: string): Promise<void> => {
      witness.forget();
      void witness.chat?.dispatch(turnStarted(turnId, prompt));
      await witness.until(() => witness.seen.length > 100);
    };
    /** Resolves when a turn has ended, and checks that it is whole on a client that has seen nothing of it. */
    const expectWhole = async (turnId: string): Promise<void> => {
      await witness.until(() => witness.chat?.confirmed.turns.some(({ id }) => id === turnId) === true);
      expect(witness.reconnects).toEqual(['initialize']);
      expect(await lost()).toEqual([]);
      const late = new Witness(`late ${turnId}`, () => `${host.address.wsUrl}?token=${host.address.token}`);
      await late.client.connect();
      await late.watch(SESSION);
      const [shown, own] = [late, witness].map(({ chat }) => chat?.confirmed.turns.at(-1));
      late.client.close();
      expect(shown).toMatchObject({ id: turnId, state: 'complete' });
      expect(own).toEqual(shown);
    };

    beforeAll(async () => {
      if (programs === undefined) return;
      server = await TestServer.start(programs);
      folder = mkdtempSync(join(tmpdir(), 'agenthost-failures-'));
      host = new HostProcess(join(folder, 'data'), folder, ['--no-keeper', '--journal', server.url]);
      await host.start();
      witness = new Witness('first', () => `${host.address.wsUrl}?token=${host.address.token}`);
      await witness.client.connect();
      await witness.client.request('createSession', { channel: SESSION, provider: 'demo' });
      await witness.watch(SESSION);
    }, 120_000);
    afterAll(async () => {
      witness?.client.close();
      await host?.kill();
      await server?.stop();
      if (folder !== '') await removeFolder(folder);
    }, 60_000);

    test('a database that is killed and restarted costs no envelope, and the turn goes on', async () => {
      await begin('killed', 'stream 3000 every 1');
      await server.kill();
      // In the middle of a commit, or between two.
      await expect
        .poll(() => host.errors, PATIENCE)
        .toMatch(/the host cannot save data now|waiting for the database; it is unknown/);
      expect(host.errors).toContain('no answer from PostgreSQL');
      await server.start();
      await expectWhole('killed');
    }, 180_000);

    test('cut connections cost no envelope, and the turn goes on', async () => {
      await begin('cut', 'stream 3000 every 1');
      for (let round = 0; round < 3; round += 1) {
        const before = witness.seen.length;
        await execute(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'agenthost main'`,
        );
        await witness.until(
          () =>
            witness.seen.length > before ||
            witness.chat?.confirmed.turns.some(({ id }) => id === 'cut') === true,
        );
      }
      await expectWhole('cut');
    }, 180_000);

    test.skipIf(!canMount)(
      'a full disk of the database costs no envelope, and the turn goes on when there is room',
      async () => {
        const disk = server.folder('small', (path) => smallDisk(path, '2m'));
        await execute(`CREATE TABLESPACE small LOCATION '${disk}'`);
        await execute('TRUNCATE agenthost.envelopes');
        await execute('ALTER TABLE agenthost.envelopes SET TABLESPACE small');
        await begin('full', 'stream 20000 every 0');
        await expect.poll(() => host.errors, PATIENCE).toContain('no room on the disk of PostgreSQL');
        await execute('ALTER TABLE agenthost.envelopes SET TABLESPACE pg_default');
        await expectWhole('full');
        await execute('DROP TABLESPACE small');
      },
      180_000,
    );
  },
);
