import { copyFileSync } from 'node:fs';
import { isReachableSeq, type LostRange, readLost } from '../sequence-numbers.ts';
import { fileStamp, type JournalFiles, type OpenDatabase } from './open-database.ts';
import { type Statements, text } from './statements.ts';
import { SqliteWindow } from './window.ts';
import type { SqliteWriter } from './writes.ts';

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
  /** Where no number stands that a host can have come to. */
  readonly damaged: readonly DamagedNumber[];
}

/** Where a number is kept: in a file of its own, or in the database. */
export type DamagedNumber = 'seq' | 'sent' | 'reservedSeq' | 'trimmedSeq';

/**
 * Reads them from a database that was just opened, which is read anew by the writer, and from what `SeqFile` and `SentFile` beside it say.
 * The number is kept in two places: where one is damaged the other holds, and the clock where both are.
 */
export function readNumbers(
  opened: OpenDatabase,
  writer: SqliteWriter,
  {
    beside: file,
    sent,
    now,
  }: {
    readonly beside: number | 'damaged' | undefined;
    readonly sent: number | 'damaged';
    readonly now: number;
  },
): Numbers {
  const { statements, setAside, isNew } = opened;
  const internal = (key: string): string | undefined => readInternal(statements, key);
  const damaged: DamagedNumber[] = [];
  const sound = (where: DamagedNumber, value: number | 'damaged'): number | undefined => {
    if (value !== 'damaged' && isReachableSeq(value)) return value;
    damaged.push(where);
    return undefined;
  };
  const stored = sound('reservedSeq', Number(internal('reservedSeq') ?? 0));
  const given = file === undefined ? undefined : sound('seq', file);
  const noted = sound('sent', sent);
  const trimmed = sound('trimmedSeq', Number(internal('trimmedSeq') ?? 0));
  // With both the database and the file gone, the clock stands above any number that a host could have reached.
  const isUnknown = setAside !== undefined || stored === undefined || (isNew && file === 'damaged');
  const beside = given ?? (isUnknown ? now : 0);
  // A database that is new or older than the file beside it has lost what was sent since.
  const hasLostFile = setAside !== undefined || beside > (stored ?? 0);
  const isEmpty = isNew || setAside !== undefined;
  const lastSeq = writer.reset(isEmpty ? 0 : (trimmed ?? 0));
  const lastTime = new SqliteWindow(statements).newestTime() ?? Number(internal('trimmedTime') ?? 0);
  const reservedSeq = Math.max(stored ?? 0, beside, lastSeq, noted ?? 0);
  // What was trimmed is not known: nobody's gap counts as covered.
  const trimmedSeq = isEmpty ? beside : (trimmed ?? reservedSeq);
  const mayBeCut = opened.isAfterPowerLoss || noted === undefined || noted > lastSeq;
  const mayHaveLostTail = reservedSeq > lastSeq && (hasLostFile || mayBeCut);
  const lost = readLost(internal('lost'), trimmedSeq).map(({ after, upTo }) => ({
    after,
    upTo: Math.min(upTo, reservedSeq),
  }));
  if (mayHaveLostTail) lost.push({ after: lastSeq, upTo: reservedSeq });
  const isLost = isNew && setAside === undefined && beside > 0;
  return { lastSeq, lastTime, reservedSeq, trimmedSeq, mayHaveLostTail, lost, isLost, beside, damaged };
}

/** Keeps what stands in a damaged place for whoever looks into it; where it was, for people. */
export function setNumberAside(files: JournalFiles, where: DamagedNumber, now: number): string {
  if (where !== 'seq' && where !== 'sent') return `${where} in ${files.database}`;
  const path = files[where];
  const aside = `${path}.damaged-${fileStamp(now)}`;
  copyFileSync(path, aside);
  return `${path} (kept as ${aside})`;
}

function readInternal(statements: Statements, key: string): string | undefined {
  const row = statements.get('SELECT value FROM internal WHERE key = ?', key);
  return row && text(row, 'value');
}

/** Keeps a value of the journal's own. */
export function writeInternal(statements: Statements, key: string, value: string): void {
  statements.run('INSERT OR REPLACE INTO internal VALUES (?, ?)', key, value);
}
