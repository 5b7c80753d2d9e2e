import type { StateAction } from '@agenthost/protocol';
import { beginningOf } from '../../lib/beginning-of.ts';

/** What stays of each text and each list. */
const MAX_TEXT = 200;
const MAX_MEMBERS = 100;

/**
 * An action of the same shape with short texts and lists: enough for its sender to recognise it by, and as easy to read for a strict
 * decoder as the whole.
 */
export function outlineOf(action: StateAction): unknown {
  return shortened(action);
}

/** Texts up to so many characters come back as they are. */
const LONG = 16 * 1024;

/** What somebody sent, but for long texts, of which the beginning is enough: its sender has the rest. */
export function withoutLongTexts(value: unknown): unknown {
  if (typeof value === 'string') return value.length > LONG ? shortened(value) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutLongTexts);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withoutLongTexts(member)]));
}

function shortened(value: unknown): unknown {
  if (typeof value === 'string') return value.length > MAX_TEXT ? `${beginningOf(value, MAX_TEXT)}…` : value;
  if (Array.isArray(value)) return value.slice(0, MAX_MEMBERS).map(shortened);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).slice(0, MAX_MEMBERS);
  return Object.fromEntries(entries.map(([key, member]) => [beginningOf(key, MAX_TEXT), shortened(member)]));
}
