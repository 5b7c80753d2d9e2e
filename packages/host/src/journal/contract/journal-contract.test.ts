import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MemoryDisk } from '../memory/disk.ts';
import { MemoryJournal } from '../memory/memory-journal.ts';
import { SqliteJournal } from '../sqlite/sqlite-journal.ts';
import { journalContract } from './journal-contract.ts';

journalContract('MemoryJournal', () => {
  const disk = new MemoryDisk();
  return { create: () => new MemoryJournal(disk), dispose: () => disk.envelopes.splice(0) };
});

journalContract('SqliteJournal', () => {
  const folder = mkdtempSync(join(tmpdir(), 'agenthost-journal-'));
  return {
    create: () => new SqliteJournal({ folder }),
    dispose: () => rmSync(folder, { recursive: true, force: true }),
  };
});
