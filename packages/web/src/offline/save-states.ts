import { ROOT_URI, type SessionSummary, type URI } from '@agenthost/protocol';
import type { HostLink } from '../live/host-link.ts';
import { type SavedChannel, SavedStates } from './saved-states.ts';

/** Turns of a chat that are kept. */
const KEPT_TURNS = 20;

/** Sessions of the list that are kept. */
const KEPT_SESSIONS = 500;

/** Larger states are not kept, in UTF-16 code units of JSON. */
const MAX_LENGTH = 2 * 1024 * 1024;

const INTERVAL_MS = 60_000;

/** Something with the confirmed state of a channel, such as a mirror. The memory of the client keeps what the host has not confirmed. */
interface Stateful {
  readonly uri: URI;
  readonly confirmed: object;
}

/**
 * Keeps the last states that the views of a host show, so that the page can show them while the host is away. Saves when the connection is lost, when
 * the page is hidden, and each minute. Deletes them when the host does not know the browser any more. Returns a function that stops it.
 */
export function saveStates(link: HostLink): () => void {
  const states = new SavedStates(link.address.id);
  const saved = new WeakSet<object>();
  const save = (): void => {
    if (link.client === undefined || link.isCopy || link.status.state === 'refused') return;
    const mirrors = Array.from(link.cache.values()).flatMap(mirrorsOf);
    const fresh = mirrors.filter(({ confirmed }) => !saved.has(confirmed));
    const list = Array.from(link.cache.values()).flatMap((value) => sessionsOf(value) ?? []);
    if (fresh.length === 0 && list.length === 0) return;
    for (const { confirmed } of fresh) saved.add(confirmed);
    const savedAt = Date.now();
    const channels = fresh
      .map(({ uri, confirmed }) => ({ uri, state: shortened(confirmed), savedAt }))
      .filter(isSmall);
    const host = list.length === 0 ? undefined : { sessions: list.slice(0, KEPT_SESSIONS), savedAt };
    // A private window may have no storage; the page then has no copy.
    states.save(host, channels).catch(() => undefined);
  };
  const onHidden = (): void => {
    if (document.visibilityState === 'hidden') save();
  };
  const onLink = (): void => {
    const { status } = link;
    if (status.state === 'away') save();
    // The sign-in has ended, here or elsewhere.
    else if (status.state === 'refused' && (status.httpStatus ?? 401) === 401)
      states.clear().catch(() => undefined);
  };
  const timer = setInterval(save, INTERVAL_MS);
  const stopLink = link.onChange(onLink);
  document.addEventListener('visibilitychange', onHidden);
  window.addEventListener('pagehide', save);
  return () => {
    clearInterval(timer);
    stopLink();
    document.removeEventListener('visibilitychange', onHidden);
    window.removeEventListener('pagehide', save);
  };
}

const isStateful = (value: unknown): value is Stateful =>
  typeof value === 'object' &&
  value !== null &&
  typeof Reflect.get(value, 'uri') === 'string' &&
  typeof Reflect.get(value, 'confirmed') === 'object';

/** The mirrors of a value of the cache: itself, its own mirror, or that of its chat. Terminals are not kept. */
function mirrorsOf(value: unknown): Stateful[] {
  if (isStateful(value)) return value.uri === ROOT_URI ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  const [mirror, chat]: unknown[] = [Reflect.get(value, 'mirror'), Reflect.get(value, 'chat')];
  const own = isStateful(mirror) && !('content' in mirror.confirmed) ? [mirror] : [];
  return [...own, ...(typeof chat === 'object' ? mirrorsOf(chat) : [])];
}

/** The items of a list of sessions. */
function sessionsOf(value: unknown): readonly SessionSummary[] | undefined {
  const items: unknown =
    typeof value === 'object' && value !== null ? Reflect.get(value, 'items') : undefined;
  return Array.isArray(items) && items.every((item) => isSummary(item)) ? items : undefined;
}

const isSummary = (item: unknown): item is SessionSummary =>
  typeof item === 'object' && item !== null && 'resource' in item && 'provider' in item;

/** A chat with its last turns only. */
function shortened(state: object): object {
  const turns: unknown = Reflect.get(state, 'turns');
  if (!Array.isArray(turns) || turns.length <= KEPT_TURNS) return state;
  return { ...state, turns: turns.slice(-KEPT_TURNS), turnsNextCursor: 'not-saved' };
}

const isSmall = ({ state }: SavedChannel): boolean => JSON.stringify(state).length <= MAX_LENGTH;
