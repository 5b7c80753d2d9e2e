import type { StateAction } from '@agenthost/protocol';
import { beginningOf } from '../../lib/beginning-of.ts';

/** Limits of an outline: characters of each text, members of each list and object. */
const MAX_TEXT = 200;
const MAX_MEMBERS = 100;

/** Returns the action with shortened texts and lists. Its sender recognises it, and a strict decoder reads it like the whole action. */
export function outlineOf(action: StateAction): unknown {
  return shortened(action);
}

/** Longest text that is echoed whole, in characters. */
const MAX_ECHOED_TEXT = 16 * 1024;

/** Returns a value with long texts shortened. The echo goes to the sender, which has the whole. */
export function withoutLongTexts(value: unknown): unknown {
  if (typeof value === 'string') return value.length > MAX_ECHOED_TEXT ? shortened(value) : value;
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
