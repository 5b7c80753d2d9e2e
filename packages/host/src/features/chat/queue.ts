import type { Ids } from '../../lib/clock.ts';
import type { Channel } from '../../sync/channel.ts';
import type { Sync } from '../../sync/sync.ts';
import type { Tx } from '../../sync/tx.ts';
import type { MessageContents } from '../../turns/message-contents.ts';

/** Starts the head of the queue when the chat is idle [CHAT-12]. Returns the id of the turn that started. */
export function startQueued(
  tx: Tx,
  { sync, ids, attached }: { sync: Sync; ids: Ids; attached: MessageContents },
  chat: Channel<'chat'>,
): string | undefined {
  const head = chat.state.queuedMessages?.[0];
  if (head === undefined || chat.state.activeTurn !== undefined) return undefined;
  const session = sync.registry.getOf('session', chat.session ?? '');
  if (session?.state.lifecycle === 'creationFailed') return undefined;
  const turnId = ids.next();
  const message = attached.inTurn(tx, { session: session?.uri ?? '', chat: chat.uri }, head.message, turnId);
  tx.emit(chat, { type: 'chat/pendingMessageRemoved', kind: 'queued', id: head.id });
  tx.emit(chat, { type: 'chat/turnStarted', turnId, message, queuedMessageId: head.id });
  return turnId;
}
