import { mismatches, playSquare, reduceNewest } from '@agenthost/testkit';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dialectOf } from '../src/dialects/chain.ts';
import { CHANNEL_KINDS, type ChannelKind } from '../src/wire/channels.ts';
import { VERSION_LINES, type VersionLine } from '../src/wire/versions.ts';
import { ACTION_ARBITRARIES, START_STATES } from './action-arbitraries.ts';

type Json = Record<string, unknown>;

const NOW = Date.UTC(2026, 5, 1);
const RUNS = 150;

/** Kinds of channels whose reducers and conversions are not complete at a version and below. */
const WAITING: Readonly<Partial<Record<ChannelKind, VersionLine>>> = {};

const isReady = (version: VersionLine, kind: ChannelKind): boolean => {
  const waiting = WAITING[kind];
  return waiting === undefined || VERSION_LINES.indexOf(version) < VERSION_LINES.indexOf(waiting);
};

const SQUARES = VERSION_LINES.flatMap((version) =>
  CHANNEL_KINDS.filter((kind) => dialectOf(version).hasChannel(kind) && isReady(version, kind)).map(
    (kind): [VersionLine, ChannelKind] => [version, kind],
  ),
);

/** Actions before a snapshot, and actions after it. */
const scenes = (kind: ChannelKind): fc.Arbitrary<{ before: Json[]; after: Json[] }> => {
  const actions = ACTION_ARBITRARIES[kind].map((action): Json => ({ ...action }));
  return fc.record({
    before: fc.array(actions, { maxLength: 12 }),
    after: fc.array(actions, { minLength: 1, maxLength: 8 }),
  });
};

describe('the square of reducers and conversions', () => {
  it.each(SQUARES)(
    '[DIA-1] commutes at %s for the state of a %s: what a client reduces is what its next snapshot shows',
    (version, kind) => {
      fc.assert(
        fc.property(scenes(kind), ({ before, after }) => {
          const start: Json = { ...START_STATES[kind] };
          const initial = before.reduce((state, action) => reduceNewest(kind, state, action, NOW), start);
          const square = playSquare(version, { kind, initial, actions: after }, NOW);
          expect(mismatches(version, kind, square)).toEqual([]);
        }),
        { numRuns: RUNS, seed: 1 },
      );
    },
  );
});
