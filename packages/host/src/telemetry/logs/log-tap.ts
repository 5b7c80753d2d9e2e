import type { Clock } from '../../lib/clock.ts';
import type { Log, LogLevel } from '../../lib/log.ts';
import { type LogRecord, recordOfLine } from './log-record.ts';
import { SEVERITIES } from './severity.ts';

/** Lines that are kept for readers who come later. */
const MAX_KEPT = 256;

/** A line as it was logged. */
interface Line {
  readonly level: LogLevel;
  readonly fields: object;
  readonly message: string;
  readonly ms: number;
}

/** Passes the lines of the host's log on to a reader of telemetry, and keeps the last 256 from `info` on. */
export class LogTap {
  readonly #clock: Clock;
  readonly #kept: Line[] = [];
  #reader: ((record: LogRecord) => void) | undefined;
  #isReading = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A log that writes to `log`, and whose lines are read here. */
  through(log: Log): Log {
    const write =
      (level: LogLevel) =>
      (fields: object, message: string): void => {
        log[level](fields, message);
        this.#take(level, fields, message);
      };
    return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
  }

  /** Sets the reader of further lines; `undefined`: none, and lines are no longer converted. */
  read(reader: ((record: LogRecord) => void) | undefined): void {
    this.#reader = reader;
  }

  /** The newest kept lines of at least that severity, oldest first; at most `count`. */
  last(count: number, leastNumber: number): LogRecord[] {
    return this.#kept
      .filter(({ level }) => SEVERITIES[level] >= leastNumber)
      .slice(-count)
      .map(({ level, fields, message, ms }) => recordOfLine(level, fields, message, ms));
  }

  #take(level: LogLevel, fields: object, message: string): void {
    const ms = this.#clock.now();
    if (level !== 'debug') {
      this.#kept.push({ level, fields, message, ms });
      if (this.#kept.length > MAX_KEPT) this.#kept.shift();
    }
    // A reader that logs must not read its own line.
    if (this.#reader === undefined || this.#isReading) return;
    this.#isReading = true;
    try {
      this.#reader(recordOfLine(level, fields, message, ms));
    } finally {
      this.#isReading = false;
    }
  }
}
