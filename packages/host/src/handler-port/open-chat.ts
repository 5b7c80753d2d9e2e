import { notFound } from '@agenthost/protocol';
import type { Channel } from '../sync/channel.ts';
import type { Sync } from '../sync/sync.ts';

/** A chat by its URI, or a session's default chat by the session's URI [CHAT-15]. */
export async function openChat(sync: Sync, uri: string): Promise<Channel<'chat'>> {
  const channel = await sync.registry.open(uri);
  if (channel?.is('chat') === true) return channel;
  const main = channel?.is('session') === true ? channel.state.defaultChat : undefined;
  const chat = main === undefined ? undefined : await sync.registry.openOf('chat', main);
  if (chat === undefined) throw notFound('Chat', uri);
  return chat;
}
