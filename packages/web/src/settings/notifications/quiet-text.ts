import type { QuietHours } from '@agenthost/protocol';
import { text } from '../../text/text.ts';

/** What quiet hours mean, in words. `ownZone` is the time zone of this browser, which is not named. */
export function quietText({ from, to, timeZone }: QuietHours, ownZone: string): string {
  const zone = timeZone === ownZone ? undefined : timeZone.replaceAll('_', ' ');
  if (from === to) return text.settings.quietAllDay;
  // Times of the form HH:MM are ordered like their texts.
  return from < to ? text.settings.quietFromTo(from, to, zone) : text.settings.quietOvernight(from, to, zone);
}
