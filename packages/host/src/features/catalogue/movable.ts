import { type ChatSummary, findChat, type SessionState } from '@agenthost/protocol';
import type { Channel } from '../../sync/channel.ts';
import type { Sync } from '../../sync/sync.ts';
import type { Tx } from '../../sync/tx.ts';

/**
 * Keeps `movable` of chats: the default chat never is [SESS-29], and worker chats go where the chat goes that they work for. Chats of an
 * earlier host version get the flag when they are loaded; no action is sent, so returning clients get a snapshot.
 */
export function keepMovable(sync: Sync): void {
  sync.observe('session', (tx, { channel, before, after, action }) => {
    if (action.type === 'session/defaultChatChanged' && before.defaultChat !== after.defaultChat) {
      setMovable(tx, sync, channel, before.defaultChat);
      setMovable(tx, sync, channel, after.defaultChat);
    }
  });
  sync.registry.onLoaded((channel) => {
    if (channel.is('session')) upgradeSession(sync, channel);
    else if (channel.is('chat')) upgradeChat(sync, channel);
  });
}

const isMovable = ({ defaultChat }: SessionState, { resource, origin }: ChatSummary): boolean =>
  resource !== defaultChat && origin?.kind !== 'tool';

function setMovable(tx: Tx, sync: Sync, session: Channel<'session'>, uri: string | undefined): void {
  const entry = uri === undefined ? undefined : findChat(session.state.chats, uri);
  if (uri === undefined || entry === undefined) return;
  const movable = isMovable(session.state, entry);
  if ((entry.movable ?? false) === movable) return;
  const action = { type: 'chat/movableChanged', movable } as const;
  const chat = sync.registry.getOf('chat', uri);
  // The entry follows a chat in memory.
  if (chat !== undefined) return tx.emit(chat, action);
  tx.emitUnloaded<'chat'>(uri, action);
  tx.emit(session, { type: 'session/chatUpdated', chat: uri, changes: { movable } });
}

function upgradeSession(sync: Sync, session: Channel<'session'>): void {
  const { state } = session;
  const isOld = (chat: ChatSummary): boolean => chat.movable === undefined && isMovable(state, chat);
  if (!state.chats.some(isOld)) return;
  const chats = state.chats.map((chat) => (isOld(chat) ? { ...chat, movable: true } : chat));
  sync.transact('host', (tx) => {
    tx.setWindow(session, { ...state, chats });
    tx.setHostData(session, { ...session.hostData, bornSeq: sync.emittedSeq });
    sync.registry.writeSnapshot(tx, session);
  });
}

function upgradeChat(sync: Sync, chat: Channel<'chat'>): void {
  const session = sync.registry.getOf('session', chat.session ?? '');
  const entry = session && findChat(session.state.chats, chat.uri);
  if (entry?.movable !== true || chat.state.movable !== undefined) return;
  sync.transact('host', (tx) => {
    tx.setWindow(chat, { ...chat.state, movable: true });
    tx.setHostData(chat, { ...chat.hostData, bornSeq: sync.emittedSeq });
    sync.registry.writeSnapshot(tx, chat);
  });
}
