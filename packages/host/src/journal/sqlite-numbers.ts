import { type LostRange, readLost } from './lost-ranges.ts';
import type { OpenDatabase } from './sqlite-open.ts';
import { type Statements, text } from './sqlite-rows.ts';
import { SqliteWindow } from './sqlite-window.ts';
import type { SqliteWriter } from './sqlite-writes.ts';

/** The numbers that a start goes on from [CONN-4]. */
interface Numbers {
  readonly lastSeq: number;
  readonly lastTime: number;
  readonly reservedSeq: number;
  readonly trimmedSeq: number;
  readonly mayHaveLostTail: boolean;
  readonly lost: LostRange[];
  /** There was a database before the one that was begun now, and nobody knows where it went. */
  readonly isLost: boolean;
  /** What the file beside the database said, or stands for it. */
  readonly beside: number;
}

/**
 * Reads them from a database that was just opened, which is read anew by the writer, and from what lies beside it: the number file
 * (`undefined`: there is none), and what `SentFile` says.
 */
export function readNumbers(
  opened: OpenDatabase,
  writer: SqliteWriter,
  {
    beside: file,
    sent,
    now,
  }: { readonly beside: number | undefined; readonly sent: number; readonly now: number },
): Numbers {
  const { statements, setAside } = opened;
  const internal = (key: string): string | undefined => readInternal(statements, key);
  const stored = Number(internal('reservedSeq') ?? 0);
  // With both the database and the file gone, the clock stands above any number that a host could have reached.
  const beside = file ?? (setAside === undefined ? 0 : now);
  // A database that is new or older than the file beside it has lost what was sent since.
  const hasLostFile = setAside !== undefined || beside > stored;
  const trimmedSeq = opened.isNew || setAside !== undefined ? beside : Number(internal('trimmedSeq') ?? 0);
  const lastSeq = writer.reset(opened.isNew || setAside !== undefined ? 0 : trimmedSeq);
  const lastTime = new SqliteWindow(statements).newestTime() ?? Number(internal('trimmedTime') ?? 0);
  const reservedSeq = Math.max(stored, beside, lastSeq, sent);
  const mayHaveLostTail = reservedSeq > lastSeq && (hasLostFile || opened.isAfterPowerLoss || sent > lastSeq);
  const lost = readLost(internal('lost'), trimmedSeq);
  if (mayHaveLostTail) lost.push({ after: lastSeq, upTo: reservedSeq });
  const isLost = opened.isNew && setAside === undefined && beside > 0;
  return { lastSeq, lastTime, reservedSeq, trimmedSeq, mayHaveLostTail, lost, isLost, beside };
}

function readInternal(statements: Statements, key: string): string | undefined {
  const row = statements.get('SELECT value FROM internal WHERE key = ?', key);
  return row && text(row, 'value');
}

/** Keeps a value of the journal's own. */
export function writeInternal(statements: Statements, key: string, value: string): void {
  statements.run('INSERT OR REPLACE INTO internal VALUES (?, ?)', key, value);
}
