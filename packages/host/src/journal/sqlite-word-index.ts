import type { DatabaseSync } from 'node:sqlite';
import { rollBack } from './sqlite-errors.ts';

/** In `internal`: a host whose SQLite has no FTS5 may have written since the index was. */
const STALE = 'wordsStale';

/** Whether this SQLite has FTS5: that of Node 22.15 was built without it. */
export function hasFts5(database: DatabaseSync): boolean {
  return database.prepare("SELECT 1 FROM pragma_module_list WHERE name = 'fts5'").get() !== undefined;
}

/** Names all that is there as not in the index yet. Runs inside the caller's transaction. */
export function markUnindexed(database: DatabaseSync): void {
  database.exec(`
    INSERT INTO unindexed SELECT 'turns', max(key) + 1 FROM turns HAVING max(key) IS NOT NULL;
    INSERT INTO unindexed SELECT 'sessions', max(rowid) + 1 FROM sessions HAVING max(rowid) IS NOT NULL;
    INSERT INTO unindexed SELECT 'channels', max(id) + 1 FROM channels HAVING max(id) IS NOT NULL;
  `);
}

/**
 * Brings the index of words in line with what this SQLite can do. Without FTS5 it is marked as stale, durably, and not touched. With it, an
 * index that is missing or stale is begun anew, to be filled in slices. Does nothing to a database from before the index.
 */
export function alignIndex(database: DatabaseSync, canIndex: boolean): void {
  const holds = (sql: string): boolean => database.prepare(sql).get() !== undefined;
  if (!holds("SELECT 1 FROM sqlite_schema WHERE name = 'unindexed'")) return;
  const isStale = holds(`SELECT 1 FROM internal WHERE key = '${STALE}'`);
  const isThere = holds("SELECT 1 FROM sqlite_schema WHERE name = 'words'");
  if (canIndex ? isThere && !isStale : isStale) return;
  database.exec('BEGIN IMMEDIATE');
  try {
    if (canIndex) begin(database);
    else database.exec(`INSERT INTO internal VALUES ('${STALE}', 'true')`);
    database.exec('COMMIT');
  } catch (error) {
    rollBack(database);
    throw error;
  }
}

/** Makes the words of the index readable in their order, as `temp.word_places`, for this connection. It takes no place. */
export function exposeWords(database: DatabaseSync): void {
  database.exec('CREATE VIRTUAL TABLE temp.word_places USING fts5vocab(main, words, instance)');
}

/** An empty index, and all that is there named as missing in it. */
function begin(database: DatabaseSync): void {
  database.exec(`
    DROP TABLE IF EXISTS words;
    -- Words are parted and folded before they come here, so that ASCII's rules are all it needs.
    CREATE VIRTUAL TABLE words USING fts5(
      message, response, content='', contentless_delete=1, tokenize='ascii', prefix='2'
    );
    -- Joining parts of the index takes long: it is done in slices, and not while somebody waits for a commit.
    INSERT INTO words (words, rank) VALUES ('automerge', 0);
    INSERT INTO words (words, rank) VALUES ('crisismerge', 512);
    DELETE FROM titles;
    DELETE FROM unindexed;
    DELETE FROM internal WHERE key = '${STALE}';
  `);
  markUnindexed(database);
}
