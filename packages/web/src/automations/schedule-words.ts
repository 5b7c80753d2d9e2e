import type { AutomationDefinition, AutomationScheduleTrigger } from '@agenthost/protocol';
import { compileSchedule, InvalidSchedule, nextTimes } from '@agenthost/protocol/schedule';
import { automationsText } from '../text/automations-text.ts';
import { language } from '../text/text.ts';
import { visibleText } from '../text/visible-text.ts';
import { choiceOf } from './schedule-choice.ts';

/** The time zone of this browser. */
export const OWN_ZONE: string = new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The names of the days of the week, Sunday first. 1 January 2023 was a Sunday. */
export const WEEKDAYS: readonly string[] = Array.from({ length: 7 }, (_, day) =>
  new Intl.DateTimeFormat(language, { weekday: 'long', timeZone: 'UTC' }).format(Date.UTC(2023, 0, 1 + day)),
);

/** The schedules of an automation. */
export const schedulesOf = ({
  triggers,
}: Pick<AutomationDefinition, 'triggers'>): AutomationScheduleTrigger[] =>
  triggers.flatMap((trigger) => (trigger.kind === 'schedule' ? [trigger] : []));

/** A point in time by the clocks of a zone. */
export function timeInZone(ms: number, zone: string = OWN_ZONE): string {
  const options = {
    weekday: 'short',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
  } as const;
  try {
    return new Intl.DateTimeFormat(language, { ...options, timeZone: zone }).format(ms);
  } catch (error) {
    // The host may know zones that this browser does not.
    if (error instanceof RangeError) return new Intl.DateTimeFormat(language, options).format(ms);
    throw error;
  }
}

/** When an automation runs, in words where the form could ask for it so, else its expressions. */
export function whenWords({ triggers }: Pick<AutomationDefinition, 'triggers'>): string {
  const schedules = schedulesOf({ triggers });
  const events = triggers.flatMap((trigger) =>
    trigger.kind === 'event' ? automationsText.onEvents(visibleText(trigger.title)) : [],
  );
  const zone = schedules[0]?.schedule.timeZone;
  const suffix = zone === undefined || zone === OWN_ZONE ? '' : ` (${visibleText(zone)})`;
  const words = scheduleWords(schedules.map(({ schedule }) => schedule.expression));
  const all = [...(words === undefined ? [] : [`${words}${suffix}`]), ...events];
  return all.length === 0 ? automationsText.byHand : all.join(' · ');
}

function scheduleWords(expressions: readonly string[]): string | undefined {
  const { repeat, time, minute, weekday, day } = choiceOf(expressions);
  switch (repeat) {
    case 'never':
      return undefined;
    case 'hourly':
      return automationsText.everyHour(String(minute).padStart(2, '0'));
    case 'daily':
      return automationsText.everyDay(time);
    case 'weekdays':
      return automationsText.everyWeekday(time);
    case 'weekly':
      return automationsText.everyWeek(WEEKDAYS[weekday] ?? '', time);
    case 'monthly':
      return automationsText.everyMonth(day, time);
    case 'custom':
      return visibleText(expressions.join(' · '));
    default:
      return repeat satisfies never;
  }
}

/** The next times of expressions, or the reason why there are none. `isZone`: the reason is about the time zone. */
export function previewOf(
  expressions: readonly string[],
  timeZone: string,
  now: number,
): { readonly times: readonly string[] } | { readonly problem: string; readonly isZone: boolean } {
  try {
    const schedules = expressions.map((expression) => compileSchedule({ expression, timeZone }));
    return { times: nextTimes(schedules, now, 3).map((time) => timeInZone(time, timeZone)) };
  } catch (error) {
    if (!(error instanceof InvalidSchedule)) throw error;
    const isZone = error.message.startsWith('timeZone: ');
    return { problem: isZone ? error.message.slice('timeZone: '.length) : error.message, isZone };
  }
}
