import type { JournalWrite } from '../journal.ts';
import type { OutcomeKey } from '../rows.ts';
import { checkSeq } from '../sequence-numbers.ts';
import { Compressor } from './compression.ts';
import { RowBuilder } from './envelope-rows.ts';
import { SqliteSearchWriter } from './search-writer.ts';
import { number, type Statements } from './statements.ts';
import { SqliteTurnWriter } from './turns.ts';

type EnvelopeWrite = Extract<JournalWrite, { op: 'envelope' }>;
type ChannelWrite = Extract<JournalWrite, { op: 'channel' }>;

/** Size of the cache of channels that are known to be stale. */
const KNOWN_STALE_LIMIT = 10_000;

/** Applies writes inside the caller's transaction. The caller calls `finish` before it commits. */
export class SqliteWriter {
  readonly #statements: Statements;
  readonly #compressor = new Compressor();
  /** A compressor of its own: whether envelopes shrink tells nothing about states. */
  readonly #stateCompressor = new Compressor();
  /** `total` and `seq` of the newest envelope. */
  #total = 0;
  #lastSeq = 0;
  /** The row of envelopes that were applied and are not inserted yet. */
  #row: RowBuilder | undefined;
  /** Channels that have a row in `stale`. */
  readonly #knownStale = new Set<string>();

  readonly #turns: SqliteTurnWriter;
  /** The index of words. */
  readonly search: SqliteSearchWriter;

  constructor(statements: Statements) {
    this.#statements = statements;
    this.search = new SqliteSearchWriter(statements);
    this.#turns = new SqliteTurnWriter(statements, this.search);
  }

  /**
   * Reloads the state in memory, at start and after a rollback. `floor`: the highest trimmed number. Returns the highest number ever
   * journaled.
   */
  reset(floor: number): number {
    this.#knownStale.clear();
    this.search.reset();
    this.#row = undefined;
    const newest = this.#statements.get('SELECT seq, total FROM envelopes ORDER BY seq DESC LIMIT 1');
    this.#total = newest === undefined ? 0 : number(newest, 'total');
    this.#lastSeq = Math.max(floor, newest === undefined ? 0 : number(newest, 'seq'));
    return this.#lastSeq;
  }

  /** The highest number that was applied. */
  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** Inserts the envelopes that `apply` has gathered. */
  finish(): void {
    const row = this.#row;
    this.#row = undefined;
    if (row !== undefined) this.#insert(row);
  }

  apply(write: JournalWrite): void {
    if (write.op === 'envelope') return this.#envelope(write);
    // Writes stay in order.
    this.finish();
    const statements = this.#statements;
    switch (write.op) {
      case 'channel':
        return this.#channel(write);
      case 'local':
        statements.run(
          'UPDATE channels SET local = ?, bytes = ? + state_bytes WHERE uri = ?',
          write.local,
          Buffer.byteLength(write.local),
          write.uri,
        );
        return;
      case 'dropChannel':
        this.#knownStale.delete(write.uri);
        statements.run('DELETE FROM channels WHERE uri = ?', write.uri);
        statements.run('DELETE FROM states WHERE channel = ?', write.uri);
        this.#turns.dropAll(write.uri);
        this.search.dropTitle(write.uri);
        statements.run('DELETE FROM open_channels WHERE uri = ?', write.uri);
        statements.run('DELETE FROM stale WHERE channel = ?', write.uri);
        return;
      case 'markOpen':
        statements.run('INSERT OR IGNORE INTO open_channels (uri) VALUES (?)', write.uri);
        return;
      case 'markClosed':
        statements.run('DELETE FROM open_channels WHERE uri = ?', write.uri);
        return;
      case 'turn':
        return this.#turns.turn(write);
      case 'dropTurns':
        return this.#turns.dropTurns(write);
      case 'copyTurns':
        return this.#turns.copy(write);
      case 'moveChat':
        statements.run('UPDATE channels SET session = ? WHERE uri = ?', write.session, write.chat);
        this.search.moveTitle(write.chat, write.session);
        return this.#turns.move(write);
      case 'dropContents':
        return this.#turns.dropContents(write.chat, write.turnId);
      case 'session':
        statements.run(
          `INSERT INTO sessions (uri, modified_at, summary) VALUES (?, ?, ?)
           ON CONFLICT (uri) DO UPDATE SET modified_at = excluded.modified_at, summary = excluded.summary`,
          write.uri,
          write.modifiedAt,
          write.summary,
        );
        return this.search.title(write.uri, null, write.summary);
      case 'dropSession':
        statements.run('DELETE FROM sessions WHERE uri = ?', write.uri);
        this.search.dropTitle(write.uri);
        return this.#turns.dropSession(write.uri);
      case 'client':
        statements.run(
          'INSERT OR REPLACE INTO clients VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
          write.id,
          write.tokenHash,
          write.version,
          write.epoch ?? null,
          write.lastClientSeq,
          write.seenAt,
          write.subscriptions,
          write.locale ?? null,
          write.pastEpochs ?? null,
        );
        return;
      case 'dropClient':
        statements.run('DELETE FROM clients WHERE id = ?', write.id);
        return;
      case 'token':
        statements.run(
          `INSERT INTO tokens (id, hash, name, scope, created_at, last_used_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?)
           ON CONFLICT (id) DO UPDATE SET hash = excluded.hash, name = excluded.name, scope = excluded.scope,
             created_at = excluded.created_at, last_used_at = excluded.last_used_at, expires_at = excluded.expires_at`,
          write.id,
          write.hash,
          write.name ?? null,
          write.scope,
          write.createdAt,
          write.lastUsedAt ?? null,
          write.expiresAt ?? null,
        );
        return;
      case 'dropToken':
        statements.run(
          "UPDATE clients SET token_hash = '' WHERE token_hash = (SELECT hash FROM tokens WHERE id = ?)",
          write.id,
        );
        statements.run('DELETE FROM tokens WHERE id = ?', write.id);
        return;
      case 'content':
        return this.#turns.content(write);
      case 'copyContent':
        return this.#turns.copyContent(write);
      case 'process':
        statements.run(
          'INSERT OR REPLACE INTO processes VALUES (?, ?, ?)',
          write.pid,
          write.startTime,
          write.command,
        );
        return;
      case 'dropProcess':
        statements.run('DELETE FROM processes WHERE pid = ?', write.pid);
        return;
      case 'meta':
        statements.run('INSERT OR REPLACE INTO meta VALUES (?, ?)', write.key, write.value);
        return;
      default:
        write satisfies never;
    }
  }

