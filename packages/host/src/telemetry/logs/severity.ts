import type { LogLevel } from '../../lib/log.ts';

/** The severities of OTLP with their numbers. The levels of the host's log are four of them. */
export const SEVERITIES = {
  trace: 1,
  debug: 5,
  info: 9,
  warn: 13,
  error: 17,
  fatal: 21,
} as const satisfies Record<LogLevel | 'trace' | 'fatal', number>;

/** Name of a severity, as in the URI of a log channel. */
export type Severity = keyof typeof SEVERITIES;

/** The severity with that name in any case; `undefined`: there is none. */
export function severityOf(name: string): Severity | undefined {
  const lower = name.toLowerCase();
  return isSeverity(lower) ? lower : undefined;
}

const isSeverity = (name: string): name is Severity => Object.hasOwn(SEVERITIES, name);
