/** How an automation repeats, as the form asks. */
export type Repeat = 'never' | 'hourly' | 'daily' | 'weekdays' | 'weekly' | 'monthly' | 'custom';

/** The choices of the form. Fields that the repetition does not use keep their values. */
export interface ScheduleChoice {
  readonly repeat: Repeat;
  /** `HH:MM`. */
  readonly time: string;
  /** 0 to 59; of `hourly`. */
  readonly minute: number;
  /** 0 (Sunday) to 6. */
  readonly weekday: number;
  /** 1 to 31. */
  readonly day: number;
  /** Of `custom`: one expression a line. */
  readonly expressions: string;
}

const START: ScheduleChoice = {
  repeat: 'daily',
  time: '03:00',
  minute: 0,
  weekday: 1,
  day: 1,
  expressions: '',
};

/** The cron expressions of a choice. Throws nothing: expressions of people may be invalid. */
export function expressionsOf({ repeat, time, minute, weekday, day, expressions }: ScheduleChoice): string[] {
  const [hours = '0', minutes = '0'] = time.split(':');
  const at = `${Number(minutes)} ${Number(hours)}`;
  switch (repeat) {
    case 'never':
      return [];
    case 'hourly':
      return [`${minute} * * * *`];
    case 'daily':
      return [`${at} * * *`];
    case 'weekdays':
      return [`${at} * * 1-5`];
    case 'weekly':
      return [`${at} * * ${weekday}`];
    case 'monthly':
      return [`${at} ${day} * *`];
    case 'custom':
      return expressions
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== '');
    default:
      return repeat satisfies never;
  }
}

/** The choice that gives these expressions; `custom` for all that the form cannot ask for otherwise. */
export function choiceOf(expressions: readonly string[] | undefined): ScheduleChoice {
  if (expressions === undefined) return START;
  const [only = '', ...others] = expressions;
  if (only === '') return { ...START, repeat: 'never' };
  const custom: ScheduleChoice = { ...START, repeat: 'custom', expressions: expressions.join('\n') };
  const found = /^(\d\d?) (\*|\d\d?) (\*|\d\d?) \* (\*|[0-6]|1-5|MON-FRI)$/.exec(only);
  const [, minute = '', hour = '', day = '', weekday = ''] = found ?? [];
  if (found === null || others.length > 0 || (day !== '*' && weekday !== '*')) return custom;
  if (hour === '*') {
    const isHourly = day === '*' && weekday === '*';
    return isHourly ? { ...custom, repeat: 'hourly', minute: Number(minute) } : custom;
  }
  const timed = { ...custom, time: `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}` };
  if (day !== '*') return { ...timed, repeat: 'monthly', day: Number(day) };
  if (weekday === '*') return { ...timed, repeat: 'daily' };
  if (weekday.length > 1) return { ...timed, repeat: 'weekdays' };
  return { ...timed, repeat: 'weekly', weekday: Number(weekday) };
}
