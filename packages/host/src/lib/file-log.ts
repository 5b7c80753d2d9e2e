import { pino } from 'pino';
import type { Log } from './log.ts';
import { redact, redactText } from './redact.ts';
import { RotatingFile } from './rotating-file.ts';

/** What is written: this severity and those above it. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

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

/** A log that holds a file. */
export interface FileLog extends Log {
  /** Nothing is written afterwards. Closing twice is fine. */
  close(): void;
}

/**
 * A log of one JSON object a line, without secrets (see `redact`). Lines are in the file when the call returns. A line that cannot
 * be written, on a full disk for one, is dropped: a log must not end the host. Throws when the file cannot be opened.
 */
export function createLog(options: FileLogOptions): FileLog {
  const file = new RotatingFile({
    path: options.file,
    maxBytes: options.maxBytes ?? 10 * 1024 * 1024,
    maxFiles: options.maxFiles ?? 5,
  });
  const now = options.now ?? Date.now;
  let dropped = 0;
  const destination = {
    write: (line: string) => {
      try {
        file.write(line);
      } catch {
        dropped++;
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
    if (dropped > 0) {
      const lines = dropped;
      dropped = 0;
      logger.warn({ lines }, 'lines before this one could not be written');
    }
    logger[level](redact({ ...fields }), redactText(message));
  };
  return {
    debug: (fields, message) => write('debug', fields, message),
    info: (fields, message) => write('info', fields, message),
    warn: (fields, message) => write('warn', fields, message),
    error: (fields, message) => write('error', fields, message),
    close: () => file.close(),
  };
}
