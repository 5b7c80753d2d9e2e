import { pino } from 'pino';
import type { Log, LogLevel } from './log.ts';
import { redact, redactText } from './redact.ts';
import { RotatingFile } from './rotating-file.ts';

/** A log file and its limits. */
export interface FileLogOptions {
  /** Path of the current file, created with mode 0600. Older files are beside it as `<file>.1`, `<file>.2` and so on. */
  readonly file: string;
  /** Default `info`. */
  readonly level?: LogLevel;
  /** Default 10 MiB. */
  readonly maxBytes?: number;
  /** Number of files, including the current one. Default 5. */
  readonly maxFiles?: number;
  /** ms since the epoch. Default: the system's clock. */
  readonly now?: () => number;
}

/** Limit of lines that wait for room on a full disk. The first ones tell most about it. */
const KEPT_LINES = 100;

/** A log with an open file. */
export interface FileLog extends Log {
  /** Closes the file. Later lines are dropped. Closing twice is fine. */
  close(): void;
}

/**
 * A log of one JSON object a line, without secrets (see `redact`). Each line is written before the call returns. When a write
 * fails, such as on a full disk, up to 100 lines wait for the next successful write, so that a log never ends the host. Throws when the file
 * cannot be opened.
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
