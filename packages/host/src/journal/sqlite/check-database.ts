import { Worker } from 'node:worker_threads';
import { faultLine } from './errors.ts';

/** What a check of a database file found. */
export interface DatabaseCheck {
  /** What is damaged. Absent: nothing, or it could not be read. */
  readonly fault?: string;
  /** Why it could not be checked, such as a missing permission. Absent: it was checked. */
  readonly unreadable?: string;
  /** Version of its schema; 0 if unknown. */
  readonly version: number;
  /** Highest number of an envelope; 0 if unknown. */
  readonly lastSeq: number;
  /** Highest number that its host had reserved; 0 if unknown. */
  readonly reservedSeq: number;
  /** Time of the newest envelope, ms since the epoch; 0 if there is none or it is unknown. */
  readonly newestTime: number;
}

/** In a thread of its own, because the check reads the whole file. The text is CommonJS, as a worker without a file runs it. */
const CHECK = `
const { parentPort, workerData } = require('node:worker_threads');
const { DatabaseSync } = require('node:sqlite');
/* SQLITE_CORRUPT, SQLITE_NOTADB */
const DAMAGE = [11, 26];
const found = { version: 0, lastSeq: 0, reservedSeq: 0, newestTime: 0 };
try {
  const database = new DatabaseSync(workerData);
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE');
    found.version = database.prepare('PRAGMA user_version').get().user_version;
    const [check] = Object.values(database.prepare('PRAGMA quick_check(1)').get());
    if (check !== 'ok') found.fault = String(check);
    else if (found.version === 0) found.fault = 'it has no tables of a host';
    else {
      const newest = database.prepare('SELECT seq, time FROM envelopes ORDER BY seq DESC LIMIT 1').get();
      found.lastSeq = Number(newest?.seq ?? 0);
      found.newestTime = Number(newest?.time ?? 0);
      const reserved = database.prepare("SELECT value FROM internal WHERE key = 'reservedSeq'").get();
      found.reservedSeq = Number(reserved?.value ?? 0);
    }
  } finally {
    database.close();
  }
} catch (error) {
  const isDamage = DAMAGE.includes(error?.errcode & 0xff);
  found[isDamage ? 'fault' : 'unreadable'] = String(error?.message ?? error);
}
parentPort.postMessage(found);
`;

/**
 * Checks a database that no other connection uses, by SQLite's `quick_check`, and reads its numbers. The event loop stays free. While
 * it runs, no host can start with this database. Rejects only when the check cannot run.
 */
export function checkDatabase(file: string): Promise<DatabaseCheck> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(CHECK, { eval: true, workerData: file, execArgv: [] });
    worker.once('message', (found: DatabaseCheck) =>
      resolve(found.fault === undefined ? found : { ...found, fault: faultLine(found.fault) }),
    );
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error(`the check of ${file} ended without a result`)));
  });
}
