import {
  CHANNEL_KINDS,
  type ChannelKind,
  dialectOf,
  VERSION_LINES,
  type VersionLine,
} from '@agenthost/protocol';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ACTION_ARBITRARIES, START_STATES } from '../../../protocol/test/action-arbitraries.ts';
import type { Doc } from './doc.ts';
import { mismatches, playSquare, reduceNewest } from './square.ts';

const NOW = Date.UTC(2026, 5, 1);
const RUNS = 150;

/** Kinds of channels whose reducers and conversions are not complete at a version and below. */
const WAITING: Readonly<Partial<Record<ChannelKind, VersionLine>>> = {
  chat: '1.0.0',
  session: '1.0.0',
  terminal: '1.0.0',
};

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
const scenes = (kind: ChannelKind): fc.Arbitrary<{ before: Doc[]; after: Doc[] }> => {
  const actions = ACTION_ARBITRARIES[kind].map((action): Doc => ({ ...action }));
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
          const start: Doc = { ...START_STATES[kind] };
          const initial = before.reduce((state, action) => reduceNewest(kind, state, action, NOW), start);
          const square = playSquare(version, { kind, initial, actions: after }, NOW);
          expect(mismatches(version, kind, square)).toEqual([]);
        }),
        { numRuns: RUNS, seed: 1 },
      );
    },
  );
});
