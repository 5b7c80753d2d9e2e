import type { ChatAction, StateAction } from '@agenthost/protocol';

/** An action that changes the text of one part and nothing else [CHAT-4]. */
export type TextAppend = Extract<ChatAction, { type: 'chat/delta' | 'chat/reasoning' }>;

/** Whether an action is such an append. */
export const isTextAppend = (action: StateAction): action is TextAppend =>
  action.type === 'chat/delta' || action.type === 'chat/reasoning';

/** One append that reduces to what two in a row reduce to, or `undefined` when they go to different parts. */
export function joinAppends(first: TextAppend, second: TextAppend): TextAppend | undefined {
  const isSameTarget =
    first.type === second.type && first.turnId === second.turnId && first.partId === second.partId;
  return isSameTarget ? { ...second, content: first.content + second.content } : undefined;
}
