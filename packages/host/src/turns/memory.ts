import type { Channel } from '../sync/channel.ts';
import type { Sync } from '../sync/sync.ts';

/** Drops what the chat's agent remembers, and was told, of a history that is no more [CHAT-6]. Inside `path.transact` only. */
export function forgetMemory(sync: Sync, chat: Channel<'chat'>): void {
  const { memory, instructed, ...local } = chat.local;
  if (memory !== undefined || instructed !== undefined) sync.setLocal(chat, local);
}
