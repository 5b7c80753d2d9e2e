import { type ChatHandle, ConnectionLost } from '@agenthost/client';
import type { Turn } from '@agenthost/protocol';
import { useEffect, useSyncExternalStore } from 'react';
import { Emitter } from '../../live/emitter.ts';
import type { HostLink } from '../../live/host-link.ts';
import { useLinkStatus } from '../../live/use-hosts.ts';

/** How much a turn has changed. Lines, except for `files`. */
export interface TurnCounts {
  readonly files: number;
  readonly added: number;
  readonly removed: number;
}

/** How long a turn must be in view before its changes are read: a person who scrolls by reads none. Milliseconds. */
const REST_MS = 300;

/** Counts that were read, by chat, turn and duration: a turn that was resumed has another one. */
class KnownCounts {
  readonly #counts = new Map<string, TurnCounts | undefined>();
  readonly #changed = new Emitter();

  readonly onChange = this.#changed.add;

  has(key: string): boolean {
    return this.#counts.has(key);
  }

  get(key: string): TurnCounts | undefined {
    return this.#counts.get(key);
  }

  set(key: string, counts: TurnCounts | undefined): void {
    this.#counts.set(key, counts);
    this.#changed.emit();
  }
}

const knownByLink = new WeakMap<HostLink, KnownCounts>();

function knownOf(link: HostLink): KnownCounts {
  const known = knownByLink.get(link) ?? new KnownCounts();
  knownByLink.set(link, known);
  return known;
}

/**
 * How much an ended turn has changed in files, read once. `undefined` until it is known, for a turn that was not recorded, and for one without tool
 * calls: agents change files by these.
 */
export function useTurnCounts(link: HostLink, chat: ChatHandle, turn: Turn): TurnCounts | undefined {
  const { id, duration } = turn;
  const key = `${chat.mirror.uri} ${id} ${duration}`;
  const known = knownOf(link);
  const isOnline = useLinkStatus(link).state === 'online';
  const hasCalls = turn.responseParts.some(({ kind }) => kind === 'toolCall');
  useEffect(() => {
    if (!isOnline || !hasCalls || known.has(key)) return undefined;
    const timer = setTimeout(() => {
      readCounts(chat, id).then(
        (counts) => known.set(key, counts),
        (error: unknown) => {
          // Any other failure says that the turn was not recorded.
          if (!(error instanceof ConnectionLost)) known.set(key, undefined);
        },
      );
    }, REST_MS);
    return () => clearTimeout(timer);
  }, [known, chat, id, key, isOnline, hasCalls]);
  return useSyncExternalStore(known.onChange, () => known.get(key));
}

async function readCounts(chat: ChatHandle, turnId: string): Promise<TurnCounts | undefined> {
  const changeset = await (await chat.changes()).open({ turnId });
  try {
    await changeset.settled();
    const { files, error } = changeset;
    if (error !== undefined || files.length === 0) return undefined;
    const sum = (count: 'added' | 'removed'): number =>
      files.reduce((total, { edit }) => total + (edit.diff?.[count] ?? 0), 0);
    return { files: files.length, added: sum('added'), removed: sum('removed') };
  } finally {
    changeset.dispose();
  }
}
