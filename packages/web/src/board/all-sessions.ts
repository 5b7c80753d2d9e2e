import { useSyncExternalStore } from 'react';
import { Emitter } from '../live/emitter.ts';
import type { HostLink } from '../live/host-link.ts';
import type { Hosts } from '../live/hosts.ts';
import { useHosts } from '../live/use-hosts.ts';
import type { BoardSession } from './board-session.ts';
import { deletedKeys, onDeletedChange } from './delete-session.ts';
import { SessionsOfLink } from './sessions-of-link.ts';

/** The sessions of all hosts of the page. */
export interface AllSessions {
  /** Most recently modified first, archived ones included, without those that are about to be deleted. */
  readonly sessions: readonly BoardSession[];
  /** Whether all sessions of all hosts that answer have been read. */
  readonly isComplete: boolean;
  /** Hosts whose list could not be read. */
  readonly problems: readonly { readonly link: HostLink; readonly reason: string }[];
}

const NOTHING: AllSessions = { sessions: [], isComplete: false, problems: [] };

/** Follows all hosts while it has listeners. */
class AllSessionsStore {
  readonly #hosts: Hosts;
  readonly #changed = new Emitter();
  readonly #byLink = new Map<HostLink, SessionsOfLink>();
  #listenerCount = 0;
  #stops: (() => void)[] = [];
  #snapshot = NOTHING;
  /** The lists that the snapshot contains. */
  #made: readonly (readonly BoardSession[])[] = [];

  constructor(hosts: Hosts) {
    this.#hosts = hosts;
  }

  get snapshot(): AllSessions {
    return this.#snapshot;
  }

  subscribe = (listener: () => void): (() => void) => {
    const stop = this.#changed.add(listener);
    this.#listenerCount += 1;
    if (this.#listenerCount === 1) this.#start();
    return () => {
      stop();
      this.#listenerCount -= 1;
      if (this.#listenerCount === 0) this.#stop();
    };
  };

  reload(link: HostLink): void {
    this.#byLink.get(link)?.reload();
  }

  #start(): void {
    const followLinks = (): void => {
      const { links } = this.#hosts;
      for (const [link, sessions] of this.#byLink) {
        if (links.includes(link)) continue;
        sessions.close();
        this.#byLink.delete(link);
      }
      for (const link of links)
        if (!this.#byLink.has(link)) this.#byLink.set(link, new SessionsOfLink(link, () => this.#update()));
      this.#update();
    };
    this.#stops = [this.#hosts.onChange(followLinks), onDeletedChange(() => this.#update(true))];
    followLinks();
  }

  #stop(): void {
    for (const stop of this.#stops.splice(0)) stop();
    for (const sessions of this.#byLink.values()) sessions.close();
    this.#byLink.clear();
  }

  #update(isForced = false): void {
    const parts = Array.from(this.#byLink.values());
    const lists = parts.map(({ sessions }) => sessions);
    const isSame = lists.length === this.#made.length && lists.every((list, at) => list === this.#made[at]);
    const isComplete = parts.every((part) => part.isComplete);
    const problems = Array.from(this.#byLink).flatMap(([link, { problem }]) =>
      problem === undefined ? [] : [{ link, reason: problem }],
    );
    const before = this.#snapshot;
    if (isSame && !isForced && isComplete === before.isComplete && sameProblems(problems, before.problems))
      return;
    this.#made = lists;
    this.#snapshot = {
      sessions: isSame && !isForced ? before.sessions : merged(lists),
      isComplete,
      problems,
    };
    this.#changed.emit();
  }
}

function merged(lists: readonly (readonly BoardSession[])[]): readonly BoardSession[] {
  const [only = []] = lists;
  const all = lists.length < 2 ? only : lists.flat().sort(latestFirst);
  const deleted = deletedKeys();
  return deleted.size === 0 ? all : all.filter(({ key }) => !deleted.has(key));
}

const latestFirst = (a: BoardSession, b: BoardSession): number =>
  Date.parse(b.summary.modifiedAt) - Date.parse(a.summary.modifiedAt);

const sameProblems = (a: AllSessions['problems'], b: AllSessions['problems']): boolean =>
  a.length === b.length && a.every(({ link, reason }, at) => b[at]?.link === link && b[at].reason === reason);

const stores = new WeakMap<Hosts, AllSessionsStore>();

function storeOf(hosts: Hosts): AllSessionsStore {
  const known = stores.get(hosts);
  if (known !== undefined) return known;
  const store = new AllSessionsStore(hosts);
  stores.set(hosts, store);
  return store;
}

/** The sessions of all hosts; renders again after a change, at most once a frame. */
export function useAllSessions(): AllSessions {
  const store = storeOf(useHosts());
  return useSyncExternalStore(store.subscribe, () => store.snapshot);
}

/** A function that reads the list of a host again. */
export function useReloadSessions(): (link: HostLink) => void {
  const store = storeOf(useHosts());
  return (link) => store.reload(link);
}
