import type { HostLogRecord } from '@agenthost/client';
import { shortId } from '../input/ids.ts';
import { oneLine } from '../render/plain-text.ts';

/** Attributes of the host's log that a line shows, besides those without a dot in their names. */
const SHOWN: Readonly<Record<string, string>> = {
  'ahp.session.id': 'session',
  'exception.message': 'error',
  'error.type': 'type',
};

const LONGEST_VALUE = 300;

/** `2026-11-28T09:30:00.000Z INFO  a turn of demo has started session=4f2a91c0`. */
export function logLine({ ms, severity, body, attributes }: HostLogRecord): string {
  const facts = Object.entries(attributes).flatMap(([name, value]) => {
    const shown = SHOWN[name] ?? (name.includes('.') ? undefined : name);
    if (shown === undefined) return [];
    const text = name === 'ahp.session.id' ? shortId(String(value)) : oneLine(String(value), LONGEST_VALUE);
    return [`${oneLine(shown, 40)}=${text.includes(' ') ? JSON.stringify(text) : text}`];
  });
  const time = new Date(ms).toISOString();
  return [time, oneLine(severity, 8).padEnd(5), oneLine(body, 500), ...facts].join(' ');
}
