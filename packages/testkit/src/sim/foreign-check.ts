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
 * Clients of another make show what the host has, as their version knows it, but for what depends on the clock that reduced it [ACT-6], and
 * for turns that were dropped for their age while they looked: they cannot be told of those. Throws a `Violation`.
 */
export function checkForeigners(foreigners: readonly ForeignClient[], auditor: SimClient): void {
  for (const { name, version, states } of foreigners) {
    for (const mirror of auditor.mirrors()) {
      const entry = states.get(mirror.uri);
      if (entry === undefined) continue;
      // Its reducer is ours, which makes parts that its version does not know.
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

/** Without the turns that the host no longer has, which are its oldest. */
function shownOf(held: State, truth: State): State {
  if (!('turns' in held && 'turns' in truth)) return held;
  const [oldest] = truth.turns;
  // The id of a turn that was dropped may be used again: the newest of that name is the host's.
  const from = held.turns.findLastIndex(({ id }) => id === oldest?.id);
  return from > 0 ? { ...held, turns: held.turns.slice(from) } : held;
}

/** The host's state as a client with this window has it. */
function cutTo(
  held: State,
  truth: State,
  { where, version }: { where: string; version: ForeignVersion },
): State {
  if (!('turns' in held && 'turns' in truth)) return truth;
  const turns = held.turns.length === 0 ? [] : truth.turns.slice(-held.turns.length);
  // Where turns cannot be sent, a window that was cut before its beginning is empty, and nothing brings it a cursor [CONN-9].
  const takesTurns = isActionKnownAt('chat/turnsLoaded', version);
  if (takesTurns && held.turnsNextCursor === undefined && turns.length < truth.turns.length)
    throw new Violation('convergence', `${where}: older turns exist, and no cursor to them`);
  return { ...truth, turns };
}

const judged = (state: State): unknown => timeless(shownBy(state));

/** Without times, activity and what an extension counts. Cursors are each client's own. */
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
