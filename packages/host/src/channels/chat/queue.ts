import type { PendingMessage } from '@agenthost/protocol';
import type { Ids } from '../../lib/clock.ts';
import type { Channel } from '../../sync/channel.ts';
import type { Sync } from '../../sync/sync.ts';

/** Starts the head of the queue when the chat is idle [CHAT-12]. Inside `path.transact` only; true when a turn started. */
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

/** Moves a steering message that no agent takes to the head of the queue [CHAT-12]. Inside `path.transact` only. */
export function queueSteering(sync: Sync, chat: Channel<'chat'>, { id, message }: PendingMessage): void {
  sync.emit(chat, { type: 'chat/pendingMessageRemoved', kind: 'steering', id });
  sync.emit(chat, { type: 'chat/pendingMessageSet', kind: 'queued', id, message });
  sync.emit(chat, { type: 'chat/queuedMessagesReordered', order: [id] });
}
