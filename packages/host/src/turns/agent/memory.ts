import type { Channel } from '../../sync/channel.ts';
import type { Tx } from '../../sync/tx.ts';

/** Drops what the chat's agent remembers, and was told, of a history that is no more [CHAT-6]. */
export function forgetMemory(tx: Tx, chat: Channel<'chat'>): void {
  const { memory, instructed, ...hostData } = chat.hostData;
  if (memory !== undefined || instructed !== undefined) tx.setHostData(chat, hostData);
}
