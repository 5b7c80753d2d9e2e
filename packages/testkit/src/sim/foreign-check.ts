import {
  ACTIVITY_MASK,
  type ChannelKind,
  type ChannelState,
  fitToVersion,
  isActionKnownAt,
} from '@agenthost/protocol';
import type { ForeignClient, ForeignVersion } from './foreign-client.ts';
import { shownBy } from './shown.ts';
import type { SimClient } from './sim-client.ts';
import { mustEqual, Violation } from './violation.ts';

type State = ChannelState[ChannelKind];

/**
 * Clients of another implementation show the host's state as their version knows it, except for parts that
 * depend on the reducer's clock [ACT-6] and for turns that were deleted because of their age, which they
 * cannot be told. Throws a `Violation`.
 */
export function checkForeigners(foreigners: readonly ForeignClient[], auditor: SimClient): void {
  for (const { name, version, states } of foreigners) {
    for (const mirror of auditor.mirrors()) {
      const entry = states.get(mirror.uri);
      if (entry === undefined) continue;
      // The shared reducer creates parts that the client's version does not know.
      const held = asKnown(entry.state, version);
      const where = `${name} on ${mirror.uri}`;
      const truth = asKnown(mirror.confirmed, version);
      mustEqual(
        'convergence',
        where,
        judged(shownOf(held, truth)),
        judged(cutTo(held, truth, { where, version })),
      );
    }
  }
}

const asKnown = (state: State, version: ForeignVersion): State =>
  fitToVersion(shapeOf(state), state, version) ?? state;

function shapeOf(state: State): 'ChatState' | 'SessionState' | 'RootState' {
  if ('turns' in state) return 'ChatState';
  return 'activeClients' in state ? 'SessionState' : 'RootState';
}

/** The state without turns that the host no longer has, which are the oldest. */
function shownOf(held: State, truth: State): State {
  if (!('turns' in held && 'turns' in truth)) return held;
  const [oldest] = truth.turns;
  // The id of a deleted turn may be used again; the newest turn with the id is the host's.
  const from = held.turns.findLastIndex(({ id }) => id === oldest?.id);
  return from > 0 ? { ...held, turns: held.turns.slice(from) } : held;
}

/** The host's state for a client with this window. */
function cutTo(
  held: State,
  truth: State,
  { where, version }: { where: string; version: ForeignVersion },
): State {
  if (!('turns' in held && 'turns' in truth)) return truth;
  const turns = held.turns.length === 0 ? [] : truth.turns.slice(-held.turns.length);
  // If turns cannot be sent, a window that was truncated before its beginning is empty, and no cursor follows
  // [CONN-9].
  const takesTurns = isActionKnownAt('chat/turnsLoaded', version);
  if (takesTurns && held.turnsNextCursor === undefined && turns.length < truth.turns.length)
    throw new Violation('convergence', `${where}: older turns exist, and no cursor to them`);
  return { ...truth, turns };
}

const judged = (state: State): unknown => timeless(shownBy(state));

/** Without times, activity and extension counters. Cursors differ between clients. */
function timeless(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(timeless);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).flatMap(([key, inner]): [string, unknown][] => {
    if (key === 'modifiedAt' || key === 'turnsNextCursor' || key === 'putOut') return [];
    if (key === 'status' && typeof inner === 'number') return [[key, inner & ~ACTIVITY_MASK]];
    return [[key, timeless(inner)]];
  });
  return Object.fromEntries(entries);
}
