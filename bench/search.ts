import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type JournalWrite, SqliteJournal } from '@agenthost/host';
import { alternate, type Measured, median, quantile } from './bar.ts';
import { watchLoop } from './event-loop.ts';
import { benchHost, withHost } from './host.ts';
import { withFolder } from './process.ts';
import type { WireClient } from './wire.ts';

const SESSIONS = 10_000;
const TURNS_EACH = 5;
const WORDS_EACH = 100;
const VOCABULARY = 20_000;
const ROWS_A_COMMIT = 2_000;
const TIMES = 4;
/** A common word, rare words, several words, a phrase, prefixes. */
const QUERIES = ['w1', 'w7000', 'w9 w30', '"w1 w2"', 'w41', 'w3 w1'];
/** Longest time that a search may block the event loop. */
const BLOCK_MS = 20;

/**
 * `x-searchSessions` over 10,000 sessions against a LIKE scan of the same rows, and the longest time that a search blocks the event loop.
 */
export async function search(): Promise<Measured[]> {
  return withFolder(async (folder) => {
    await store(folder);
    const copy = join(folder, 'copy.db');
    await copyFile(join(folder, 'journal.db'), copy);
    const scanned = new DatabaseSync(copy);
    const blocks: number[] = [];
    return withHost(benchHost(folder), async ({ client }) => {
      const ours = (): Promise<number> => searches(client, blocks);
      const like = (): number => scan(scanned);
      await ours();
      blocks.length = 0;
      const measured = await alternate(ours, like);
      const p95 = quantile(blocks, 0.95);
      const text = (ms: number): string => `${ms.toFixed(1)} ms`;
      return [
        {
          name: `search ${SESSIONS} sessions, not a LIKE scan`,
          figure: text(measured.ours),
          baseline: text(measured.baseline),
          ratio: measured.ratio,
          bar: { atMost: 0.5 },
        },
        {
          name: 'search: longest wait for others, p95',
          figure: text(p95),
          baseline: text(BLOCK_MS),
          ratio: p95 / BLOCK_MS,
          bar: { atMost: 1 },
        },
      ];
    }).finally(() => scanned.close());
  });
}

async function searches(client: WireClient, blocks: number[]): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index < TIMES * QUERIES.length; index += 1) {
    const query = QUERIES[index % QUERIES.length] ?? '';
    const startedAt = performance.now();
    const blocked = watchLoop();
    const { items } = await client.request<{ items: unknown[] }>('x-searchSessions', {
      channel: 'ahp-root://',
      query,
    });
    times.push(performance.now() - startedAt);
    blocks.push(blocked());
    if (items.length === 0) throw new Error(`nothing was found for ${query}`);
  }
  return median(times);
}

function scan(database: DatabaseSync): number {
  const statement = database.prepare('SELECT chat, json FROM turns WHERE json LIKE ? ORDER BY key DESC');
  const times = QUERIES.slice(0, 3).map((query) => {
    const startedAt = performance.now();
    statement.all(`%${query.replaceAll(' ', '%')}%`);
    return performance.now() - startedAt;
  });
  return median(times);
}

async function store(folder: string): Promise<void> {
  const journal = new SqliteJournal({ folder });
  await journal.open();
  let rows: JournalWrite[] = [];
  for (let index = 0; index < SESSIONS; index += 1) {
    rows.push(...rowsOf(index));
    if (rows.length < ROWS_A_COMMIT && index < SESSIONS - 1) continue;
    await journal.commit(rows);
    rows = [];
  }
  while (await journal.fillIndex(50));
  await journal.close();
}

function* rowsOf(index: number): Iterable<JournalWrite> {
  const [uri, chat] = [`ahp-session:/${index}`, `ahp-chat:/${index}`];
  const modifiedAt = new Date(Date.UTC(2026, 0, 1) + index * 60_000).toISOString();
  const title = text(index, 5);
  const summary = { resource: uri, provider: 'demo', title, status: 1, createdAt: modifiedAt, modifiedAt };
  yield { op: 'session', uri, modifiedAt, summary: JSON.stringify(summary) };
  yield {
    op: 'channel',
    uri: chat,
    kind: 'chat',
    session: uri,
    seq: 0,
    state: JSON.stringify({ resource: chat, title }),
    local: '{}',
  };
  for (let ordinal = 0; ordinal < TURNS_EACH; ordinal += 1) {
    const seed = index * TURNS_EACH + ordinal;
    const json = JSON.stringify({
      id: `t${ordinal}`,
      message: { text: text(seed, 10) },
      responseParts: [{ kind: 'markdown', id: 'm', content: text(seed + 1, WORDS_EACH) }],
      state: 'complete',
    });
    yield { op: 'turn', chat, ordinal, id: `t${ordinal}`, json };
  }
}

/** Text of a few common and many rare words, the same for the same seed. */
function text(seed: number, count: number): string {
  let state = (seed * 2_654_435_761) >>> 0;
  const words = Array.from({ length: count }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return `w${Math.floor(VOCABULARY ** (state / 2 ** 32))}`;
  });
  return words.join(' ');
}
