import {
  type AnnotationsSummary,
  annotationsUri,
  CHANNEL_LIMITS,
  type ChatSummary,
  chatTotals,
  newestChange,
  type SessionChatSummary,
  type SessionState,
  SessionStatus,
  type SessionSummary,
} from '@agenthost/protocol';
import { defined, sameJson } from '@agenthost/protocol/values';
import { metadataOf } from '../config/session-keys.ts';
import type { Timers } from '../lib/clock.ts';
import type { Channel } from '../sync/channel.ts';
import type { Sync } from '../sync/sync.ts';
import type { Tx } from '../sync/tx.ts';
import { asksOf, followAsks } from './asks.ts';
import { Previews } from './preview.ts';

/** Fields that a session's catalogue entry copies from its state. */
const COPIED = [
  'title',
  'status',
  'activity',
  'project',
  'workingDirectories',
  'annotations',
  'origin',
  'defaultChat',
] as const satisfies readonly (keyof SessionSummary)[];

/**
 * The catalogue entry of a session [SESS-5]. Its status is that of the default chat. If the default chat is
 * idle, `_meta.workingChats` is the number of other chats with an active turn; absent: 0. `_meta.lifecycle`
 * is that of the session; absent: `ready`.
 */
export function summarize(resource: string, state: SessionState, createdAt: string): SessionSummary {
  const newest = newestChange(state.chats);
  const modifiedAt = newest > createdAt ? newest : createdAt;
  const summary: SessionSummary = {
    resource,
    provider: state.provider,
    title: state.title,
    status: state.status,
    createdAt,
    modifiedAt,
  };
  const metadata = metadataOf(state.config?.values);
  const workingChats = isWorking(state) ? 0 : chatTotals(state.chats).workingCount;
  const meta = {
    ...(Object.keys(metadata).length > 0 ? { metadata } : {}),
    ...(workingChats > 0 ? { workingChats } : {}),
    ...(state.lifecycle === 'ready' ? {} : { lifecycle: state.lifecycle }),
  };
  if (Object.keys(meta).length > 0) summary._meta = meta;
  for (const key of COPIED) if (state[key] !== undefined) Object.assign(summary, { [key]: state[key] });
  const asks = asksOf(state.inputNeeded);
  if (asks !== undefined) summary['x-asks'] = asks;
  const chats = compactChats(state.chats);
  if (chats !== undefined) summary.chats = chats;
  return summary;
}

/**
 * The chats as a session's entry lists them [ROOT-21]. `undefined` if they are too many: each change of one is a notification with all.
 */
function compactChats(chats: readonly ChatSummary[]): SessionChatSummary[] | undefined {
  if (chatTotals(chats).length > CHANNEL_LIMITS.listedChatsLength.max) return undefined;
  return chats.map(({ resource, title, origin, interactivity, status, changes }) => ({
    resource,
    title,
    status,
    ...defined({ origin, interactivity, changes }),
  }));
}

const isWorking = ({ status }: { readonly status: SessionStatus }): boolean =>
  (status & SessionStatus.InProgress) !== 0;

/**
 * Keeps the catalogue up to date: writes the row of each changed session once a tick, and notifies
 * subscribers of the root channel [ROOT-3]. Returns a function that ends its timers.
 */
export function keepCatalogue(sync: Sync, timers: Timers): () => void {
  const changed = new Set<Channel<'session'>>();
  const previews = new Previews(sync, timers, (session) => changed.add(session));
  sync.observe('session', (_tx, { channel, action, before, after }) => {
    if (action.type === 'session/inputNeededSet') followAsks(before.inputNeeded, after.inputNeeded);
    changed.add(channel);
  });
  sync.observe('annotations', (_tx, { channel }) => {
    const session = sync.registry.getOf('session', channel.session ?? '');
    if (session !== undefined) changed.add(session);
  });
  sync.path.onSeal((tx) => {
    for (const session of changed) if (session.isAlive) writeEntry(tx, sync, session, previews.take(session));
    changed.clear();
  });
  return () => previews.stop();
}

function writeEntry(tx: Tx, sync: Sync, session: Channel<'session'>, newPreview: string | undefined): void {
  // The chats of an import arrive in slices, and each write contains all of them. The write after the last
  // slice is sufficient.
  if (session.hostData.importing !== undefined && session.state.chats.length > 0) return;
  if (session.hostData.unlistedFor !== undefined) return;
  const before = session.hostData.summary;
  const summary = summarize(session.uri, session.state, before.createdAt);
  const preview = newPreview ?? before['x-preview'];
  if (preview !== undefined) summary['x-preview'] = preview;
  if (session.hostData.changes !== undefined) summary.changes = session.hostData.changes;
  const annotations = countsOf(sync, session);
  if (annotations !== undefined) summary.annotations = annotations;
  // Notifications cannot express a removed field.
  if (summary._meta === undefined && before._meta !== undefined) summary._meta = {};
  const changes = difference(before, summary);
  if (Object.keys(changes).length === 0) return;
  tx.setHostData(session, { ...session.hostData, summary });
  tx.write(entryRow(summary));
  tx.notifyRoot('root/sessionSummaryChanged', { channel: sync.root.uri, session: session.uri, changes });
}

