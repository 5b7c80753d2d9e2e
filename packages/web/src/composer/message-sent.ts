import type { ChatHandle } from '@agenthost/client';

const listeners = new Map<ChatHandle, Set<() => void>>();

/** Calls `listener` when the person here sends a message in a chat, so that the transcript shows it. Returns a function that removes it. */
export function onMessageSent(chat: ChatHandle, listener: () => void): () => void {
  const present = listeners.get(chat) ?? new Set();
  listeners.set(chat, present.add(listener));
  return () => {
    present.delete(listener);
    if (present.size === 0) listeners.delete(chat);
  };
}

/** Reports that the person here sent a message. */
export function tellMessageSent(chat: ChatHandle): void {
  for (const listener of listeners.get(chat) ?? []) listener();
}
