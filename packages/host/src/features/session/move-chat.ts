import {
  type ChatMoveDestination,
  type ChatSummary,
  findChat,
  invalidParam,
  invalidParams,
  notFound,
  type SessionState,
  SessionStatus,
  sessionNotFound,
  turnInProgress,
} from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { metadataOf } from '../../config/session-keys.ts';
import type { Caller } from '../../handler-port/channel-module.ts';
import type { Command } from '../../handler-port/commands.ts';
import { entryRow, summarize } from '../../sessions/catalogue.ts';
import { checkRoom } from '../../sessions/chat-room.ts';
import { passedOn } from '../../sessions/fork.ts';
import type { SessionParts } from '../../sessions/parts.ts';
import type { Channel } from '../../sync/channel.ts';
import { newSessionUri } from '../../sync/new-chat.ts';
import type { Tx } from '../../sync/tx.ts';

/** A chat and its worker chats, which go to another session together. */
interface Family {
  readonly source: Channel<'session'>;
  readonly chat: Channel<'chat'>;
  /** The chat first, then its workers, in the order of the catalogue. */
  readonly members: readonly Channel<'chat'>[];
}

/**
 * `moveChat` [SESS-29]: all in one transaction, so that a failure leaves everything as it was. Channels and subscriptions stay. Other
 * agents and active turns are refused.
 */
export function moveChat(parts: SessionParts): Command<'moveChat'> {
  const { sync } = parts;
  return async ({ channel: uri, destination }, caller) => {
    const chat = await sync.registry.openOf('chat', uri);
    if (destination.kind === 'session') await sync.registry.open(destination.session);
    await openAll(parts, chat);
    // Nothing is awaited from here on.
    const source = sync.registry.getOf('session', chat?.session ?? '');
    if (chat?.isAlive !== true || source === undefined) throw notFound('Chat', uri);
    checkSettled(source);
    checkMovable(source, uri);
    if (destination.kind === 'session' && destination.session === source.uri) {
      const order = orderWith(source.state.chats, [uri], afterOf(destination, source, uri));
      sync.transact('client', (tx) => reorder(tx, source, order));
      return { session: source.uri };
    }
    const family = familyOf(parts, source, chat);
    if (destination.kind === 'newSession') return { session: moveToNew(parts, family, caller) };
    const target = sync.registry.getOf('session', destination.session);
    if (target?.isAlive !== true) throw sessionNotFound(destination.session);
    moveTo(parts, family, target, afterOf(destination, target, uri));
    return { session: target.uri };
  };
}

/** Loads the worker chats and terminals of a chat, so that none is moved while it is being read. */
async function openAll(parts: SessionParts, chat: Channel<'chat'> | undefined): Promise<void> {
  const { sync } = parts;
  for (;;) {
    const session = sync.registry.getOf('session', chat?.session ?? '');
    if (chat === undefined || session === undefined) return;
    const members = [chat.uri, ...workersOf(session.state, chat.uri).map(({ resource }) => resource)];
    const missing = [...members, ...heldBy(parts, members)].find((uri) => !sync.registry.get(uri));
    if (missing === undefined || (await sync.registry.open(missing)) === undefined) return;
  }
}

/** URIs of the terminals that some chats hold. */
const heldBy = ({ sync }: SessionParts, chats: readonly string[]): readonly string[] =>
  (sync.root.state.terminals ?? []).flatMap(({ resource, claim }) =>
    claim.kind === 'session' && chats.includes(claim.chat) ? [resource] : [],
  );

/** The worker chats of a chat, and those that they started. */
function workersOf({ chats }: SessionState, uri: string): readonly ChatSummary[] {
  const family = new Set([uri]);
  for (let before = 0; before !== family.size; ) {
    before = family.size;
    for (const { resource, origin } of chats)
      if (origin?.kind === 'tool' && family.has(origin.chat)) family.add(resource);
  }
  return chats.filter(({ resource }) => resource !== uri && family.has(resource));
}

/** Throws if the session cannot take or give a chat now. */
function checkSettled({ uri, state, hostData }: Channel<'session'>): void {
  if (hostData.importing !== undefined)
    throw invalidParams(`Session ${uri} is being imported: wait until it is ready`);
  if (state.lifecycle === 'failed') throw invalidParams(`Session ${uri} could not be created`);
}

function afterOf(
  { after }: Extract<ChatMoveDestination, { kind: 'session' }>,
  target: Channel<'session'>,
  chat: string,
): string | undefined {
  if (after === undefined) return undefined;
  if (after === chat || findChat(target.state.chats, after) === undefined)
    throw invalidParam('destination.after', `${after} is no other chat of session ${target.uri}`);
  return after;
}

/** The default chat stays, and worker chats go where the chat goes that they work for. */
function checkMovable({ state }: Channel<'session'>, uri: string): void {
  if (uri === state.defaultChat || findChat(state.chats, uri)?.movable !== true)
    throw invalidParams(`Chat ${uri} is not movable`);
}

/** Throws if a turn runs in one of the chats. */
function familyOf({ sync }: SessionParts, source: Channel<'session'>, chat: Channel<'chat'>): Family {
  const workers = workersOf(source.state, chat.uri).flatMap(
    ({ resource }) => sync.registry.getOf('chat', resource) ?? [],
  );
  const members = [chat, ...workers];
  for (const { uri, state } of members) {
    if (state.activeTurn !== undefined) throw turnInProgress(uri, state.activeTurn.id);
  }
  return { source, chat, members };
}

