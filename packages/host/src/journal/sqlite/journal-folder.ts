import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import type { JournalWrite } from '../journal.ts';
import type { SqliteJournalOptions } from './sqlite-journal.ts';
import { SqliteJournal } from './sqlite-journal.ts';

/** Clock of the journals of tests. */
export const now = Date.parse('2026-11-21T10:20:30.400Z');

/** The chat that envelopes of tests belong to. */
export const chat = 'ahp-chat:/c1';

let folder: string;
let opened: SqliteJournal[] = [];

/** Gives each test of the file a data folder of its own, and closes what it opened there. */
export function useJournalFolder(): void {
  beforeEach(() => {
    folder = join(mkdtempSync(join(tmpdir(), 'agenthost-sqlite-')), 'data');
  });

  afterEach(async () => {
    for (const journal of opened) await journal.close();
    opened = [];
    rmSync(join(folder, '..'), { recursive: true, force: true });
  });
}

/** The data folder of this test, which the first journal makes. */
export function dataFolder(): string {
  return folder;
}

/** A journal in that folder, not open yet. */
export function create(options: Partial<SqliteJournalOptions> = {}): SqliteJournal {
  const journal = new SqliteJournal({ folder, now: () => now, bootId: () => 'boot 1', ...options });
  opened.push(journal);
  return journal;
}

/** A file of the data folder. */
export function file(name: string): string {
  return join(folder, name);
}

/** A channel whose state is stored compressed. */
export function largeChannel(uri: string, seq: number, kind = 'chat') {
  const state = JSON.stringify({ title: `Walnut ${seq}`, text: 'une ligne de journal é\r\n'.repeat(4_000) });
  return { op: 'channel', uri, kind, seq, state, local: '{}' } satisfies JournalWrite;
}

/** An envelope that is stored compressed. */
export function largeEnvelope(seq: number) {
  const json = JSON.stringify({ seq, text: 'a line of a log\r\n'.repeat(4_000) });
  return { op: 'envelope', seq, channel: chat, time: seq, json } satisfies JournalWrite;
}
