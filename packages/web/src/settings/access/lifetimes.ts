const DAY_SECONDS = 86_400;

/** Lifetimes that a new token can have, in seconds; `undefined`: until it is revoked. */
export const LIFETIMES = {
  day: DAY_SECONDS,
  week: 7 * DAY_SECONDS,
  month: 30 * DAY_SECONDS,
  quarter: 90 * DAY_SECONDS,
  year: 365 * DAY_SECONDS,
  forever: undefined,
} as const;

/** Name of one of {@link LIFETIMES}. */
export type Lifetime = keyof typeof LIFETIMES;

/** The lifetime with this name; three months for another one. */
export const lifetimeOf = (name: string): Lifetime =>
  name === 'day' || name === 'week' || name === 'month' || name === 'year' || name === 'forever'
    ? name
    : 'quarter';
