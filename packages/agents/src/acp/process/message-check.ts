import type { AnyMessage } from '@agentclientprotocol/sdk';
import { isObject, type JsonObject } from '../json.ts';

/**
 * How deep a message of an agent may nest; what lies deeper is cut off. Some of it becomes state, a few levels further down there, and no
 * client takes a message that nests deeper than 128.
 */
const MAX_DEPTH = 48;

/** What stands for what was cut off. */
const CUT_OFF = '…';

/** Reads a line; `undefined` when it is no JSON-RPC message. */
export function parseMessage(text: string): JsonObject | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value) || value['jsonrpc'] !== '2.0') return undefined;
    // A line this short has no room for that many brackets.
    const message = text.length > 2 * MAX_DEPTH ? withinDepth(value, MAX_DEPTH) : value;
    return isObject(message) ? message : undefined;
  } catch {
    // A log line that happens to start with a brace.
    return undefined;
  }
}

/** A request or a response with an id that can be answered, or answers: the SDK would write down all others on stderr, or send them back. */
export function isSdkMessage(message: unknown): message is AnyMessage {
  if (!isObject(message)) return false;
  const { id } = message;
  if (typeof id !== 'string' && (typeof id !== 'number' || !Number.isFinite(id)))
    return typeof message['method'] === 'string' && !('id' in message);
  return typeof message['method'] === 'string' || 'result' in message || 'error' in message;
}

/** The same value where it is not too deep. Recursion ends at the limit, and so the stack is bounded too. */
function withinDepth(value: unknown, levels: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return CUT_OFF;
  if (Array.isArray(value)) {
    const items = value.map((item) => withinDepth(item, levels - 1));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  const entries = Object.entries(value);
  const kept = entries.map(([key, member]): [string, unknown] => [key, withinDepth(member, levels - 1)]);
  return kept.some(([, member], index) => member !== entries[index]?.[1]) ? Object.fromEntries(kept) : value;
}
