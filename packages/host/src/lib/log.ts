import { redact, redactText } from './redact.ts';

/** Severity of a line; as a setting, the lowest severity that is written. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** The host's log. Fields first, then one sentence. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** A line of a memory log, without secrets. */
export interface LogLine {
  readonly level: LogLevel;
  readonly fields: unknown;
  readonly message: string;
}

/** A log in memory, for tests. */
export function memoryLog(): Log & { readonly lines: readonly LogLine[] } {
  const lines: LogLine[] = [];
  const keep =
    (level: LogLevel) =>
    (fields: object, message: string): void => {
      lines.push({ level, fields: redact(fields), message: redactText(message) });
    };
  return { lines, debug: keep('debug'), info: keep('info'), warn: keep('warn'), error: keep('error') };
}

/** A log that drops every line. */
export const silentLog: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
