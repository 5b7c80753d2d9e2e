import { describe, expect, it } from 'vitest';
import {
  hasShared,
  ownReducerFixtures,
  type ReducerFixture,
  reduceFixture,
  SHARED_MISSING,
  sharedReducerFixtures,
  sharedRoundTrips,
} from './fixture-files.ts';

function expectFixture(fixture: ReducerFixture): void {
  let state = fixture.initial;
  for (const action of fixture.actions) state = reduceFixture(fixture.reducer, state, action);
  expect(state).toStrictEqual(fixture.expected);
}

describe('own reducer fixtures', () => {
  for (const fixture of ownReducerFixtures()) {
    it(fixture.description, () => expectFixture(fixture));
  }
});

if (!hasShared) console.warn(`skipped: ${SHARED_MISSING}`);

it.runIf(process.env.REQUIRE_ALL === '1')('the fixtures of the protocol exist', () => {
  expect(hasShared, SHARED_MISSING).toBe(true);
  expect(sharedReducerFixtures().length).toBeGreaterThan(240);
  expect(sharedRoundTrips().length).toBeGreaterThan(20);
});

describe.skipIf(!hasShared)('reducer fixtures of the protocol', () => {
  for (const fixture of sharedReducerFixtures()) {
    it(`[ACT-6] ${fixture.file}: ${fixture.description}`, () => expectFixture(fixture));
  }
});

// JSON.parse and JSON.stringify are the whole decoding and encoding, so the tested property is identity:
// every member, known or not, every number at full precision, and no added member.
describe.skipIf(!hasShared)('round trips of the protocol', () => {
  for (const { file, input, output } of sharedRoundTrips()) {
    it(`${file} is unchanged after decoding and encoding`, () => {
      expect(JSON.parse(JSON.stringify(input))).toStrictEqual(output);
    });
  }
});
