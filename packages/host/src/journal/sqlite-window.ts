import { number, optionalNumber, type Row, type Statements } from './sqlite-rows.ts';

/** The replay window: the `envelopes` table seen as a queue. */
export class SqliteWindow {
  readonly #statements: Statements;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  /** Bytes and oldest time of what is held. */
  stats(): { bytes: number; oldestTime: number | undefined } {
    const oldest = this.#first();
    const newest = this.#last();
    if (oldest === undefined || newest === undefined) return { bytes: 0, oldestTime: undefined };
    return {
      bytes: number(newest, 'total') - number(oldest, 'total') + number(oldest, 'bytes'),
      oldestTime: number(oldest, 'time'),
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
      if (first !== undefined) points.push(number(first, 'seq'));
    }
    // Times never fall from one envelope to the next [ACT-6], so that they can be searched like the numbers.
    if (number(oldest, 'time') < limits.minTime) {
      const kept = this.#firstThat((row) => number(row, 'time') >= limits.minTime, oldest, newest);
      points.push(kept === undefined ? number(newest, 'seq') : number(kept, 'seq') - 1);
    }
    return points.length === 0 ? undefined : Math.max(...points);
  }

  /**
   * The last envelope of a slice of `limit` that may go: at or below `seq`, and before the first that a snapshot row does not
   * reflect yet. `undefined` when none may.
   */
  sliceEnd(seq: number, limit: number): { seq: number; time: number } | undefined {
    const stale = this.#statements.get('SELECT min(seq) AS seq FROM stale');
    const bound = Math.min(seq, ((stale && optionalNumber(stale, 'seq')) ?? Number.POSITIVE_INFINITY) - 1);
    const end = this.#statements.get(
      'SELECT seq, time FROM (SELECT seq, time FROM envelopes WHERE seq <= ? ORDER BY seq LIMIT ?) ORDER BY seq DESC LIMIT 1',
      bound,
      limit,
    );
    return end && { seq: number(end, 'seq'), time: number(end, 'time') };
  }

  dropUpTo(seq: number): number {
    return this.#statements.run('DELETE FROM envelopes WHERE seq <= ?', seq);
  }

  #first(): Row | undefined {
    return this.#statements.get('SELECT seq, time, bytes, total FROM envelopes ORDER BY seq LIMIT 1');
  }

  #last(): Row | undefined {
    return this.#statements.get('SELECT seq, time, bytes, total FROM envelopes ORDER BY seq DESC LIMIT 1');
  }

  /** The first envelope for which `holds`, which holds for all after it: a binary search over the numbers, gaps and all. */
  #firstThat(holds: (row: Row) => boolean, oldest: Row, newest: Row): Row | undefined {
    if (!holds(newest)) return undefined;
    let found = newest;
    let low = number(oldest, 'seq');
    let high = number(newest, 'seq');
    while (low < high) {
      const middle = low + Math.floor((high - low) / 2);
      const row = this.#statements.get(
        'SELECT seq, time, bytes, total FROM envelopes WHERE seq >= ? ORDER BY seq LIMIT 1',
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
