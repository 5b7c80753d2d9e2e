import { ACTIVITY_MASK, type ChannelKind, type ChannelState } from '@agenthost/protocol';
import type { ForeignClient } from './foreign-client.ts';
import { shownBy } from './shown.ts';
import type { SimClient } from './sim-client.ts';
import { mustEqual } from './violation.ts';

/** Clients of another make show what the host has, but for what depends on the clock that reduced it [ACT-6]. Throws a `Violation`. */
export function checkForeigners(foreigners: readonly ForeignClient[], auditor: SimClient): void {
  for (const { name, states } of foreigners) {
    for (const mirror of auditor.mirrors()) {
      const held = states.get(mirror.uri);
      if (held === undefined) continue;
      mustEqual('convergence', `${name} on ${mirror.uri}`, judged(held.state), judged(mirror.confirmed));
    }
  }
}

const judged = (state: ChannelState[ChannelKind]): unknown => timeless(shownBy(state));

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
