import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import type { JournalStart, JournalWrite } from '../journal.ts';
import { chat, create, file, now, useJournalFolder } from './journal-folder.ts';

useJournalFolder();

/** The highest integer that is exact in a double. No number above it can be reserved. */
const LAST = Number.MAX_SAFE_INTEGER;
const ASIDE = '.damaged-20261121T102030Z';

const envelope = (seq: number): JournalWrite => ({ op: 'envelope', seq, channel: chat, time: 1, json: '{}' });

/** A journal with numbers reserved up to 100, of which 20 are in it. */
async function fill(): Promise<void> {
  const journal = create();
  await journal.open();
  await journal.reserveSeq(100);
  await journal.commit([envelope(20)]);
  await journal.close();
}

function setInternal(key: string, value: string): void {
  const database = new DatabaseSync(file('journal.db'));
  database.prepare('INSERT OR REPLACE INTO internal VALUES (?, ?)').run(key, value);
  database.close();
}

/** Opens the journal, reserves and writes above its last number, and opens it again. Both starts work, and the second finds no fault. */
async function startAndGoOn(): Promise<JournalStart> {
  const journal = create();
  const start = await journal.open();
  await journal.reserveSeq(start.reservedSeq + 200_000);
  await journal.commit([envelope(start.reservedSeq + 1)]);
  await journal.close();
  const next = await create().open();
  expect(next).toMatchObject({ lastSeq: start.reservedSeq + 1, reservedSeq: start.reservedSeq + 200_000 });
  expect(next).not.toHaveProperty('damagedNumbers');
  return start;
}

describe('a number that no host can have assigned', () => {
  test.each([
    ['the last exact integer', `${LAST}\n`],
    ['one below it', `${LAST - 1}\n`],
    ['what is no number', 'x'],
    ['nothing', ''],
  ])('[CONN-4] in seq (%s): the database applies, and the file is kept', async (_case, content) => {
    await fill();
    writeFileSync(file('seq'), content);
    expect(await startAndGoOn()).toMatchObject({
      reservedSeq: 100,
      mayHaveLostTail: false,
      damagedNumbers: [`${file('seq')} (kept as ${file(`seq${ASIDE}`)})`],
    });
    expect(readFileSync(file(`seq${ASIDE}`), 'utf8')).toBe(content);
  });

  test.each([
    ['the last exact integer', String(LAST)],
    ['what is no number', 'sixteen letters.'],
  ])(
    '[CONN-4] in sent (%s): the last sent number is unknown, so clients get snapshots',
    async (_case, content) => {
      await fill();
      writeFileSync(file('sent'), `${content}\n`);
      expect(await startAndGoOn()).toMatchObject({
        lastSeq: 20,
        reservedSeq: 100,
        mayHaveLostTail: true,
        lost: [{ after: 20, upTo: 100 }],
        damagedNumbers: [`${file('sent')} (kept as ${file(`sent${ASIDE}`)})`],
      });
    },
  );

  test('[CONN-4] in the database: the number of the file beside it applies', async () => {
    await fill();
    setInternal('reservedSeq', String(LAST));
    expect(await startAndGoOn()).toMatchObject({
      reservedSeq: 100,
      damagedNumbers: [`reservedSeq in ${file('journal.db')}`],
    });
  });

  test.each([
    ['damaged too', () => writeFileSync(file('seq'), `${LAST}\n`)],
    ['gone', () => rmSync(file('seq'))],
  ])('[CONN-4] in the database with the file %s: numbers continue from the clock', async (_case, damage) => {
    await fill();
    setInternal('reservedSeq', String(LAST));
    setInternal('lost', JSON.stringify([{ after: 20, upTo: LAST }]));
    damage();
    const start = await startAndGoOn();
    expect(start).toMatchObject({ reservedSeq: now, mayHaveLostTail: true });
    expect(start.lost.every(({ upTo }) => upTo <= now)).toBe(true);
  });

  test('[CONN-4] in seq, without the database: numbers continue from the clock, not from 0', async () => {
    await fill();
    for (const name of readdirSync(file('')).filter((each) => each.startsWith('journal.db')))
      rmSync(file(name));
    writeFileSync(file('seq'), `${LAST}\n`);
    expect(await startAndGoOn()).toMatchObject({ lastSeq: 0, reservedSeq: now, isLost: true });
  });

  test('[CONN-5] of the trimmed envelopes: no gap counts as covered', async () => {
    await fill();
    setInternal('trimmedSeq', String(LAST));
    const journal = create();
    expect(await journal.open()).toMatchObject({ lastSeq: 20, reservedSeq: 100 });
    expect(await journal.windowStats()).toMatchObject({ trimmedSeq: 100 });
  });

  test.each([
    ['the last exact integer', BigInt(LAST)],
    ['the last of SQLite', 2n ** 63n - 1n],
  ])('[CONN-4] of an envelope (%s): the database is set aside', async (_case, seq) => {
    await fill();
    const database = new DatabaseSync(file('journal.db'));
    database.prepare('UPDATE envelopes SET seq = ?').run(seq);
    database.close();
    const start = await startAndGoOn();
    expect(start).toMatchObject({ lastSeq: 0, reservedSeq: 100, mayHaveLostTail: true });
    expect(start.setAside?.reason).toMatch(/is damaged: it has an envelope with the number \d/);
    expect(existsSync(file(`journal.db${ASIDE}`))).toBe(true);
  });
});
