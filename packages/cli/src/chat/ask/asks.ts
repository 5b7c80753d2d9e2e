import type { ChatInputRequest, ChatState, ToolCallConfirmationState } from '@agenthost/protocol';

/** Something in a chat that waits for a person. */
export type Ask =
  | { readonly kind: 'call'; readonly id: string; readonly toolCall: ToolCallConfirmationState }
  | { readonly kind: 'request'; readonly id: string; readonly request: ChatInputRequest };

/** All that waits in a chat, in the order in which it came up. */
export function asksOf(chat: ChatState): Ask[] {
  const asks: Ask[] = [];
  for (const part of chat.activeTurn?.responseParts ?? []) {
    if (part.kind !== 'toolCall') continue;
    const { toolCall } = part;
    if (toolCall.status === 'pending-confirmation' || toolCall.status === 'pending-result-confirmation') {
      asks.push({ kind: 'call', id: `call ${toolCall.toolCallId}`, toolCall });
    }
  }
  for (const request of chat.inputRequests ?? [])
    asks.push({ kind: 'request', id: `request ${request.id}`, request });
  return asks;
}
