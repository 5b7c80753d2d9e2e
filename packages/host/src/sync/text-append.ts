import type { ChatAction, StateAction } from '@agenthost/protocol';

/** An action that only appends text to one part [CHAT-4]. */
export type TextAppend = Extract<ChatAction, { type: 'chat/delta' | 'chat/reasoning' }>;

/** Whether an action is a text append. */
export const isTextAppend = (action: StateAction): action is TextAppend =>
  action.type === 'chat/delta' || action.type === 'chat/reasoning';

/** One append with the effect of two consecutive ones, or `undefined` if they belong to different parts. */
export function joinAppends(first: TextAppend, second: TextAppend): TextAppend | undefined {
  const isSameTarget =
    first.type === second.type && first.turnId === second.turnId && first.partId === second.partId;
  return isSameTarget ? { ...second, content: first.content + second.content } : undefined;
}

/** Encodes envelopes of appends to the same part, whose JSON starts with the same text. */
export class AppendEncoder {
  readonly #channel: string;
  #type = '';
  #turnId = '';
  #partId = '';
  /** The JSON of such an envelope up to the appended text. */
  #head = '';

  constructor(channel: string) {
    this.#channel = channel;
  }

  /**
   * The envelope as `JSON.stringify` encodes it. `undefined` if the action has members that this encoder does
   * not know.
   */
  encode(action: TextAppend, seq: number, time: number): string | undefined {
    if ('_meta' in action) return undefined;
    const { type, turnId, partId, content } = action;
    if (partId !== this.#partId || turnId !== this.#turnId || type !== this.#type) {
      this.#type = type;
      this.#turnId = turnId;
      this.#partId = partId;
      const empty = JSON.stringify({ channel: this.#channel, action: { type, turnId, partId, content: '' } });
      this.#head = empty.slice(0, -'""}}'.length);
    }
    return `${this.#head}${JSON.stringify(content)}},"serverSeq":${seq},"x-time":${time}}`;
  }
}
