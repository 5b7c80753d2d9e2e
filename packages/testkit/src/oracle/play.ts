import { lineOf, negotiateVersion, type VersionLine } from '@agenthost/protocol';
import { comparable } from './allowed.ts';
import { differences } from './differences.ts';
import type { Doc } from './doc.ts';
import type { FixtureCase, NegotiationCase, ReducerCase, RoundTripCase } from './fixtures.ts';
import { reduceAt } from './reduce-at.ts';
import { mismatches, playSquare, raised, reduceNewest } from './square.ts';

/** The clock of all fixtures, in milliseconds since the epoch. */
const NOW = 9_999;

/** Plays a fixture of a version by that version's reducers. Returns what differs from what it expects. */
export function playDirectly(version: VersionLine, one: FixtureCase): string[] {
  if (one.type === 'round trip') return roundTrip(one);
  if (one.type === 'negotiation') return negotiation(one);
  const reduce = (state: Doc, action: Doc): Doc =>
    version === '1.0.0'
      ? reduceNewest(one.kind, state, action, NOW)
      : reduceAt({ version, now: NOW }, one.kind, state, action);
  return attempted(() => differences(one.actions.reduce(reduce, one.initial), one.expected));
}

/** Plays a fixture of a version by the reducers of 1.0, through the version's dialect. Returns what differs from what it expects. */
export function playThroughDialect(version: VersionLine, one: FixtureCase): string[] {
  return one.type === 'reducer' ? attempted(() => throughDialect(version, one)) : [];
}

function throughDialect(version: VersionLine, one: ReducerCase): string[] {
  const { kind, expected } = one;
  const scene = raised(version, one, NOW);
  const square = playSquare(version, scene, NOW);
  if ((scene.allowed ?? square.allowed) !== undefined) return [];
  const [shown, wanted] = [square.shown, expected].map((state) => comparable(version, kind, state));
  return [
    ...mismatches(version, kind, square).map((line) => `reduced after the conversion down: ${line}`),
    ...differences(shown, wanted).map((line) => `reduced in 1.0: ${line}`),
  ];
}

/** Parsing and printing is the whole decoding and encoding. */
function roundTrip({ input, outputs }: RoundTripCase): string[] {
  const output: unknown = JSON.parse(JSON.stringify(input));
  const [first = [], ...others] = outputs.map((accepted) => differences(output, accepted));
  return others.some((lines) => lines.length === 0) ? [] : first;
}

/** Versions below the fixture's baselines are left out: upstream's host does not speak them, and this one does. */
function negotiation({ baselines, offered, selected }: NegotiationCase): string[] {
  const isSpoken = (entry: unknown): boolean => {
    const line = typeof entry === 'string' ? lineOf(entry) : undefined;
    return line === undefined || baselines.includes(line);
  };
  const answer = negotiateVersion(offered.filter(isSpoken));
  if (answer.ok) {
    // A malformed entry beside good ones is skipped [NEG-4].
    const isSkipped = selected === undefined && offered.length > 1;
    return isSkipped ? [] : differences(answer.version, selected);
  }
  return selected === undefined || selected === null ? [] : [`got ${answer.reason}, expected ${selected}`];
}

function attempted(play: () => string[]): string[] {
  try {
    return play();
  } catch (error) {
    return [`threw ${String(error)}`];
  }
}