  #envelope(write: EnvelopeWrite): void {
    checkSeq(write.seq, this.#lastSeq);
    this.#lastSeq = write.seq;
    // `findOutcome` looks up the answer to a dispatch by its row, so an answer has a row of its own.
    const isAlone = write.origin !== undefined;
    if (isAlone || this.#row?.channel !== write.channel || this.#row.isFull) this.finish();
    const row = this.#row ?? new RowBuilder(write.channel);
    row.add(write);
    if (isAlone) this.#insert(row, write.origin);
    else this.#row = row;
  }

  #insert(builder: RowBuilder, origin?: OutcomeKey): void {
    const row = builder.build();
    this.#total += row.bytes;
    this.#statements.run(
      'INSERT INTO envelopes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
      row.seq,
      row.firstSeq,
      row.channel,
      row.firstTime,
      row.time,
      row.count,
      row.bytes,
      this.#total,
      origin?.clientId ?? null,
      origin?.epoch ?? null,
      origin?.clientSeq ?? null,
      row.run,
      this.#compressor.compress(row.json),
    );
    if (this.#knownStale.has(row.channel)) return;
    this.#statements.run(
      'INSERT OR IGNORE INTO stale (channel, seq) SELECT uri, ? FROM channels WHERE uri = ? AND seq < ?',
      row.firstSeq,
      row.channel,
      row.firstSeq,
    );
    if (this.#knownStale.size >= KNOWN_STALE_LIMIT) this.#knownStale.clear();
    this.#knownStale.add(row.channel);
  }

  #channel(write: ChannelWrite): void {
    if (write.kind === 'chat') this.search.title(write.uri, write.session ?? null, write.state);
    this.#knownStale.delete(write.uri);
    const stateBytes = Buffer.byteLength(write.state);
    this.#statements.run(
      `INSERT INTO channels (uri, kind, session, seq, local, state_bytes, bytes)
       VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (uri) DO UPDATE SET kind = excluded.kind, session = excluded.session, seq = excluded.seq,
         local = excluded.local, state_bytes = excluded.state_bytes, bytes = excluded.bytes`,
      write.uri,
      write.kind,
      write.session ?? null,
      write.seq,
      write.local,
      stateBytes,
      Buffer.byteLength(write.local) + stateBytes,
    );
    this.#statements.run(
      `INSERT INTO states (channel, state) VALUES (?, ?)
       ON CONFLICT (channel) DO UPDATE SET state = excluded.state`,
      write.uri,
      this.#stateCompressor.compress(write.state),
    );
    this.#statements.run('DELETE FROM stale WHERE channel = ?', write.uri);
    this.#statements.run(
      `INSERT INTO stale (channel, seq)
       SELECT channel, max(first_seq, ?) FROM envelopes WHERE channel = ? AND seq > ? ORDER BY seq LIMIT 1`,
      write.seq + 1,
      write.uri,
      write.seq,
    );
  }
}
