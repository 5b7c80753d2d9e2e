import { useSyncExternalStore } from 'react';
import { Emitter } from '../live/emitter.ts';
import { language } from '../text/text.ts';
import { relativeTime, shortTime } from './relative-time.ts';

/** How often relative times are updated. Milliseconds. */
const TICK_MS = 20_000;

const format = new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'narrow' });
const exact = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' });

const counts = new Map(
  (['minute', 'hour', 'day', 'week'] as const).map((unit) => [
    unit,
    new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'narrow' }),
  ]),
);
const short = (count: number, unit: 'minute' | 'hour' | 'day' | 'week'): string =>
  counts.get(unit)?.format(count) ?? '';

const ticked = new Emitter();
let listenerCount = 0;
let timer: ReturnType<typeof setInterval> | undefined;
let nowMs = Date.now();

function tick(): void {
  nowMs = Date.now();
  ticked.emit();
}

/** One clock for all times of the page. It stops while no component uses it. */
function subscribe(listener: () => void): () => void {
  const stop = ticked.add(listener);
  listenerCount += 1;
  if (listenerCount === 1) {
    timer = setInterval(tick, TICK_MS);
    nowMs = Date.now();
  }
  return () => {
    stop();
    listenerCount -= 1;
    if (listenerCount === 0) clearInterval(timer);
  };
}

/** How long ago an ISO 8601 time was, in words, or as a number and a letter. Renders again only when the words change. */
export function useRelativeTime(iso: string, isShort = false): string {
  return useSyncExternalStore(subscribe, () =>
    isShort ? shortTime(Date.parse(iso), nowMs, format, short) : relativeTime(Date.parse(iso), nowMs, format),
  );
}

/** An ISO 8601 time in full. */
export const exactTime = (iso: string): string => exact.format(Date.parse(iso));
