import type { Ids } from '../../lib/clock.ts';
import type { Channel } from '../../sync/channel.ts';
import type { Sync } from '../../sync/sync.ts';

/** Starts the head of the queue when the chat is idle [CHAT-12]. Inside `path.transact` only; the id of the turn that started. */
export function startQueued(sync: Sync, ids: Ids, chat: Channel<'chat'>): string | undefined {
  const head = chat.state.queuedMessages?.[0];
  if (head === undefined || chat.state.activeTurn !== undefined) return undefined;
  const session = sync.registry.getOf('session', chat.session ?? '');
  if (session?.state.lifecycle === 'creationFailed') return undefined;
  const turnId = ids.next();
  sync.emit(chat, { type: 'chat/pendingMessageRemoved', kind: 'queued', id: head.id });
  sync.emit(chat, { type: 'chat/turnStarted', turnId, message: head.message, queuedMessageId: head.id });
  return turnId;
}
