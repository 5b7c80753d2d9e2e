import { afterAll, beforeAll, describe, test } from 'vitest';
import { journalContract } from '../contract/journal-contract.ts';
import { PostgresJournal } from './postgres-journal.ts';
import { findPrograms, TestServer } from './postgres-server-fixture.ts';

const programs = findPrograms();

if (programs === undefined) {
  test.skip('PostgreSQL is not installed: `initdb` is neither in PATH nor in /usr/lib/postgresql/*/bin', () => {});
} else {
  let server: TestServer;
  let count = 0;

  beforeAll(async () => {
    server = await TestServer.start(programs);
  });
  afterAll(() => server.stop());

  describe('with a real server', () => {
    journalContract('PostgresJournal', () => {
      const cell = `cell ${(count += 1)}`;
      return {
        create: () => new PostgresJournal({ url: server.url, cell, waitMs: 0 }),
        dispose: () => undefined,
      };
    });
  });
}
