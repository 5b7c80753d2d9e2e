import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SeededRandom } from '@agenthost/testkit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { channel, chat, session, turn } from '../contract/rows.ts';
import type { Journal, JournalWrite } from '../journal.ts';
import { MemoryJournal } from '../memory/memory-journal.ts';
import { migrations } from './migrations.ts';
import { SqliteJournal } from './sqlite-journal.ts';

let folder: string;
let opened: Journal[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agenthost-turns-'));
  opened = [];
});

afterEach(async () => {
  for (const journal of opened) await journal.close();
  rmSync(folder, { recursive: true, force: true });
});

async function open(journal: Journal): Promise<Journal> {
  await journal.open();
  opened.push(journal);
  return journal;
}

/** The chats of three sessions. */
const sessions = { s1: ['a', 'b'], s2: ['c', 'd'], s3: ['e'] } as const;
const chats = Object.values(sessions).flat();
type Chat = (typeof chats)[number];

/** Histories as a host writes them: turns are appended, with the contents that they collected while they ran. */
class Histories {
  readonly #random: SeededRandom;
  readonly #active = new Map<Chat, string>();
  readonly contents: string[] = [];
  #count = 0;

  constructor(seed: number) {
    this.#random = new SeededRandom(seed);
  }

  async next(journal: Journal): Promise<JournalWrite[]> {
    const random = this.#random;
    const at = random.pick(chats);
    const of = sessionOf(at);
    const [newest] = await journal.readTurns(at, { limit: 1 });
    const count = newest === undefined ? 0 : newest.ordinal + 1;
    const active = this.#active.get(at) ?? `t${++this.#count}`;
    this.#active.set(at, active);
    const kind = random.weighted({
      content: 4,
      turn: 8,
      cut: 2,
      drop: 1,
      retain: 1,
      copy: 4,
      delete: 1,
      dispose: 1,
    });
    switch (kind) {
      case 'content': {
        const id = `x${++this.#count}`;
        this.contents.push(id);
        const data = Buffer.from(id);
        return [
          { op: 'content', session: of, chat: at, turnId: active, id, contentType: 'text/plain', data },
        ];
      }
      case 'turn':
        this.#active.delete(at);
        return [{ op: 'turn', chat: at, ordinal: count, id: active, json: `{"of":"${at}${this.#count}"}` }];
      case 'cut':
        this.#active.delete(at);
        return [
          { op: 'dropTurns', chat: at, from: random.between(0, count) },
          { op: 'dropContents', chat: at, turnId: active },
        ];
      case 'drop':
        this.#active.delete(at);
        return [{ op: 'dropContents', chat: at, turnId: active }];
      case 'retain':
        // Retention drops the oldest turns, and never all of them.
        return [{ op: 'dropTurns', chat: at, from: 0, to: random.between(0, Math.max(0, count - 1)) }];
      case 'copy': {
        const to = random.pick(chats);
        if (to !== at) this.#active.delete(to);
        return [
          { op: 'copyTurns', from: at, to, session: sessionOf(to), count: random.between(0, count + 1) },
        ];
      }
      case 'delete':
        this.#active.delete(at);
        return [{ op: 'dropChannel', uri: at }, rowOf(at)];
      case 'dispose': {
        const own = chats.filter((each) => sessionOf(each) === of);
        for (const each of own) this.#active.delete(each);
        const drops: JournalWrite[] = own.map((uri) => ({ op: 'dropChannel', uri }));
        drops.splice(random.between(0, drops.length), 0, { op: 'dropSession', uri: of });
        return [...drops, ...own.map(rowOf)];
      }
      default:
        throw new Error(kind satisfies never);
    }
  }
}

function sessionOf(of: Chat): string {
  return Object.entries(sessions).find(([, own]) => own.some((each) => each === of))?.[0] ?? '';
}

function rowOf(of: Chat): JournalWrite {
  return channel(of, 0, { session: sessionOf(of) });
}

/** A journal's answers to all queries that depend on turns and contents. */
async function answers(journal: Journal, contents: readonly string[]): Promise<unknown> {
  const reads: unknown[] = [];
  for (const each of chats) {
    const turns = await journal.readTurns(each, {});
    const found = await Promise.all(turns.map(({ id }) => journal.findTurn(each, id)));
    reads.push([each, turns, found, await journal.readTurns(each, { before: 4, limit: 2, maxBytes: 40 })]);
  }
  for (const each of Object.keys(sessions)) reads.push([each, await journal.diskUse(each)]);
  const held = await Promise.all(contents.map((id) => journal.readContent(id)));
  return [...reads, held.flatMap((each) => each?.id ?? [])];
}

test('answers with shared rows equal those of a journal in which each chat has its own, and nothing is left at the end', async () => {
  for (let seed = 1; seed <= 40; seed += 1) {
    const histories = new Histories(seed);
    const memory = await open(new MemoryJournal());
    const data = join(folder, String(seed));
    const sqlite = await open(new SqliteJournal({ folder: data }));
    const writes = chats.map(rowOf);
    for (let step = 0; step < 60; step += 1) {
      await Promise.all([sqlite.commit(writes), memory.commit(writes)]);
      const context = `seed ${seed}, step ${step}: ${JSON.stringify(writes)}`;
      expect(await answers(sqlite, histories.contents), context).toEqual(
        await answers(memory, histories.contents),
      );
      writes.splice(0, writes.length, ...(await histories.next(memory)));
    }
    await sqlite.commit(chats.map((uri) => ({ op: 'dropChannel', uri })));
    await sqlite.close();
    const database = new DatabaseSync(join(data, 'journal.db'));
    for (const table of ['turns', 'contents', 'spans']) {
      const left = database.prepare(`SELECT count(*) AS count FROM ${table}`).get();
      expect({ seed, table, ...left }).toEqual({ seed, table, count: 0 });
    }
    database.close();
  }
});

test('turns and contents of version 5 are read, copied and dropped like current ones', async () => {
  const old = await open(new SqliteJournal({ folder, migrations: migrations.slice(0, 5) }));
  await old.close();
  // As a host of that version wrote them.
  const database = new DatabaseSync(join(folder, 'journal.db'));
  for (let n = 0; n < 3; n += 1) {
    database
      .prepare('INSERT INTO turns (chat, ordinal, id, bytes, json) VALUES (?, ?, ?, ?, ?)')
      .run(chat, n, `t${n}`, 10, `{"turn":${n}}`);
    database
      .prepare(
        'INSERT INTO contents (id, session, content_type, bytes, data, chat, turn) VALUES (?, ?, ?, ?, ?, ?, ?)',
      )
      .run(`x${n}`, session, 'text/plain', 1, Buffer.from('x'), chat, `t${n}`);
  }
  database.close();
  const journal = await open(new SqliteJournal({ folder }));
  expect((await journal.readTurns(chat, {})).map(({ json }) => json)).toEqual(
    [0, 1, 2].map((n) => turn(n).json),
  );
  await journal.commit([
    channel(chat, 0, { session }),
    { op: 'copyTurns', from: chat, to: 'copy', session: 'other', count: 2 },
    { op: 'dropChannel', uri: chat },
    { op: 'dropSession', uri: session },
  ]);
  expect((await journal.readTurns('copy', {})).map(({ id }) => id)).toEqual(['t0', 't1']);
  const held = await Promise.all(['x0', 'x1', 'x2'].map((id) => journal.readContent(id)));
  expect(held.map((each) => each?.id)).toEqual(['x0', 'x1', undefined]);
});
