import { byteText } from './bytes.ts';
import { language } from './text.ts';

const SECOND_MS = 1_000;
const MINUTE_S = 60;
const HOUR_S = 3_600;

const compact = new Intl.NumberFormat(language, { notation: 'compact', maximumFractionDigits: 1 });
const percent = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 0 });
const time = new Intl.DateTimeFormat(language, { hour: '2-digit', minute: '2-digit' });
const dateTime = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' });
const unit = (name: string, digits = 0): Intl.NumberFormat =>
  new Intl.NumberFormat(language, {
    style: 'unit',
    unit: name,
    unitDisplay: 'narrow',
    maximumFractionDigits: digits,
  });
const seconds = unit('second');
const tenths = unit('second', 1);
const minutes = unit('minute');
const hours = unit('hour');

/** A duration for people: "0.4s", "12s", "3m 20s", "2h 5m". */
export function durationText(ms: number): string {
  const all = ms / SECOND_MS;
  if (all < 10) return tenths.format(Math.max(0, Math.round(all * 10) / 10));
  if (all < MINUTE_S) return seconds.format(Math.floor(all));
  if (all < HOUR_S) {
    const rest = Math.floor(all % MINUTE_S);
    const whole = minutes.format(Math.floor(all / MINUTE_S));
    return rest === 0 ? whole : `${whole} ${seconds.format(rest)}`;
  }
  return `${hours.format(Math.floor(all / HOUR_S))} ${minutes.format(Math.floor((all % HOUR_S) / MINUTE_S))}`;
}

/** A count in few characters: "950", "12.5K". */
export const countText = (count: number): string => compact.format(count);

/** A share, from 0 to 1. */
export const percentText = (share: number): string => percent.format(share);

/** The time of a day; `undefined` for an invalid text. */
export function timeText(iso: string): string | undefined {
  const at = Date.parse(iso);
  return Number.isNaN(at) ? undefined : time.format(at);
}

/** Date and time; `undefined` for an invalid text. */
export function dateTimeText(iso: string): string | undefined {
  const at = Date.parse(iso);
  return Number.isNaN(at) ? undefined : dateTime.format(at);
}

/** An amount of money. */
export function costText(amount: number, currency: string): string {
  try {
    return new Intl.NumberFormat(language, {
      style: 'currency',
      currency,
      maximumFractionDigits: amount < 1 ? 4 : 2,
    }).format(amount);
  } catch {
    // The agent named no known currency.
    return `${amount} ${currency}`;
  }
}

/** A size in bytes for people. */
export const bytesText = (bytes: number): string => byteText(bytes, language);
