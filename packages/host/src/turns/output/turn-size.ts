import { CHANNEL_LIMITS, type ChatAction } from '@agenthost/protocol';

/**
 * What a turn may hold, in characters. An agent that goes on without end must not take the host's memory, and every turn has to fit into an
 * answer.
 */
export const MAX_TURN_LENGTH = CHANNEL_LIMITS.turnLength.max;

/**
 * Parts of a turn: texts, tool calls, notices, questions. Each action copies the list of them, on the host and on every client, ours or
 * foreign: what a longer list costs grows with its square. 50,000 tool calls take some twenty seconds of processor time, in short ticks (`pace.ts`).
 */
export const MAX_TURN_PARTS = CHANNEL_LIMITS.turnParts.max;

/** How large a turn has become, about: each action's share of the state, those that replace something counted anew. */
export class TurnSize {
  #length = 0;
  #partCount = 0;
  /** Length of what is replaced, by what it belongs to. */
  readonly #replaced = new Map<string, number>();

  get partCount(): number {
    return this.#partCount;
  }

  /** Counts one action; what the turn holds more of than it may, for people, or `undefined`. */
  add(action: ChatAction): string | undefined {
    switch (action.type) {
      case 'chat/delta':
      case 'chat/reasoning':
      case 'chat/toolCallDelta':
        this.#length += lengthOf(action.content);
        break;
      case 'chat/responsePart':
      case 'chat/toolCallStart':
        this.#partCount += 1;
        this.#length += lengthOf(action);
        break;
      // The content of a call that runs is cut to a preview, and replaced by its result.
      case 'chat/toolCallReady':
        this.#replace(action.toolCallId, lengthOf(action));
        break;
      // Its last.
      case 'chat/toolCallComplete':
        this.#replaced.delete(action.toolCallId);
        this.#length += lengthOf(action);
        break;
      case 'chat/inputRequested': {
        const key = `${action.type} ${action.request.id}`;
        // Each becomes a part when it is answered.
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
 * Characters as they go out, where a control character takes six: a turn of nothing else would be larger than any client's frame. Without
 * the fields that only address an action: state names each call once, and its turn not at all.
 */
function lengthOf(value: ChatAction | string): number {
  if (typeof value === 'string') return JSON.stringify(value).length - 2;
  const isStart = value.type === 'chat/toolCallStart';
  const addressing = { type: undefined, turnId: undefined, ...(isStart ? {} : { toolCallId: undefined }) };
  return JSON.stringify({ ...value, ...addressing }).length;
}
