import { InvalidSchedule, parseCron } from './cron.ts';
import type { AutomationSchedule } from './state.ts';

export { InvalidSchedule };

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** Days that are searched. 29 February can be eight years away. */
const SEARCHED_DAYS = 9 * 366;

/** The occurrences of a cron expression in a time zone [AUTO-5]. All times are ms since the epoch. */
export interface Schedule {
  /** The first occurrence after a time. `undefined`: there is none within nine years. */
  next(after: number): number | undefined;
  /** The last occurrence after `after` and up to `upTo`. */
  latest(after: number, upTo: number): number | undefined;
  /** Whether two occurrences can be less than this apart. */
  isDenserThan(minutes: number): boolean;
}

/**
 * Compiles a schedule. A local minute that does not exist is left out, and one that occurs twice counts at both instants. Throws
 * `InvalidSchedule` for an invalid expression, an unknown time zone, and an expression without occurrences.
 */
export function compileSchedule({ expression, timeZone }: AutomationSchedule): Schedule {
  const times = parseCron(expression);
  const offsetAt = offsetsOf(timeZone);
  const localDayOf = (time: number): number => Math.floor((time + offsetAt(time)) / DAY_MS);
  // `day`: days since 1 January 1970 by the local calendar.
  const isNamed = (day: number): boolean => {
    const date = new Date(day * DAY_MS);
    return times.matchesDay(date.getUTCMonth() + 1, date.getUTCDate(), date.getUTCDay());
  };
  const occurrencesOn = (day: number): number[] => {
    if (!isNamed(day)) return [];
    const before = offsetAt((day - 1) * DAY_MS);
    const after = offsetAt((day + 2) * DAY_MS);
    const locals = times.minutesOfDay.map((minute) => day * DAY_MS + minute * MINUTE_MS);
    if (before === after) return locals.map((local) => local - before);
    return locals
      .flatMap((local) => [before, after].map((offset) => ({ time: local - offset, offset })))
      .flatMap(({ time, offset }) => (offsetAt(time) === offset ? [time] : []));
  };
  // A clock that is set back at midnight mixes the occurrences of two days.
  const around = (day: number): number[] => [day - 1, day, day + 1].flatMap(occurrencesOn);
  const next = (after: number): number | undefined => {
    const start = localDayOf(after);
    for (let day = start; day < start + SEARCHED_DAYS; day += 1) {
      if (!isNamed(day) && day > start) continue;
      const found = around(day).filter((time) => time > after);
      if (found.length > 0) return Math.min(...found);
    }
    return undefined;
  };
  const latest = (after: number, upTo: number): number | undefined => {
    const end = localDayOf(after) - 1;
    const start = localDayOf(upTo);
    for (let day = start; day >= end; day -= 1) {
      if (!isNamed(day) && day < start) continue;
      const found = around(day).filter((time) => time > after && time <= upTo);
      if (found.length > 0) return Math.max(...found);
    }
    return undefined;
  };
  if (next(0) === undefined) throw new InvalidSchedule('names no day that exists');
  const isDenserThan = (minutes: number): boolean => {
    const { minutesOfDay } = times;
    if (minutesOfDay.some((minute, index) => index > 0 && minute - (minutesOfDay[index - 1] ?? 0) < minutes))
      return true;
    const overnight = 24 * 60 + (minutesOfDay[0] ?? 0) - (minutesOfDay.at(-1) ?? 0);
    if (overnight >= minutes) return false;
    return Array.from({ length: SEARCHED_DAYS }, (_, day) => day).some(
      (day) => isNamed(day) && isNamed(day + 1),
    );
  };
  return { next, latest, isDenserThan };
}

/** The difference between local time and UTC in ms, by time. Throws `InvalidSchedule` for other names than those of the IANA database. */
function offsetsOf(timeZone: string): (time: number) => number {
  const format = formatOf(timeZone);
  return (time) => {
    const fields: Record<string, number> = {};
    for (const { type, value } of format.formatToParts(time)) fields[type] = Number(value);
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = fields;
    return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(time / 1_000) * 1_000;
  };
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  // Newer engines take offsets such as +05:30 as time zones.
  if (!/^[A-Za-z]/.test(timeZone)) throw unknownZone(timeZone);
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch (error) {
    throw error instanceof RangeError ? unknownZone(timeZone) : error;
  }
}

const unknownZone = (timeZone: string): InvalidSchedule =>
  new InvalidSchedule(
    `timeZone: expected a name such as Europe/Berlin or UTC, got ${JSON.stringify(timeZone.slice(0, 100))}`,
  );

/** The next `count` occurrences of several schedules together, the earliest first; ms since the epoch. Fewer if there are no more. */
export function nextTimes(schedules: readonly Schedule[], after: number, count: number): number[] {
  const times: number[] = [];
  for (let time = after; times.length < count; ) {
    const following = schedules.flatMap((schedule) => schedule.next(time) ?? []);
    if (following.length === 0) break;
    time = Math.min(...following);
    times.push(time);
  }
  return times;
}
