const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const WEEK_MS = 7 * DAY_MS;

/** Average length of a month and of a year in the Gregorian calendar. */
const MONTH_MS = 30.44 * DAY_MS;
const YEAR_MS = 365.2425 * DAY_MS;

const UNITS = [
  ['year', YEAR_MS],
  ['month', MONTH_MS],
  ['week', WEEK_MS],
  ['day', DAY_MS],
  ['hour', HOUR_MS],
  ['minute', MINUTE_MS],
] as const;

/** Without "ago", for narrow columns: `now`, `5m`, `2h`, `3d`; a month and more in words. `short` formats a count of a unit. */
export function shortTime(
  at: number,
  nowMs: number,
  format: Intl.RelativeTimeFormat,
  short: (count: number, unit: 'minute' | 'hour' | 'day' | 'week') => string,
): string {
  const age = Math.max(0, nowMs - at);
  if (age < MINUTE_MS || age >= MONTH_MS) return relativeTime(at, nowMs, format);
  if (age < HOUR_MS) return short(Math.floor(age / MINUTE_MS), 'minute');
  if (age < DAY_MS) return short(Math.floor(age / HOUR_MS), 'hour');
  if (age < WEEK_MS) return short(Math.floor(age / DAY_MS), 'day');
  return short(Math.floor(age / WEEK_MS), 'week');
}

/** How long ago a time was, in words: `now`, `5m ago`, `yesterday`. `at` and `nowMs` are milliseconds since the epoch. */
export function relativeTime(at: number, nowMs: number, format: Intl.RelativeTimeFormat): string {
  // Clocks of host and browser differ a little.
  const age = Math.max(0, nowMs - at);
  for (const [unit, length] of UNITS)
    if (age >= length) return format.format(-Math.floor(age / length), unit);
  return format.format(0, 'second');
}
