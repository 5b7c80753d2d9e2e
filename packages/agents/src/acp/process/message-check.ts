import type { AnyMessage } from '@agentclientprotocol/sdk';
import { isObject, type JsonObject } from '../json.ts';

/**
 * Greatest nesting of an agent's message; deeper parts are cut. Parts of messages become state a few levels
 * deeper, and clients refuse messages nested deeper than 128.
 */
const MAX_DEPTH = 48;

/** Replacement for a part that was cut. */
const CUT_OFF = '…';

/** Parses a line. `undefined` when it is not a JSON-RPC message. */
export function parseMessage(text: string): JsonObject | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value) || value['jsonrpc'] !== '2.0') return undefined;
    // A shorter line cannot contain that many brackets.
    const message = text.length > 2 * MAX_DEPTH ? withinDepth(value, MAX_DEPTH) : value;
    return isObject(message) ? message : undefined;
  } catch {
    // A log line that starts with a brace.
    return undefined;
  }
}

/**
 * A request, or a response with a valid id. The SDK would print other messages on stderr or send them back.
 */
export function isSdkMessage(message: unknown): message is AnyMessage {
  if (!isObject(message)) return false;
  const { id } = message;
  if (typeof id !== 'string' && (typeof id !== 'number' || !Number.isFinite(id)))
    return typeof message['method'] === 'string' && !('id' in message);
  return typeof message['method'] === 'string' || 'result' in message || 'error' in message;
}

/** The value itself when it is not too deep. The recursion stops at the limit. */
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