/** The numbers of a session's annotations [SESS-5]. `undefined`: it never had one. */
function countsOf({ registry }: Sync, { uri, hostData }: Channel<'session'>): AnnotationsSummary | undefined {
  const resource = annotationsUri(uri);
  const channel = registry.getOf('annotations', resource);
  if (channel?.hostData.isStored !== true) return hostData.summary.annotations;
  const { annotations } = channel.state;
  const entryCount = annotations.reduce((count, { entries }) => count + entries.length, 0);
  return { resource, annotationCount: annotations.length, entryCount };
}

/** The journal row of a catalogue entry. */
export const entryRow = (summary: SessionSummary) =>
  ({
    op: 'session',
    uri: summary.resource,
    modifiedAt: summary.modifiedAt,
    summary: JSON.stringify(summary),
  }) as const;

/** The changed mutable fields. A removed activity is the empty string, and removed lists of chats or requests are empty [ROOT-3] [ROOT-22]. */
function difference(before: SessionSummary, after: SessionSummary): Partial<SessionSummary> {
  const changes: Partial<SessionSummary> = {};
  for (const key of [...COPIED, 'modifiedAt', '_meta', 'changes', 'chats', 'x-asks', 'x-preview'] as const) {
    if (sameJson(before[key], after[key])) continue;
    if (after[key] !== undefined) Object.assign(changes, { [key]: after[key] });
    else if (key === 'activity') changes.activity = '';
    else if (key === 'chats') changes.chats = [];
    else if (key === 'x-asks') changes['x-asks'] = { count: 0 };
  }
  return changes;
}

/** Called when a session is added (1) or removed (-1), in the same transaction. */
export type ListingListener = (tx: Tx, uri: string, by: 1 | -1) => void;

/** Notifies parts of the host of added and removed sessions, and of those that clients see in the list. */
export class SessionListing {
  readonly #listeners: ListingListener[] = [];
  readonly #listListeners: ListingListener[] = [];
  readonly #copyListeners: ((tx: Tx, session: Channel<'session'>) => void)[] = [];
  readonly #removalListeners: ((tx: Tx, session: Channel<'session'>) => void)[] = [];

  /** Sessions that exist. */
  onChange(listener: ListingListener): void {
    this.#listeners.push(listener);
  }

  /** New sessions that took over host data of another one. */
  onCopied(listener: (tx: Tx, session: Channel<'session'>) => void): void {
    this.#copyListeners.push(listener);
  }

  /** Sessions that are removed, with what the host knows of them. */
  onRemoved(listener: (tx: Tx, session: Channel<'session'>) => void): void {
    this.#removalListeners.push(listener);
  }

  /** Sessions in the list. */
  onList(listener: ListingListener): void {
    this.#listListeners.push(listener);
  }

  /** `isListed`: clients are told of the session. */
  changed(tx: Tx, uri: string, by: 1 | -1, isListed = true): void {
    for (const listener of this.#listeners) listener(tx, uri, by);
    if (isListed) this.#list(tx, uri, by);
  }

  /** Tells that a session was made from another one, beside `changed`. */
  copied(tx: Tx, session: Channel<'session'>): void {
    for (const listener of this.#copyListeners) listener(tx, session);
  }

  /** As `changed`, for a session that was removed. */
  removed(tx: Tx, session: Channel<'session'>): void {
    for (const listener of this.#removalListeners) listener(tx, session);
    this.changed(tx, session.uri, -1, session.hostData.unlistedFor === undefined);
  }

  /** Adds a session to the list that was not listed. */
  publish(tx: Tx, sync: Sync, session: Channel<'session'>): void {
    const { unlistedFor: _, ...hostData } = session.hostData;
    const summary = summarize(session.uri, session.state, hostData.summary.createdAt);
    if (session.hostData.changes !== undefined) summary.changes = session.hostData.changes;
    const annotations = countsOf(sync, session);
    if (annotations !== undefined) summary.annotations = annotations;
    tx.setHostData(session, { ...hostData, summary });
    tx.write(entryRow(summary));
    tx.notifyRoot('root/sessionAdded', { channel: sync.root.uri, summary });
    this.#list(tx, session.uri, 1);
  }

  #list(tx: Tx, uri: string, by: 1 | -1): void {
    for (const listener of this.#listListeners) listener(tx, uri, by);
  }
}
