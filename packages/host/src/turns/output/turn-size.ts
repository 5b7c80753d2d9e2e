import { CHANNEL_LIMITS, type ChatAction, type ResponsePart } from '@agenthost/protocol';

/**
 * Maximum characters of a turn. Limits the memory that an agent with endless output can take, and lets each
 * turn fit into a response.
 */
export const MAX_TURN_LENGTH = CHANNEL_LIMITS.turnLength.max;

/**
 * Maximum parts of a turn: texts, tool calls, notices, questions. Each action copies the list of parts, on
 * the host and on every client, so the cost grows with the square of the list's length. 50,000 tool calls
 * take some twenty seconds of processor time, in short ticks (`backpressure.ts`).
 */
export const MAX_TURN_PARTS = CHANNEL_LIMITS.turnParts.max;

/**
 * Approximate size of a turn: the sum of its actions. An action that replaces an earlier value is counted in
 * its place.
 */
export class TurnSize {
  #length = 0;
  #partCount = 0;
  /** Length of each replaceable value, by the id of its owner. */
  readonly #replaced = new Map<string, number>();

  get partCount(): number {
    return this.#partCount;
  }

  /** Counts the parts that a resumed turn has already. */
  addParts(parts: readonly ResponsePart[]): void {
    this.#partCount += parts.length;
    for (const part of parts) this.#length += JSON.stringify(part).length;
  }

  /** Counts one action. Returns the limit that the turn exceeds, as text for users, or `undefined`. */
  add(action: ChatAction): string | undefined {
    switch (action.type) {
      case 'chat/delta':
      case 'chat/reasoning':
      case 'chat/toolCallDelta':
        this.#length += lengthOf(action.content ?? '');
        break;
      case 'chat/responsePart':
      case 'chat/toolCallStart':
        this.#partCount += 1;
        this.#length += lengthOf(action);
        break;
      // The content of a running call is not counted: it is cut to a preview and replaced by the result.
      case 'chat/toolCallReady':
        this.#replace(action.toolCallId, lengthOf(action));
        break;
      // The last action of a call.
      case 'chat/toolCallComplete':
        this.#replaced.delete(action.toolCallId);
        this.#length += lengthOf(action);
        break;
      case 'chat/inputRequested': {
        const key = `${action.type} ${action.request.id}`;
        // Each request becomes a part when it is answered.
        if (!this.#replaced.has(key)) this.#partCount += 1;
        this.#replace(key, lengthOf(action));
        break;
      }
      default:
    }
    if (this.#partCount > MAX_TURN_PARTS) return `${MAX_TURN_PARTS.toLocaleString('en-US')} parts`;
    return this.#length > MAX_TURN_LENGTH ? `${MAX_TURN_LENGTH / (1024 * 1024)} MiB of text` : undefined;
  }

  #replace(what: string, length: number): void {
    this.#length += length - (this.#replaced.get(what) ?? 0);
    this.#replaced.set(what, length);
  }
}

/**
 * Characters as encoded JSON, where a control character takes six. A turn of control characters could
 * otherwise exceed the frame limit of clients. Leaves out the fields that only address an action: state
 * contains each call id once and the turn id not at all.
 */
function lengthOf(value: ChatAction | string): number {
  if (typeof value === 'string') return JSON.stringify(value).length - 2;
  const isStart = value.type === 'chat/toolCallStart';
  const addressing = { type: undefined, turnId: undefined, ...(isStart ? {} : { toolCallId: undefined }) };
  return JSON.stringify({ ...value, ...addressing }).length;
}
