import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Connection } from './connection.ts';
import { FENCE_FAULTS, replaceFence } from './fence-faults-fixture.ts';
import { type HistoryEnd, playHistory } from './lease-history-fixture.ts';
import { PostgresJournal } from './postgres-journal.ts';
import { findPrograms, TestServer } from './postgres-server-fixture.ts';

const programs = findPrograms();

/** Histories without a fault that are played at least. */
const SEEDS = 40;
/** Histories without a fault that are played at most. What happens in one depends on the speed of the machine too. */
const MAX_SEEDS = 400;
/** Histories within which a fault must be found. */
const FAULT_SEEDS = 300;

/** A generator of numbers from 0 to 1 (mulberry32). */
function chanceOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

describe.skipIf(programs === undefined)(
  'histories of a lease (needs initdb in PATH or /usr/lib/postgresql/*/bin)',
  () => {
    let server: TestServer;
    let admin: Connection;
    let count = 0;

    const play = (seed: number): Promise<HistoryEnd> => {
      count += 1;
      return playHistory(admin, { url: server.url, cell: `history ${count}`, chance: chanceOf(seed) });
    };

    beforeAll(async () => {
      if (programs === undefined) return;
      server = await TestServer.start(programs, ['fsync=off', 'max_connections=200']);
      admin = await Connection.open({ url: server.url }, 'admin');
      // Makes the tables.
      const journal = new PostgresJournal({ url: server.url });
      await journal.open();
      await journal.close();
    }, 300_000);
    afterAll(async () => {
      await admin?.end();
      await server?.stop();
    });

    test(`two hosts never both commit, and no acknowledged envelope is lost, in ${SEEDS} histories and more`, async () => {
      const sums = { seeds: 0, takeovers: 0, acknowledged: 0, fenced: 0 };
      // With fewer of them, the histories would show nothing.
      const isEnough = (): boolean =>
        sums.seeds >= SEEDS &&
        sums.takeovers > SEEDS / 4 &&
        sums.fenced > SEEDS / 6 &&
        sums.acknowledged > SEEDS;
      while (!isEnough() && sums.seeds < MAX_SEEDS) {
        sums.seeds += 1;
        const { violations, ...counts } = await play(sums.seeds);
        expect(violations, `seed ${sums.seeds}`).toEqual([]);
        sums.takeovers += counts.takeovers;
        sums.acknowledged += counts.acknowledged;
        sums.fenced += counts.fenced;
      }
      process.stdout.write(`lease histories: ${JSON.stringify({ ...sums, lost: 0 })}\n`);
      expect(sums).toSatisfy(isEnough, 'enough happens in the histories');
    }, 300_000);

    test.each(Object.entries(FENCE_FAULTS))(
      'a fault in the fence is found: %s',
      async (title, body) => {
        const { rows } = await admin.query(`SELECT prosrc FROM pg_proc WHERE proname = 'fence'`);
        await admin.execute(replaceFence(body));
        try {
          let found: string | undefined;
          for (let seed = 1; seed <= FAULT_SEEDS && found === undefined; seed += 1) {
            const { violations } = await play(seed);
            if (violations.length > 0) found = `seed ${seed}: ${title}: ${violations[0]}`;
          }
          expect(found).toBeDefined();
          process.stdout.write(`lease histories: ${found}\n`);
        } finally {
          await admin.execute(replaceFence(String(rows[0]?.['prosrc'])));
        }
      },
      300_000,
    );
  },
);
