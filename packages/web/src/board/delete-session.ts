import { ConnectionLost, RpcError } from '@agenthost/client';
import { ErrorCodes } from '@agenthost/protocol';
import { Emitter } from '../live/emitter.ts';
import { type HostLink, messageOf } from '../live/host-link.ts';
import type { Hosts } from '../live/hosts.ts';
import { createSetting } from '../live/setting.ts';
import { text } from '../text/text.ts';
import { visibleText } from '../text/visible-text.ts';
import { showError, showToast } from '../ui/toasts.tsx';
import { type BoardSession, sessionKey } from './board-session.ts';
import { isInWorktree } from './in-worktree.ts';
import { tellKeptWork, workInWorktree } from './kept-work.ts';

/** How long a deletion can be undone. Milliseconds. */
const UNDO_MS = 8_000;

/** A deletion of this age belongs to no open toast, also none of another tab. Milliseconds. */
const OVERDUE_MS = 2 * UNDO_MS;

/** A session that is to be deleted. */
interface Deletion {
  readonly host: string;
  readonly session: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

const isDeletion = (value: unknown): value is Deletion =>
  typeof value === 'object' &&
  value !== null &&
  'host' in value &&
  'session' in value &&
  'at' in value &&
  typeof value.host === 'string' &&
  typeof value.session === 'string' &&
  typeof value.at === 'number';

/** Survives the page, so that a deletion is done later when the page is closed or the host is away. */
const deletions = createSetting<readonly Deletion[]>('deletions', [], (stored) =>
  Array.isArray(stored) ? stored.filter(isDeletion) : [],
);

/** Toasts that can still undo a deletion, by key of the session. Each function removes its toast, which deletes. */
const undoable = new Map<string, () => void>();
const changed = new Emitter();
let keys: ReadonlySet<string> = keysOf(deletions.value);

deletions.onChange(() => {
  keys = keysOf(deletions.value);
  changed.emit();
});

// A page in the background may be ended without another event.
window.addEventListener('pagehide', () => {
  for (const finish of Array.from(undoable.values())) finish();
});

function keysOf(list: readonly Deletion[]): ReadonlySet<string> {
  return new Set(list.map(({ host, session }) => `${host} ${session}`));
}

/** Keys of the sessions that are about to be deleted; lists leave them out. */
export const deletedKeys = (): ReadonlySet<string> => keys;

/** Calls `listener` after `deletedKeys` changed. Returns a function that removes it. */
export const onDeletedChange = changed.add;

/** Hides a session in all lists, and deletes it when its toast closes without "Undo". */
export function deleteSession({ key, link, summary }: BoardSession): void {
  if (undoable.has(key)) return;
  const deletion = { host: link.address.id, session: summary.resource, at: Date.now() };
  // Asked before, because a deleted session has no worktree any more.
  const work = isInWorktree(summary) ? workInWorktree(link, summary.resource) : undefined;
  deletions.set([...deletions.value.filter((each) => !isOf(each, deletion)), deletion]);
  const finish = showToast({
    message: text.board.deleted(visibleText(summary.title)),
    lifetimeMs: UNDO_MS,
    action: { label: text.ui.undo, run: () => undefined },
    onGone: (isUndone) => {
      undoable.delete(key);
      if (isUndone) forget(deletion);
      else
        void dispose(link, deletion).then(async (isDone) => {
          if (isDone) tellKeptWork(await work);
        });
    },
  });
  undoable.set(key, finish);
}

/** Performs the deletions that an earlier page left, or that had no connection. */
function finishDeletions(link: HostLink): void {
  for (const deletion of deletions.value) {
    const isOverdue = Date.now() - deletion.at > OVERDUE_MS;
    if (deletion.host === link.address.id && isOverdue && !undoable.has(sessionKey(link, deletion.session)))
      void dispose(link, deletion);
  }
}

/** Finishes deletions whenever a host gets online. Returns a function that stops it. */
export function followDeletions(hosts: Hosts): () => void {
  let stops: (() => void)[] = [];
  const follow = (): void => {
    for (const stop of stops) stop();
    stops = hosts.links.map((link) => {
      const look = (): void => {
        if (link.status.state === 'online') finishDeletions(link);
      };
      look();
      // By then a deletion of a page that was closed just now is overdue.
      const timer = setTimeout(look, OVERDUE_MS + 1);
      const stopLink = link.onChange(look);
      return () => {
        clearTimeout(timer);
        stopLink();
      };
    });
  };
  const stopHosts = hosts.onChange(follow);
  follow();
  return () => {
    stopHosts();
    for (const stop of stops) stop();
  };
}

/** Performs a deletion. Resolves with whether the host has performed it. */
async function dispose(link: HostLink, deletion: Deletion): Promise<boolean> {
  let isDone = false;
  try {
    if (link.client === undefined) return postpone(deletion);
    await link.client.sessions.dispose(deletion.session);
    isDone = true;
  } catch (error) {
    if (error instanceof ConnectionLost) return postpone(deletion);
    // An earlier attempt, another tab or another client has deleted it.
    if (!isGone(error)) showError(text.board.deleteFailed(messageOf(error)));
  }
  forget(deletion);
  return isDone;
}

/** Leaves a deletion for the next connection; the session stays hidden. */
function postpone(deletion: Deletion): false {
  deletions.set(deletions.value.map((each) => (isOf(each, deletion) ? { ...each, at: 0 } : each)));
  return false;
}

function forget(deletion: Deletion): void {
  deletions.set(deletions.value.filter((each) => !isOf(each, deletion)));
}

const isGone = (error: unknown): boolean =>
  error instanceof RpcError && error.code === ErrorCodes.SessionNotFound;

const isOf = (a: Deletion, b: Deletion): boolean => a.host === b.host && a.session === b.session;
