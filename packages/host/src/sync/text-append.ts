import type { ChatAction, StateAction } from '@agenthost/protocol';

/** An action that only appends text to one part [CHAT-4]. */
export type TextAppend = Extract<ChatAction, { type: 'chat/delta' | 'chat/reasoning' }>;

/** Whether an action is a text append. */
export const isTextAppend = (action: StateAction): action is TextAppend =>
  action.type === 'chat/delta' || action.type === 'chat/reasoning';

/** One append that reduces to what two in a row reduce to, or `undefined` when they go to different parts. */
export function joinAppends(first: TextAppend, second: TextAppend): TextAppend | undefined {
  const isSameTarget =
    first.type === second.type && first.turnId === second.turnId && first.partId === second.partId;
  return isSameTarget ? { ...second, content: first.content + second.content } : undefined;
}

/** Encodes envelopes that append to one part after another: their JSON begins alike. */
export class AppendEncoder {
  readonly #channel: string;
  #type = '';
  #turnId = '';
  #partId = '';
  /** What such an envelope is up to its text. */
  #head = '';

  constructor(channel: string) {
    this.#channel = channel;
  }

  /** The envelope as `JSON.stringify` encodes it; `undefined` for an action with members that this encoder does not know. */
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
