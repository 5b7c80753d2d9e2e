/** A schedule that cannot be used; the message says why, as a part of a sentence. */
export class InvalidSchedule extends Error {
  override readonly name = 'InvalidSchedule';
}

/** The times that a cron expression names, without a time zone [AUTO-5]. */
export interface CronTimes {
  /** Minutes since midnight, in order. Never empty. */
  readonly minutesOfDay: readonly number[];
  /** Whether the expression names a day. `month`: 1 to 12; `weekday`: 0 (Sunday) to 6. */
  matchesDay(month: number, dayOfMonth: number, weekday: number): boolean;
}

interface Field {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** Names of the values from `min` on. Absent: numbers only. */
  readonly names?: readonly string[];
}

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const WEEKDAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

const MINUTE: Field = { name: 'minute', min: 0, max: 59 };
const HOUR: Field = { name: 'hour', min: 0, max: 23 };
const DAY_OF_MONTH: Field = { name: 'day of month', min: 1, max: 31 };
const MONTH: Field = { name: 'month', min: 1, max: 12, names: MONTHS };
/** 7 is Sunday too. */
const DAY_OF_WEEK: Field = { name: 'day of week', min: 0, max: 7, names: WEEKDAYS };

/**
 * Parses a cron expression of five fields: minute, hour, day of month, month, day of week [AUTO-5]. Throws `InvalidSchedule` for anything
 * else, and for macros, seconds and the marks `? L W #`.
 */
export function parseCron(expression: string): CronTimes {
  const texts = expression.trim().split(/[ \t]+/);
  const [minute = '', hour = '', dayOfMonth = '', month = '', dayOfWeek = ''] = texts;
  if (texts.length !== 5 || minute === '')
    throw new InvalidSchedule(
      `expected five fields (minute, hour, day of month, month, day of week), got ${minute === '' ? 0 : texts.length}`,
    );
  const minutes = valuesOf(MINUTE, minute);
  const hours = valuesOf(HOUR, hour);
  const days = valuesOf(DAY_OF_MONTH, dayOfMonth);
  const months = valuesOf(MONTH, month);
  const weekdays = new Set([...valuesOf(DAY_OF_WEEK, dayOfWeek)].map((value) => value % 7));
  // A field that is not `*` restricts the days, even if it names all of them.
  const areBothRestricted = dayOfMonth !== '*' && dayOfWeek !== '*';
  return {
    minutesOfDay: [...hours]
      .flatMap((each) => [...minutes].map((of) => each * 60 + of))
      .toSorted((a, b) => a - b),
    matchesDay: (inYear, inMonth, inWeek) => {
      if (!months.has(inYear)) return false;
      const [isDay, isWeekday] = [days.has(inMonth), weekdays.has(inWeek)];
      return areBothRestricted ? isDay || isWeekday : isDay && isWeekday;
    },
  };
}

function valuesOf(field: Field, text: string): Set<number> {
  const values = new Set<number>();
  for (const item of text.split(',')) {
    const [range = '', step, ...rest] = item.split('/');
    const [first, last] = rangeOf(field, range, item);
    if (rest.length > 0 || (step !== undefined && range !== '*' && !range.includes('-')))
      throw invalid(field, item);
    const by = step === undefined ? 1 : numberOf(step);
    if (by === undefined || by < 1) throw invalid(field, item);
    for (let value = first; value <= last; value += by) values.add(value);
  }
  return values;
}

function rangeOf(field: Field, range: string, item: string): [number, number] {
  if (range === '*') return [field.min, field === DAY_OF_WEEK ? 6 : field.max];
  const [from = '', to, ...rest] = range.split('-');
  const first = valueOf(field, from);
  // A week that ends with its Sunday: FRI-SUN.
  const last = to === undefined ? first : field === DAY_OF_WEEK && /^sun$/i.test(to) ? 7 : valueOf(field, to);
  if (rest.length > 0 || first === undefined || last === undefined || first > last)
    throw invalid(field, item);
  return [first, last];
}

function valueOf({ min, max, names = [] }: Field, text: string): number | undefined {
  const index = names.indexOf(text.toUpperCase());
  if (index >= 0) return min + index;
  const value = numberOf(text);
  return value !== undefined && value >= min && value <= max ? value : undefined;
}

const numberOf = (text: string): number | undefined => (/^\d{1,4}$/.test(text) ? Number(text) : undefined);

const invalid = ({ name, min, max }: Field, item: string): InvalidSchedule =>
  new InvalidSchedule(
    `${name}: expected \`*\`, values from ${min} to ${max}, ranges, lists or steps of \`*\` or a range, got ${JSON.stringify(item.slice(0, 50))}`,
  );
