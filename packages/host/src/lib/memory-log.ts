import type { LogLevel } from './file-log.ts';
import type { Log } from './log.ts';
import { redact, redactText } from './redact.ts';

/** A line as a memory log keeps it, without secrets. */
export interface LogLine {
  readonly level: LogLevel;
  readonly fields: unknown;
  readonly message: string;
}

/** A log for tests: keeps every line. */
export function memoryLog(): Log & { readonly lines: readonly LogLine[] } {
  const lines: LogLine[] = [];
  const keep =
    (level: LogLevel) =>
    (fields: object, message: string): void => {
      lines.push({ level, fields: redact(fields), message: redactText(message) });
    };
  return { lines, debug: keep('debug'), info: keep('info'), warn: keep('warn'), error: keep('error') };
}

/** A log that keeps nothing. */
export const silentLog: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