function moveTo(
  parts: SessionParts,
  family: Family,
  target: Channel<'session'>,
  after: string | undefined,
): void {
  const { source, members } = family;
  const { provider } = target.state;
  checkSettled(target);
  if (provider !== source.state.provider)
    throw invalidParam(
      'destination.session',
      `${target.uri} belongs to agent ${provider}, not ${source.state.provider}`,
    );
  checkFolders(family, target);
  checkRoom(target, members.length);
  const entries = entriesOf(family);
  const order = orderWith(
    target.state.chats,
    members.map(({ uri }) => uri),
    after,
  );
  parts.sync.transact('client', (tx) => {
    leave(tx, parts, family, target.uri);
    // A session that is not listed ends with its client.
    if (target.hostData.unlistedFor !== undefined) parts.listing.publish(tx, parts.sync, target);
    for (const summary of entries) tx.emit(target, { type: 'session/chatAdded', summary });
    reorder(tx, target, order);
  });
}

/**
 * A chat works in folders of its session [SESS-23], and its agent remembers paths there. A chat without folders of its own works in the
 * primary one, which must be the same.
 */
function checkFolders({ source, chat }: Family, target: Channel<'session'>): void {
  const own = findChat(source.state.chats, chat.uri)?.workingDirectories;
  const folders = own ?? source.state.workingDirectories?.slice(0, 1) ?? [];
  const there = target.state.workingDirectories ?? [];
  const missing = folders.find((folder) => !(own === undefined ? there.slice(0, 1) : there).includes(folder));
  if (missing !== undefined)
    throw invalidParam(
      'destination.session',
      `${target.uri} does not work in the folder of the chat, ${missing}`,
    );
}

function moveToNew(parts: SessionParts, family: Family, caller: Caller): string {
  const { sync, ids, listing } = parts;
  const { source, chat } = family;
  const uri = newSessionUri(ids);
  const nowIso = new Date(sync.stamp()).toISOString();
  const [first, ...workers] = entriesOf(family);
  if (first === undefined) throw notFound('Chat', chat.uri);
  const { provider, project, config } = source.state;
  const workingDirectories = first.workingDirectories ?? source.state.workingDirectories;
  const isElsewhere = workingDirectories?.[0] !== source.state.workingDirectories?.[0];
  const values = config && passedOn(config.values, caller.isAdmin);
  const metadata = metadataOf(values);
  const state: SessionState = {
    provider,
    title: first.title,
    status: SessionStatus.Idle,
    ...defined({
      workingDirectories,
      project: isElsewhere ? undefined : project,
      config: config && values && { ...config, values },
    }),
    lifecycle: 'ready',
    activeClients: [],
    chats: [{ ...first, movable: false }, ...workers],
    defaultChat: chat.uri,
    ...(Object.keys(metadata).length === 0 ? {} : { _meta: { metadata } }),
  };
  const titledBy = first.title === '' ? 'nobody' : (chat.hostData.titledBy ?? 'client');
  sync.transact('client', (tx) => {
    const summary = summarize(uri, state, nowIso);
    const { plugins } = source.hostData;
    const hostData = { summary, titledBy, ...defined({ plugins }) } as const;
    const session = sync.registry.create(tx, { uri, kind: 'session', state, hostData }, sync.emittedSeq);
    tx.write(entryRow(summary));
    leave(tx, parts, family, uri);
    tx.emit(chat, { type: 'chat/movableChanged', movable: false });
    tx.notifyRoot('root/sessionAdded', { channel: sync.root.uri, summary });
    listing.changed(tx, uri, 1);
    listing.copied(tx, session);
  });
  return uri;
}

/** Removes the chats from their session and gives them to another one. Their agents start again there. */
function leave(tx: Tx, parts: SessionParts, { source, members }: Family, session: string): void {
  const { sync, turns } = parts;
  const held = heldBy(
    parts,
    members.map(({ uri }) => uri),
  );
  // The last one first, so that no entry of the list moves.
  for (const { uri } of members.toReversed()) tx.emit(source, { type: 'session/chatRemoved', chat: uri });
  for (const chat of members) sync.registry.move(tx, chat, session);
  // Their claims name the session of their chat [TERM-21].
  for (const terminal of held.flatMap((uri) => sync.registry.getOf('terminal', uri) ?? [])) {
    const { claim } = terminal.state;
    if (claim.kind === 'session')
      tx.emit(terminal, { type: 'terminal/claimed', claim: { ...claim, session } });
  }
  tx.effect(() => {
    for (const { uri } of members) turns.disposeChat(uri);
  });
}

/** The entries of the chats in the catalogue of their session. */
const entriesOf = ({ source, members }: Family): ChatSummary[] =>
  members.flatMap(({ uri }) => findChat(source.state.chats, uri) ?? []);

/** The order of a catalogue with some chats behind another, or in front. */
function orderWith(
  chats: readonly ChatSummary[],
  moved: readonly string[],
  after: string | undefined,
): readonly string[] {
  const others = chats.map(({ resource }) => resource).filter((uri) => !moved.includes(uri));
  const at = after === undefined ? 0 : others.indexOf(after) + 1;
  return [...others.slice(0, at), ...moved, ...others.slice(at)];
}

function reorder(tx: Tx, session: Channel<'session'>, order: readonly string[]): void {
  const isSame = session.state.chats.every(({ resource }, index) => resource === order[index]);
  if (!isSame) tx.emit(session, { type: 'session/chatsReordered', chats: [...order] });
}
