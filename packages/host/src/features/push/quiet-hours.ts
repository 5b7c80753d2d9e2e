import type { QuietHours } from '@agenthost/protocol';

/** Why these are no quiet hours; `undefined`: they are. */
export function quietHoursProblem({ from, to, timeZone }: QuietHours): string | undefined {
  for (const [field, time] of [
    ['from', from],
    ['to', to],
  ] as const)
    if (!/^([01]\d|2[0-3]):[0-5]\d$/.test(time)) return `${field}: expected a time such as "22:30"`;
  return formatOf(timeZone) === undefined
    ? 'timeZone: expected an IANA time zone such as "Europe/Berlin"'
    : undefined;
}

/** Whether a point in time, in ms since the epoch, is in the quiet hours. */
export function isQuiet({ from, to, timeZone }: QuietHours, now: number): boolean {
  // Times of the form HH:MM are ordered like their texts.
  const time = formatOf(timeZone)?.format(now);
  if (time === undefined) return false;
  return from < to ? from <= time && time < to : from <= time || time < to;
}

/** `undefined`: this system does not know the time zone. */
function formatOf(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en-GB', {
      timeZone,
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    });
  } catch {
    return undefined;
  }
}
