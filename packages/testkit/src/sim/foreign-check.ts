import { ACTIVITY_MASK, type ChannelKind, type ChannelState, type VersionLine } from '@agenthost/protocol';
import { dialectOf } from '@agenthost/protocol/dialects';
import { comparable } from '../oracle/allowed.ts';
import { type Doc, docs, isDoc } from '../oracle/doc.ts';
import type { ForeignClient } from './foreign-client.ts';
import { shownBy } from './shown.ts';
import type { SimClient } from './sim-client.ts';
import { mustEqual, Violation } from './violation.ts';

/**
 * Checks that clients of another implementation show the host's state as their version knows it. Does not
 * compare parts that depend on the reducer's clock [ACT-6], the differences that the dialects allow, and turns that were deleted because of
 * their age, because the protocol does not report that deletion to such clients. Throws a `Violation`.
 */
export function checkForeigners(foreigners: readonly ForeignClient[], auditor: SimClient): void {
  for (const { name, version, states } of foreigners) {
    const look = { clientId: name };
    for (const mirror of auditor.mirrors()) {
      const entry = states.get(mirror.uri);
      if (entry === undefined) continue;
      const { kind } = entry;
      const held = known(version, kind, entry.state);
      const truth = known(version, kind, dialectOf(version).stateDown(kind, mirror.confirmed, look));
      const where = `${name} at ${version} on ${mirror.uri}`;
      mustEqual(
        'convergence',
        where,
        judged(shownOf(held, truth, isResumed(mirror.confirmed))),
        judged(cutTo(held, truth, { where, version })),
      );
    }
  }
}

const known = (version: VersionLine, kind: ChannelKind, state: unknown): Doc =>
  comparable(version, kind, isDoc(state) ? state : {});

/** Whether the active turn of a chat has failed before. */
const isResumed = (state: ChannelState[ChannelKind]): boolean =>
  'turns' in state && state.activeTurn?.responseParts.some(({ kind }) => kind === 'error') === true;

/** The state without the oldest turns, which the host no longer has. */
function shownOf(held: Doc, truth: Doc, resumed: boolean): Doc {
  if (!('turns' in held && 'turns' in truth)) return held;
  // The only turn that the host has kept may be active again.
  if (resumed && docs(truth['turns']).length === 0) return { ...held, turns: [] };
  const oldest = docs(truth['turns'])[0]?.['id'];
  const turns = docs(held['turns']);
  // The id of a deleted turn may be used again; the newest turn with the id is the host's.
  const from = turns.findLastIndex(({ id }) => id === oldest);
  return from > 0 ? { ...held, turns: turns.slice(from) } : held;
}

/** The host's state, limited to the window of the client. */
function cutTo(held: Doc, truth: Doc, { where, version }: { where: string; version: VersionLine }): Doc {
  if (!('turns' in held && 'turns' in truth)) return truth;
  const [all, shown] = [docs(truth['turns']), docs(held['turns'])];
  const turns = shown.length === 0 ? [] : all.slice(-shown.length);
  // A version without `chat/turnsLoaded` has an empty window and no cursor after a truncation before the window
  // [CONN-9].
  const takesTurns = dialectOf(version).takesTurns;
  if (takesTurns && held['turnsNextCursor'] === undefined && turns.length < all.length)
    throw new Violation('convergence', `${where}: older turns exist, and no cursor to them`);
  return { ...truth, turns };
}

const judged = (state: Doc): unknown => timeless(shownBy(state));

/** Extension fields that the reducers of other implementations do not keep. */
const OWN_FIELDS: ReadonlySet<string> = new Set(['x-by', 'x-answeredBy', 'x-cancelledBy']);

/** The value without times, activity, own fields and cursors, which differ between clients. */
function timeless(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(timeless);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).flatMap(([key, inner]): [string, unknown][] => {
    if (key === 'modifiedAt' || key === 'turnsNextCursor' || key === 'putOut' || OWN_FIELDS.has(key))
      return [];
    if (key === 'status' && typeof inner === 'number') return [[key, inner & ~ACTIVITY_MASK]];
    return [[key, timeless(inner)]];
  });
  return Object.fromEntries(entries);
}
