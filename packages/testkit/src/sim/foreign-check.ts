import { ACTIVITY_MASK, type ChannelKind, type ChannelState, dialectOf } from '@agenthost/protocol';
import type { ForeignClient, ForeignVersion } from './foreign-client.ts';
import { shownBy } from './shown.ts';
import type { SimClient } from './sim-client.ts';
import { mustEqual, Violation } from './violation.ts';

type State = ChannelState[ChannelKind];

/**
 * Checks that clients of another implementation show the host's state as their version knows it. Does not
 * compare parts that depend on the reducer's clock [ACT-6] and turns that were deleted because of their age,
 * because the protocol does not report that deletion to such clients. Throws a `Violation`.
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

function asKnown(state: State, version: ForeignVersion): State {
  // oxlint-disable-next-line typescript/consistent-type-assertions, typescript/no-unsafe-type-assertion -- a state of another version is only compared
  return dialectOf(version).stateDown(kindOf(state), state, {}) as State;
}

function kindOf(state: State): ChannelKind {
  if ('turns' in state) return 'chat';
  return 'activeClients' in state ? 'session' : 'root';
}

/** The state without the oldest turns, which the host no longer has. */
function shownOf(held: State, truth: State): State {
  if (!('turns' in held && 'turns' in truth)) return held;
  const [oldest] = truth.turns;
  // The id of a deleted turn may be used again; the newest turn with the id is the host's.
  const from = held.turns.findLastIndex(({ id }) => id === oldest?.id);
  return from > 0 ? { ...held, turns: held.turns.slice(from) } : held;
}

/** The host's state, limited to the window of the client. */
function cutTo(
  held: State,
  truth: State,
  { where, version }: { where: string; version: ForeignVersion },
): State {
  if (!('turns' in held && 'turns' in truth)) return truth;
  const turns = held.turns.length === 0 ? [] : truth.turns.slice(-held.turns.length);
  // A version without `chat/turnsLoaded` has an empty window and no cursor after a truncation before the window
  // [CONN-9].
  const takesTurns = dialectOf(version).takesTurns;
  if (takesTurns && held.turnsNextCursor === undefined && turns.length < truth.turns.length)
    throw new Violation('convergence', `${where}: older turns exist, and no cursor to them`);
  return { ...truth, turns };
}

const judged = (state: State): unknown => timeless(shownBy(state));

/** The value without times, activity, extension counters and cursors, which differ between clients. */
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
