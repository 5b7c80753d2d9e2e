import { pino } from 'pino';
import type { Log, LogLevel } from './log.ts';
import { redact, redactText } from './redact.ts';
import { RotatingFile } from './rotating-file.ts';

/** A log file and its limits. */
export interface FileLogOptions {
  /** Path of the present file; older ones stand beside it as `<file>.1` and on. Made with mode 0600. */
  readonly file: string;
  /** Default `info`. */
  readonly level?: LogLevel;
  /** Default 10 MiB. */
  readonly maxBytes?: number;
  /** Files kept, the present one included. Default 5. */
  readonly maxFiles?: number;
  /** ms since the epoch. Default: the system's clock. */
  readonly now?: () => number;
}

/** Lines that wait for room: what a full disk did to the host is best known by the first of them. */
const KEPT_LINES = 100;

/** A log that holds a file. */
export interface FileLog extends Log {
  /** Nothing is written afterwards. Closing twice is fine. */
  close(): void;
}

/**
 * A log of one JSON object a line, without secrets (see `redact`). Lines are in the file when the call returns. Lines that cannot
 * be written, on a full disk for one, wait for the next that can, the first hundred of them: a log must not end the host. Throws when the file cannot be opened.
 */
export function createLog(options: FileLogOptions): FileLog {
  const file = new RotatingFile({
    path: options.file,
    maxBytes: options.maxBytes ?? 10 * 1024 * 1024,
    maxFiles: options.maxFiles ?? 5,
  });
  const now = options.now ?? Date.now;
  const kept: string[] = [];
  let dropped = 0;
  const destination = {
    write: (line: string) => {
      try {
        for (let next = kept[0]; next !== undefined; next = kept[0]) {
          file.write(next);
          kept.shift();
        }
        file.write(line);
      } catch {
        if (kept.length < KEPT_LINES) kept.push(line);
        else dropped++;
      }
    },
  };
  const logger = pino(
    {
      level: options.level ?? 'info',
      base: { pid: process.pid },
      timestamp: () => `,"time":"${new Date(now()).toISOString()}"`,
      formatters: { level: (level) => ({ level }) },
    },
    destination,
  );
  const write = (level: LogLevel, fields: object, message: string): void => {
    if (!logger.isLevelEnabled(level)) return;
    logger[level](redact({ ...fields }), redactText(message));
    if (dropped === 0 || kept.length > 0) return;
    const lines = dropped;
    dropped = 0;
    logger.warn({ lines }, 'lines before the last one could not be written');
  };
  return {
    debug: (fields, message) => write('debug', fields, message),
    info: (fields, message) => write('info', fields, message),
    warn: (fields, message) => write('warn', fields, message),
    error: (fields, message) => write('error', fields, message),
    close: () => file.close(),
  };
}
