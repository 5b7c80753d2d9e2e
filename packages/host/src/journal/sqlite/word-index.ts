import type { DatabaseSync } from 'node:sqlite';

/** Lists all rows of the journal as missing in the word index. Runs inside the caller's transaction. */
export function markUnindexed(database: DatabaseSync): void {
  database.exec(`
    INSERT INTO unindexed SELECT 'turns', max(key) + 1 FROM turns HAVING max(key) IS NOT NULL;
    INSERT INTO unindexed SELECT 'sessions', max(rowid) + 1 FROM sessions HAVING max(rowid) IS NOT NULL;
    INSERT INTO unindexed SELECT 'channels', max(id) + 1 FROM channels HAVING max(id) IS NOT NULL;
  `);
}

/** Creates an empty word index and lists all rows as missing in it. Runs inside the caller's transaction. */
export function createWordIndex(database: DatabaseSync): void {
  database.exec(`
    DROP TABLE IF EXISTS words;
    -- The host splits and folds words before it inserts them, so the rules of ASCII suffice here.
    CREATE VIRTUAL TABLE words USING fts5(
      message, response, content='', contentless_delete=1, tokenize='ascii', prefix='2'
    );
    -- Merging segments takes long: the journal's maintenance does it in slices, and no commit waits for it.
    INSERT INTO words (words, rank) VALUES ('automerge', 0);
    INSERT INTO words (words, rank) VALUES ('crisismerge', 512);
    DELETE FROM titles;
    DELETE FROM unindexed;
  `);
  markUnindexed(database);
}

/** Makes the words of the index readable in their order, as `temp.word_places`, for this connection. It stores nothing. */
export function exposeWords(database: DatabaseSync): void {
  database.exec('CREATE VIRTUAL TABLE temp.word_places USING fts5vocab(main, words, instance)');
}
