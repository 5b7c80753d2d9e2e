import type { QuietHours } from '@agenthost/protocol';
import { settingsText } from '../../text/settings-text.ts';

/** Quiet hours in words. `ownZone` is the time zone of this browser, which is not named. `locale` is a BCP 47 tag. */
export function quietText({ from, to, timeZone }: QuietHours, ownZone: string, locale: string): string {
  if (from === to) return settingsText.quietAllDay;
  const zone = timeZone === ownZone ? undefined : timeZone.replaceAll('_', ' ');
  // Times of the form HH:MM are ordered like their texts.
  const words = from < to ? settingsText.quietFromTo : settingsText.quietOvernight;
  return words(clockText(from, locale), clockText(to, locale), zone);
}

/** A time of the form HH:MM as people of the locale write it. */
function clockText(time: string, locale: string): string {
  const [hours, minutes] = time.split(':').map(Number);
  return new Intl.DateTimeFormat(locale, { timeStyle: 'short', timeZone: 'UTC' }).format(
    Date.UTC(1970, 0, 1, hours, minutes),
  );
}
