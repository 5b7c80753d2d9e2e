import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aggregateSession } from '../src/session/aggregate.ts';
import { ACTION_CHANNEL, CHANNEL_KINDS, type ChannelKind } from '../src/wire/channels.ts';
import type { StateAction } from '../src/wire/envelope.ts';
import { reduceChannel } from '../src/wire/reduce.ts';
import { ACTION_ARBITRARIES, START_STATES } from './action-arbitraries.ts';
import { ownReducerFixtures, reduceFixture, sharedReducerFixtures } from './fixture-files.ts';

function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const key of Reflect.ownKeys(value)) frozen(Reflect.get(value, key));
  return Object.freeze(value);
}

function undefinedMembers(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) =>
    item === undefined ? [key] : undefinedMembers(item),
  );
}

/** Reduces one action and checks every property of a pure reducer. Returns the next state, frozen. */
function reducePurely(kind: ChannelKind, state: object, action: StateAction): object {
  const before = JSON.stringify([state, action]);
  const next = frozen(reduceFixture(kind, frozen(state), frozen(action)));
  const again = reduceFixture(kind, state, action);
  expect(JSON.stringify([state, action]), 'inputs stay as they were').toBe(before);
  expect(again, 'the same result twice').toStrictEqual(next);
  expect(undefinedMembers(next), 'absent, not undefined').toStrictEqual([]);
  if (next !== state) expect(next, 'the same object when nothing changes').not.toStrictEqual(state);
  return next;
}

describe('purity over fixtures', () => {
  const fixtures = [...ownReducerFixtures(), ...sharedReducerFixtures()];
  it.each(fixtures)('[ACT-6] $file', (fixture) => {
    let state = fixture.initial;
    for (const action of fixture.actions) state = reducePurely(fixture.reducer, state, action);
    expect(state).toStrictEqual(fixture.expected);
  });

  it.each(fixtures)('[ACT-6] a reducer of another kind does not change $file', (fixture) => {
    const state = frozen(fixture.initial);
    for (const action of fixture.actions) {
      for (const kind of CHANNEL_KINDS) {
        if (ACTION_CHANNEL[action.type] === kind) continue;
        expect(reduceFixture(kind, state, frozen(action))).toBe(state);
      }
    }
  });
});

describe('purity over generated sequences', () => {
  it.each(CHANNEL_KINDS)('[ACT-6] %s actions in any order', (kind) => {
    const seen = new Set<string>();
    const one: fc.Arbitrary<StateAction> = ACTION_ARBITRARIES[kind];
    const sequence = fc.array(one, { maxLength: 40 });
    fc.assert(
      fc.property(sequence, (actions) => {
        let state: object = START_STATES[kind];
        for (const action of actions) {
          seen.add(action.type);
          state = reducePurely(kind, state, action);
        }
      }),
      { numRuns: 120, seed: 20260203 },
    );
    const types = Object.entries(ACTION_CHANNEL).filter(([, channel]) => channel === kind);
    expect([...seen].toSorted()).toStrictEqual(types.map(([type]) => type).toSorted());
  });

  it('[SESS-5] aggregation is pure and idempotent, and changes only two fields', () => {
    fc.assert(
      fc.property(fc.array(ACTION_ARBITRARIES.session, { maxLength: 30 }), (actions) => {
        let state = START_STATES.session;
        for (const action of actions) {
          state = frozen(reduceChannel('session', state, action));
          const next = frozen(aggregateSession(state));
          expect(aggregateSession(next)).toBe(next);
          const { status: _s, activity: _a, ...rest } = next;
          const { status: _t, activity: _b, ...others } = state;
          expect(rest).toStrictEqual(others);
          if (state.chats.length === 0) expect(next).toBe(state);
        }
      }),
      { numRuns: 60, seed: 20260203 },
    );
  });

  it('[ACT-6] an unknown action changes no kind of channel', () => {
    const names = fc.constantFrom('future/action', 'chat/future', 'x-ours', 'constructor', '__proto__', '');
    fc.assert(
      fc.property(names, fc.constantFrom(...CHANNEL_KINDS), (type, kind) => {
        const state = START_STATES[kind];
        expect(reduceFixture(kind, state, JSON.parse(JSON.stringify({ type })))).toBe(state);
      }),
    );
  });
});
