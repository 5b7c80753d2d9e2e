import {
  chatTotals,
  newestChange,
  type SessionState,
  SessionStatus,
  type SessionSummary,
} from '@agenthost/protocol';
import { sameJson } from '@agenthost/protocol/values';
import { metadataOf } from '../config/session-keys.ts';
import type { Channel } from '../sync/channel.ts';
import type { Sync } from '../sync/sync.ts';
import type { Tx } from '../sync/tx.ts';

/** Fields that a session's catalogue entry takes over from its state as they are. */
const COPIED = [
  'title',
  'status',
  'activity',
  'project',
  'workingDirectory',
  'annotations',
] as const satisfies readonly (keyof SessionSummary)[];

/**
 * The catalogue entry of a session [SESS-5]. Its status is that of the default chat: where that rests, `_meta.workingChats` counts the others
 * in which a turn runs. Absent: none, or the status says so. `_meta.lifecycle` is that of the session. Absent: `ready`.
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
  return summary;
}

const isWorking = ({ status }: { readonly status: SessionStatus }): boolean =>
  (status & SessionStatus.InProgress) !== 0;

/**
 * Keeps the catalogue: each changed session's row is written once a tick, and subscribers of the root channel hear what
 * changed [ROOT-3].
 */
export function keepCatalogue(sync: Sync): void {
  const changed = new Set<Channel<'session'>>();
  sync.observe('session', (_tx, { channel }) => changed.add(channel));
  sync.path.onSeal((tx) => {
    for (const session of changed) if (session.isAlive) writeEntry(tx, sync, session);
    changed.clear();
  });
}

function writeEntry(tx: Tx, sync: Sync, session: Channel<'session'>): void {
  // The chats of an import come in slices, and what is written here names all of them: the last slice is soon enough.
  if (session.hostData.importing !== undefined && session.state.chats.length > 0) return;
  const before = session.hostData.summary;
  const summary = summarize(session.uri, session.state, before.createdAt);
  // A change cannot say that it has gone.
  if (summary._meta === undefined && before._meta !== undefined) summary._meta = {};
  const changes = difference(before, summary);
  if (Object.keys(changes).length === 0) return;
  tx.setHostData(session, { ...session.hostData, summary });
  tx.write(entryRow(summary));
  tx.notifyRoot('root/sessionSummaryChanged', { channel: sync.root.uri, session: session.uri, changes });
}

/** The journal row of an entry. */
export const entryRow = (summary: SessionSummary) =>
  ({
    op: 'session',
    uri: summary.resource,
    modifiedAt: summary.modifiedAt,
    summary: JSON.stringify(summary),
  }) as const;

/** Changed mutable fields only; an activity that has gone is the empty string [ROOT-3]. */
function difference(before: SessionSummary, after: SessionSummary): Partial<SessionSummary> {
  const changes: Partial<SessionSummary> = {};
  for (const key of [...COPIED, 'modifiedAt', '_meta'] as const) {
    if (sameJson(before[key], after[key])) continue;
    if (after[key] !== undefined) Object.assign(changes, { [key]: after[key] });
    else if (key === 'activity') changes.activity = '';
  }
  return changes;
}

/** Called when a session is added to the catalogue (1) or taken out of it (-1), in the transaction that does so. */
export type ListingListener = (tx: Tx, uri: string, by: 1 | -1) => void;

/** Tells parts of the host which sessions come and go. */
export class SessionListing {
  readonly #listeners: ListingListener[] = [];

  onChange(listener: ListingListener): void {
    this.#listeners.push(listener);
  }

  changed(tx: Tx, uri: string, by: 1 | -1): void {
    for (const listener of this.#listeners) listener(tx, uri, by);
  }
}
