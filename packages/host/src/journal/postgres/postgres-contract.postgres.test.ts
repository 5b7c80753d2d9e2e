import { afterAll, beforeAll, describe } from 'vitest';
import { journalContract } from '../contract/journal-contract.ts';
import { PostgresJournal } from './postgres-journal.ts';
import { findPrograms, TestServer } from './postgres-server-fixture.ts';

const programs = findPrograms();

describe.skipIf(programs === undefined)(
  'PostgreSQL (needs initdb in PATH or /usr/lib/postgresql/*/bin)',
  () => {
    let server: TestServer;
    let count = 0;

    beforeAll(async () => {
      if (programs !== undefined) server = await TestServer.start(programs);
    });
    afterAll(() => server?.stop());

    journalContract('PostgresJournal', () => {
      count += 1;
      const cell = `cell ${count}`;
      return {
        create: () => new PostgresJournal({ url: server.url, cell, waitMs: 0 }),
        dispose: () => undefined,
      };
    });
  },
);
