import { type JournalWrite, PostgresJournal } from '@agenthost/host';
import pg from 'pg';
import { alternate, type Measured } from './bar.ts';

/** Time of one run. */
const RUN_MS = 700;
const CHAT = 'ahp-chat:/bench';
/** The JSON of an envelope with a few words of an answer. */
const JSON_TEXT = JSON.stringify({
  channel: CHAT,
  serverSeq: 1_000_000,
  action: { type: 'chat/delta', turnId: crypto.randomUUID(), partId: 'p1', content: 'a few more words ' },
  'x-time': '2026-11-28T12:00:00.000Z',
});

/**
 * Commits a second of a journal, each with `size` envelopes. The baseline sends the same rows by `pg` alone, into a table with the same columns and indexes: `BEGIN`,
 * one `INSERT` and `COMMIT` in one round trip. A commit of the journal also checks the lease, and keeps a snapshot for reads.
 */
export async function compareCommits(
  url: string,
  { size, atLeast }: { readonly size: number; readonly atLeast: number },
): Promise<Measured> {
  const journal = new PostgresJournal({ url, cell: `commits-${size}` });
  await journal.open();
  const client = new pg.Client({ connectionString: url, pipeline: true });
  await client.connect();
  try {
    await client.query('DROP TABLE IF EXISTS bench_envelopes');
    await client.query('CREATE TABLE bench_envelopes (LIKE agenthost.envelopes INCLUDING ALL)');
    let seq = 0;
    const ours = await perSecond(async () => {
      const writes = Array.from({ length: size }, (): JournalWrite => {
        seq += 1;
        return { op: 'envelope', seq, channel: CHAT, time: seq, json: JSON_TEXT };
      });
      await journal.commit(writes);
    });
    let bareSeq = 0;
    const baseline = await perSecond(() => {
      const seqs = Array.from({ length: size }, () => (bareSeq += 1));
      return insert(client, seqs);
    });
    const found = await alternate(ours, baseline);
    const text = (perSecondCount: number): string => `${Math.round(perSecondCount)}/s`;
    return {
      name: `PostgreSQL: commits of ${size === 1 ? '1 envelope' : `${size} envelopes`}`,
      figure: text(found.ours),
      baseline: text(found.baseline),
      ratio: found.ratio,
      bar: { atLeast },
    };
  } finally {
    await client.end();
    await journal.close();
  }
}

/** Commits a second of many cells at once, each of one envelope, against those of one cell: the server syncs the commits of several cells together. */
export async function compareCells(url: string, count: number): Promise<Measured> {
  const cells = Array.from({ length: count }, (_, index) => ({
    journal: new PostgresJournal({ url, cell: `many-${index}` }),
    seq: 0,
  }));
  try {
    await Promise.all(cells.map(({ journal }) => journal.open()));
    const totalOf = async (some: typeof cells): Promise<() => Promise<number>> => {
      const runs = await Promise.all(
        some.map((cell) =>
          perSecond(() => {
            cell.seq += 1;
            const { journal, seq } = cell;
            return journal.commit([{ op: 'envelope', seq, channel: CHAT, time: seq, json: JSON_TEXT }]);
          }),
        ),
      );
      return async () => (await Promise.all(runs.map((run) => run()))).reduce((sum, each) => sum + each, 0);
    };
    const found = await alternate(await totalOf(cells), await totalOf(cells.slice(0, 1)));
    const text = (perSecondCount: number): string => `${Math.round(perSecondCount)}/s`;
    return {
      name: `PostgreSQL: commits of ${count} cells, against 1`,
      figure: text(found.ours),
      baseline: text(found.baseline),
      ratio: found.ratio,
      bar: { atLeast: 1 },
    };
  } finally {
    await Promise.all(cells.map(({ journal }) => journal.close()));
  }
}

/** A run that counts commits a second. Warms up once. */
async function perSecond(commit: () => Promise<unknown>): Promise<() => Promise<number>> {
  const run = async (): Promise<number> => {
    const startedAt = performance.now();
    let count = 0;
    while (performance.now() - startedAt < RUN_MS) {
      await commit();
      count += 1;
    }
    return (count * 1_000) / (performance.now() - startedAt);
  };
  await run();
  return run;
}

async function insert(client: pg.Client, seqs: readonly number[]): Promise<void> {
  const bytes = Buffer.byteLength(JSON_TEXT);
  const column = <T>(value: (seq: number) => T): T[] => seqs.map(value);
  await Promise.all([
    client.query({ name: 'begin', text: 'BEGIN' }),
    client.query({
      name: 'insert',
      text: `INSERT INTO bench_envelopes (cell, seq, time, bytes, total, channel, long_channel, origin, json)
       SELECT 1, * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::text[],
         $7::bytea[], $8::text[])`,
      values: [
        seqs,
        seqs,
        column(() => bytes),
        column((seq) => seq * bytes),
        column(() => CHAT),
        column(() => null),
        column(() => null),
        column(() => JSON_TEXT),
      ],
    }),
    client.query({ name: 'commit', text: 'COMMIT' }),
  ]);
}
