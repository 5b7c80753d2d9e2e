import type { ChatAction } from '@agenthost/protocol';

/** What a turn may hold, in characters. An agent that goes on without end must not take the host's memory, and so every other session. */
export const MAX_TURN_LENGTH = 64 * 1024 * 1024;

/** How large a turn has become, about: each action's share of the state, those that replace something counted anew. */
export class TurnSize {
  #length = 0;
  /** Length of what is replaced, by what it belongs to. */
  readonly #replaced = new Map<string, number>();

  /** Counts one action; true when the turn holds more than it may. */
  add(action: ChatAction): boolean {
    switch (action.type) {
      case 'chat/delta':
      case 'chat/reasoning':
      case 'chat/toolCallDelta':
        this.#length += action.content.length;
        break;
      case 'chat/responsePart':
      case 'chat/toolCallStart':
        this.#length += lengthOf(action);
        break;
      // The content of a call that runs is cut to a preview, and replaced by its result.
      case 'chat/toolCallReady':
      case 'chat/toolCallComplete':
        this.#replace(`${action.type} ${action.toolCallId}`, lengthOf(action));
        break;
      case 'chat/inputRequested':
        this.#replace(`${action.type} ${action.request.id}`, lengthOf(action));
        break;
      default:
    }
    return this.#length > MAX_TURN_LENGTH;
  }

  #replace(what: string, length: number): void {
    this.#length += length - (this.#replaced.get(what) ?? 0);
    this.#replaced.set(what, length);
  }
}

const lengthOf = (action: ChatAction): number => JSON.stringify(action).length;
