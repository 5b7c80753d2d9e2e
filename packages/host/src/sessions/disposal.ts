import { annotationsUri, sessionNotFound } from '@agenthost/protocol';
import type { Channel } from '../sync/channel.ts';
import { dropImported } from '../sync/importing.ts';
import type { Sync } from '../sync/sync.ts';
import { turnDuration } from '../sync/turn-time.ts';
import type { Tx } from '../sync/tx.ts';
import type { TurnSupervisor } from '../turns/supervisor.ts';
import type { SessionParts } from './parts.ts';

/** Number of chats that one transaction loads and removes. */
const AT_ONCE = 100;

type DisposalParts = Pick<SessionParts, 'sync' | 'turns' | 'terminals' | 'progress' | 'listing'>;

/**
 * Removes a session with all its content, in the order of [SESS-3]. Many chats are removed in several
 * transactions, so that other requests can run in between. If the host is killed meanwhile, the session stays
 * with its default chat and the chats not removed yet. Throws `-32001` if there is no such session.
 */
export async function disposeSession(parts: DisposalParts, uri: string): Promise<void> {
  const { sync, terminals } = parts;
  const session = await sync.registry.openOf('session', uri);
  if (session === undefined) throw sessionNotFound(uri);
  // Chats of a running import are removed with the import.
  const hasMany = (): boolean =>
    session.hostData.importing === undefined && session.state.chats.length > AT_ONCE;
  if (hasMany()) sync.transact('client', (tx) => endWork(tx, parts, session, chatsOf(sync, session)));
  while (hasMany()) {
    const slice = session.state.chats.slice(-AT_ONCE).map(({ resource }) => resource);
    for (const chat of slice) await sync.registry.open(chat);
    checkPresent(session);
    await sync.commit('client', (tx) => removeChats(tx, parts, session, slice));
    await sync.path.nextTurn();
  }
  for (const { uri: owned } of await sync.journal.listChannels(uri)) await sync.registry.open(owned);
  for (const held of terminals.heldBy(uri)) await sync.registry.open(held);
  checkPresent(session);
  sync.transact('client', (tx) => removeSession(tx, parts, session));
}

/** Removes a session in one transaction, in the order of [SESS-3]. */
export function removeSession(tx: Tx, parts: DisposalParts, session: Channel<'session'>): void {
  const { sync, progress, listing } = parts;
  const own = chatsOf(sync, session);
  endWork(tx, parts, session, own);
  for (const chat of own) removeChat(tx, parts, session, chat);
  dropAnnotations(tx, sync, session);
  dropImported(tx, sync, session);
  progress.end(tx, session.uri, 'The session was removed');
  tx.write({ op: 'dropSession', uri: session.uri });
  const isListed = session.hostData.unlistedFor === undefined;
  if (isListed) tx.notifyRoot('root/sessionRemoved', { channel: sync.root.uri, session: session.uri });
  sync.registry.dispose(tx, session);
  listing.removed(tx, session);
}

function dropAnnotations(tx: Tx, { registry }: Sync, session: Channel<'session'>): void {
  const uri = annotationsUri(session.uri);
  const annotations = registry.get(uri);
  if (annotations === undefined) registry.disposeUnloaded(tx, uri);
  else registry.dispose(tx, annotations);
}

/** Removes chats that are in memory, last first, except the default chat. */
function removeChats(
  tx: Tx,
  parts: DisposalParts,
  session: Channel<'session'>,
  uris: readonly string[],
): void {
  for (const uri of uris.toReversed()) {
    const chat = parts.sync.registry.getOf('chat', uri);
    if (chat !== undefined && uri !== session.state.defaultChat) removeChat(tx, parts, session, chat);
  }
}

/** Ends the turns of a session that is removed, and then its terminals. */
function endWork(
  tx: Tx,
  { sync, terminals }: DisposalParts,
  session: Channel<'session'>,
  chats: readonly Channel<'chat'>[],
): void {
  for (const chat of chats) {
    const turnId = chat.state.activeTurn?.id;
    if (turnId !== undefined)
      tx.emit(chat, { type: 'chat/turnCancelled', turnId, duration: turnDuration(sync, chat) });
  }
  for (const channel of [...sync.registry.ofSession(session.uri)]) {
    if (!channel.is('changeset')) continue;
    tx.emit(channel, { type: 'changeset/cleared' });
    sync.registry.dispose(tx, channel);
  }
  terminals.disposeHeldBy(tx, session.uri);
}

/** The chats that are in memory. */
function chatsOf(sync: Sync, session: Channel<'session'>): Channel<'chat'>[] {
  // The last one first, so that no entry of the list moves.
  const inCatalogue = session.state.chats.toReversed().map(({ resource }) => sync.registry.get(resource));
  return [...new Set([...inCatalogue, ...sync.registry.ofSession(session.uri)])].flatMap((channel) =>
    channel?.is('chat') === true ? [channel] : [],
  );
}

/** Another request may have removed the session. */
function checkPresent(session: Channel<'session'>): void {
  if (!session.isAlive) throw sessionNotFound(session.uri);
}

/**
 * Ends a chat's turn and removes the chat from its session. The session may be left without a default chat.
 */
export function removeChat(
  tx: Tx,
  { sync, turns }: { readonly sync: Sync; readonly turns: Pick<TurnSupervisor, 'disposeChat'> },
  session: Channel<'session'>,
  chat: Channel<'chat'>,
): void {
  const { uri } = chat;
  const turnId = chat.state.activeTurn?.id;
  if (turnId !== undefined)
    tx.emit(chat, { type: 'chat/turnCancelled', turnId, duration: turnDuration(sync, chat) });
  tx.emit(session, { type: 'session/chatRemoved', chat: uri });
  sync.registry.dispose(tx, chat);
  tx.effect(() => turns.disposeChat(uri));
}
