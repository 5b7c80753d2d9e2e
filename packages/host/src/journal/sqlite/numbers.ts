import { copyFileSync } from 'node:fs';
import { isReachableSeq, type LostRange, readLost } from '../sequence-numbers.ts';
import { fileStamp, type JournalFiles, type OpenDatabase } from './open-database.ts';
import { type Statements, text } from './statements.ts';
import { SqliteWindow } from './window.ts';
import type { SqliteWriter } from './writes.ts';

/** The numbers that a host continues from [CONN-4]. */
interface Numbers {
  readonly lastSeq: number;
  readonly lastTime: number;
  readonly reservedSeq: number;
  readonly trimmedSeq: number;
  readonly mayHaveLostTail: boolean;
  readonly lost: LostRange[];
  /** Whether this database is new although an earlier one existed here. */
  readonly isLost: boolean;
  /** The number in the `seq` file, or the one that replaces it. */
  readonly beside: number;
  /** Places that hold a number which no host can have given out. */
  readonly damaged: readonly DamagedNumber[];
}

/** Places of numbers: the files `seq` and `sent`, and two keys of the database. */
export type DamagedNumber = 'seq' | 'sent' | 'reservedSeq' | 'trimmedSeq';

/**
 * Reads the numbers from a database that was just opened and from the files `seq` and `sent`, and resets the writer. The reserved number is
 * stored in two places. When one is damaged, the other counts; when both are, the clock does.
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
  // Without database and file, the clock in ms is above any number that a host could have reached.
  const isUnknown = setAside !== undefined || stored === undefined || (isNew && file === 'damaged');
  const beside = given ?? (isUnknown ? now : 0);
  // A database that is new, or older than the `seq` file, lacks envelopes that were sent.
  const hasLostFile = setAside !== undefined || beside > (stored ?? 0);
  const isEmpty = isNew || setAside !== undefined;
  const lastSeq = writer.reset(isEmpty ? 0 : (trimmed ?? 0));
  const lastTime = new SqliteWindow(statements).newestTime() ?? Number(internal('trimmedTime') ?? 0);
  const reservedSeq = Math.max(stored ?? 0, beside, lastSeq, noted ?? 0);
  // The trimmed number is unknown: no client's gap counts as covered.
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

/** Copies a damaged file aside for later inspection. Returns a description of the place. */
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

/** Stores a value under a key of the journal's own. */
export function writeInternal(statements: Statements, key: string, value: string): void {
  statements.run('INSERT OR REPLACE INTO internal VALUES (?, ?)', key, value);
}
