import type { Channel } from '../sync/channel.ts';
import type { Sync } from '../sync/sync.ts';
import type { Tx } from '../sync/tx.ts';
import type { TurnSupervisor } from '../turns/supervisor.ts';

/** Ends a chat's turn and takes the chat out of its session, which may be left without a default chat. */
export function removeChat(
  tx: Tx,
  { sync, turns }: { readonly sync: Sync; readonly turns: Pick<TurnSupervisor, 'disposeChat'> },
  session: Channel<'session'>,
  chat: Channel<'chat'>,
): void {
  const { uri } = chat;
  const turnId = chat.state.activeTurn?.id;
  if (turnId !== undefined) tx.emit(chat, { type: 'chat/turnCancelled', turnId });
  tx.emit(session, { type: 'session/chatRemoved', chat: uri });
  sync.registry.dispose(tx, chat);
  tx.effect(() => turns.disposeChat(uri));
}
