import type { StoredEnvelope } from '../rows.ts';
import { ENVELOPE_COLUMNS, RowBuilder, readEnvelopeRow } from './envelope-rows.ts';
import { number, optionalNumber, type Row, type Statements } from './statements.ts';

/** The columns of a row without its JSON. */
const EDGES = 'seq, first_seq, first_time, time, count, bytes, total';

/** The replay window: the table `envelopes` as a queue. */
export class SqliteWindow {
  readonly #statements: Statements;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  /** Bytes and oldest time of the window. */
  stats(): { bytes: number; oldestTime: number | undefined } {
    const oldest = this.#first();
    const newest = this.#last();
    if (oldest === undefined || newest === undefined) return { bytes: 0, oldestTime: undefined };
    return {
      bytes: number(newest, 'total') - number(oldest, 'total') + number(oldest, 'bytes'),
      oldestTime: number(oldest, 'first_time'),
    };
  }

  newestTime(): number | undefined {
    const newest = this.#last();
    return newest && number(newest, 'time');
  }

  trimPoint(limits: { maxBytes: number; minTime: number }): number | undefined {
    const oldest = this.#first();
    const newest = this.#last();
    if (oldest === undefined || newest === undefined) return undefined;
    const total = number(newest, 'total');
    const held = total - number(oldest, 'total') + number(oldest, 'bytes');
    const points: number[] = [];
    if (held > limits.maxBytes) {
      const first = this.#firstThat((row) => number(row, 'total') >= total - limits.maxBytes, oldest, newest);
      if (first !== undefined) points.push(this.#seqWithTotal(first, total - limits.maxBytes));
    }
    // Times never decrease [ACT-6], so a binary search finds them as it finds numbers.
    if (number(oldest, 'first_time') < limits.minTime) {
      const row = this.#firstThat((each) => number(each, 'time') >= limits.minTime, oldest, newest);
      const kept = row && this.#envelopes(row).find(({ time }) => time >= limits.minTime);
      points.push(kept === undefined ? number(newest, 'seq') : kept.seq - 1);
    }
    return points.length === 0 ? undefined : Math.max(...points);
  }

  /**
   * The last of at most `limit` envelopes that may be trimmed: at or below `seq`, and before the first that a snapshot row does not reflect
   * yet. `undefined` when none may be trimmed.
   */
  sliceEnd(seq: number, limit: number): { seq: number; time: number } | undefined {
    const stale = this.#statements.get('SELECT min(seq) AS seq FROM stale');
    const bound = Math.min(seq, ((stale && optionalNumber(stale, 'seq')) ?? Number.POSITIVE_INFINITY) - 1);
    let end: { seq: number; time: number } | undefined;
    let left = limit;
    // Each row has at least one envelope.
    for (const row of this.#statements.iterate(
      `SELECT ${EDGES} FROM envelopes ORDER BY seq LIMIT ?`,
      limit,
    )) {
      if (number(row, 'first_seq') > bound || left === 0) break;
      const isWhole = number(row, 'seq') <= bound && number(row, 'count') <= left;
      const last = isWhole
        ? row
        : this.#envelopes(row)
            .slice(0, left)
            .findLast(({ seq: each }) => each <= bound);
      if (last !== undefined) end = { seq: Number(last.seq), time: Number(last.time) };
      if (!isWhole) break;
      left -= number(row, 'count');
    }
    return end;
  }

  /** Drops all envelopes at or below `seq`. Returns their number. */
  dropUpTo(seq: number): number {
    const whole = this.#statements.get('SELECT sum(count) AS count FROM envelopes WHERE seq <= ?', seq);
    this.#statements.run('DELETE FROM envelopes WHERE seq <= ?', seq);
    const dropped = (whole && optionalNumber(whole, 'count')) ?? 0;
    const cut = this.#first();
    return cut === undefined || number(cut, 'first_seq') > seq ? dropped : dropped + this.#cut(cut, seq);
  }

  /** Removes the envelopes at or below `seq` from a row. Returns their number. */
  #cut(row: Row, seq: number): number {
    const all = this.#envelopes(row);
    const kept = all.filter((envelope) => envelope.seq > seq);
    const builder = new RowBuilder('');
    for (const envelope of kept) builder.add(envelope);
    const rest = builder.build();
    // Uncompressed: the rest of the oldest row is trimmed next.
    this.#statements.run(
      'UPDATE envelopes SET first_seq = ?, first_time = ?, count = ?, bytes = ?, run = ?, json = ? WHERE seq = ?',
      rest.firstSeq,
      rest.firstTime,
      rest.count,
      rest.bytes,
      rest.run,
      rest.json,
      rest.seq,
    );
    return all.length - kept.length;
  }

  /** The number of the first envelope of a row with which the total size reaches `total`. */
  #seqWithTotal(row: Row, total: number): number {
    let before = number(row, 'total') - number(row, 'bytes');
    for (const { seq, json } of this.#envelopes(row)) {
      before += Buffer.byteLength(json);
      if (before >= total) return seq;
    }
    return number(row, 'seq');
  }

  #envelopes(row: Row): StoredEnvelope[] {
    const whole = this.#statements.get(
      `SELECT ${ENVELOPE_COLUMNS} FROM envelopes WHERE seq = ?`,
      number(row, 'seq'),
    );
    return whole === undefined ? [] : readEnvelopeRow(whole);
  }

  #first(): Row | undefined {
    return this.#statements.get(`SELECT ${EDGES} FROM envelopes ORDER BY seq LIMIT 1`);
  }

  #last(): Row | undefined {
    return this.#statements.get(`SELECT ${EDGES} FROM envelopes ORDER BY seq DESC LIMIT 1`);
  }

  /** The first row for which `holds` is true. It must be true for all later rows. A binary search over numbers with gaps. */
  #firstThat(holds: (row: Row) => boolean, oldest: Row, newest: Row): Row | undefined {
    if (!holds(newest)) return undefined;
    let found = newest;
    let low = number(oldest, 'seq');
    let high = number(newest, 'seq');
    while (low < high) {
      const middle = low + Math.floor((high - low) / 2);
      const row = this.#statements.get(
        `SELECT ${EDGES} FROM envelopes WHERE seq >= ? ORDER BY seq LIMIT 1`,
        middle,
      );
      if (row !== undefined && !holds(row)) {
        low = number(row, 'seq') + 1;
      } else {
        found = row ?? found;
        high = middle;
      }
    }
    return found;
  }
}
