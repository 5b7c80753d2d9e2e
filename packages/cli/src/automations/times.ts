import type { AutomationDefinition, AutomationScheduleTrigger } from '@agenthost/protocol';
import { compileSchedule, InvalidSchedule, nextTimes, type Schedule } from '@agenthost/protocol/schedule';

/** A point in time for people, by the clocks of a time zone: `Sun 2026-11-29 03:00`. */
export function timeIn(timeZone: string, ms: number): string {
  const fields: Partial<Record<Intl.DateTimeFormatPartTypes, string>> = {};
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hourCycle: 'h23',
    weekday: 'short',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  });
  for (const { type, value } of format.formatToParts(ms)) fields[type] = value;
  const { weekday, year, month, day, hour, minute } = fields;
  return `${weekday} ${year}-${month}-${day} ${hour}:${minute}`;
}

/** The time zone of this machine. */
export const ownZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** How long from now, in the largest unit that fits: `in 14 h`. A past time is `now`. */
export function fromNow(ms: number, now: number): string {
  const minutes = Math.ceil((ms - now) / 60_000);
  if (minutes <= 0) return 'now';
  if (minutes < 60) return `in ${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `in ${hours} h` : `in ${Math.round(hours / 24)} d`;
}

/** The schedules of an automation. */
export const schedulesOf = ({
  triggers,
}: Pick<AutomationDefinition, 'triggers'>): AutomationScheduleTrigger[] =>
  triggers.flatMap((trigger) => (trigger.kind === 'schedule' ? [trigger] : []));

/** The next times of an automation by its own time zone. Empty when it is disabled, has no schedule, or has one that this program cannot read. */
export function nextTimesOf(definition: AutomationDefinition, now: number, count: number): string[] {
  const triggers = schedulesOf(definition);
  if (!definition.enabled) return [];
  const zone = triggers[0]?.schedule.timeZone;
  const schedules = triggers.flatMap(({ schedule }) => readable(schedule) ?? []);
  if (zone === undefined || schedules.length < triggers.length) return [];
  const end = (definition.disableConditions ?? []).flatMap((condition) =>
    condition.kind === 'afterDate' ? [Date.parse(condition.date)] : [],
  )[0];
  return nextTimes(schedules, now, count)
    .filter((time) => end === undefined || time <= end)
    .map((time) => timeIn(zone, time));
}

function readable(schedule: AutomationScheduleTrigger['schedule']): Schedule | undefined {
  try {
    return compileSchedule(schedule);
  } catch (error) {
    // Another host may know other time zones.
    if (error instanceof InvalidSchedule) return undefined;
    throw error;
  }
}
