import { usageError } from '../process/exit.ts';
import { oneLine } from '../render/plain-text.ts';

const SECONDS: Readonly<Record<string, number>> = { m: 60, h: 3_600, d: 86_400, w: 604_800 };

/** Seconds of `90m`, `12h`, `30d` or `2w`. Throws a usage error that names `option`. */
export function readDuration(option: string, text: string): number {
  const [, count = '', unit = ''] = /^(\d{1,6})([mhdw])$/.exec(text.trim()) ?? [];
  const seconds = Number(count) * (SECONDS[unit] ?? 0);
  if (seconds > 0) return seconds;
  throw usageError(`${option}: expected a time such as 90m, 12h, 30d or 2w, got ${oneLine(text)}`);
}
