import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ChannelKind } from '../src/wire/channels.ts';
import { CHANNEL_KINDS } from '../src/wire/channels.ts';
import type { StateAction } from '../src/wire/envelope.ts';
import { reduceChannel } from '../src/wire/reduce.ts';

/** A scenario: `actions`, reduced in order from `initial`, give `expected`. `null` means absent. */
export interface ReducerFixture {
  file: string;
  description: string;
  reducer: ChannelKind;
  initial: object;
  actions: readonly StateAction[];
  expected: object;
}

/** A value that decoding and encoding must preserve. */
interface RoundTripFixture {
  file: string;
  /** The input as written in its file. */
  input: unknown;
  /** The expected output: all of the input, including unknown keys. */
  output: unknown;
}

const sharedFolder = (version: string): string =>
  fileURLToPath(new URL(`../../../../shared/protocol/${version}/fixtures/`, import.meta.url));

const shared = sharedFolder('1.0.0');

/** 1.0.0 has fixtures only of what changed since 0.7.0: the others of 0.7.0 hold as they are. */
const earlier = sharedFolder('0.7.0');

const own = fileURLToPath(new URL('./fixtures/', import.meta.url));

/** Whether the protocol's fixtures are next to the repository. */
export const hasShared = existsSync(shared);

/** Message of a run without them. */
export const SHARED_MISSING = `the protocol's fixtures are not at ${shared}: the project's own ones run alone`;

function readFolder(folder: string): { file: string; content: unknown }[] {
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return files.toSorted().map((file) => ({ file, content: JSON.parse(readFileSync(folder + file, 'utf8')) }));
}

function member(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}

function isAction(value: unknown): value is StateAction {
  return typeof member(value, 'type') === 'string';
}

function objectIn(content: unknown, key: string, file: string): object {
  const value = member(content, key);
  if (typeof value !== 'object' || value === null) throw new Error(`${file}: ${key} is no object`);
  return value;
}

function asReducerFixture(file: string, raw: unknown): ReducerFixture {
  const content = withoutNulls(raw);
  const reducer = CHANNEL_KINDS.find((kind) => kind === member(content, 'reducer'));
  const actions = member(content, 'actions');
  if (!reducer) throw new Error(`${file}: unknown reducer`);
  if (!Array.isArray(actions) || !actions.every(isAction)) throw new Error(`${file}: actions without type`);
  return {
    file,
    description: String(member(content, 'description')),
    reducer,
    initial: objectIn(content, 'initial', file),
    actions,
    expected: objectIn(content, 'expected', file),
  };
}

function reducerFixturesIn(folder: string): ReducerFixture[] {
  return readFolder(folder).map(({ file, content }) => asReducerFixture(file, content));
}

/** The protocol's reducer fixtures that are new or changed in 1.0.0; none when they are missing. */
export function newReducerFixtures(): ReducerFixture[] {
  return reducerFixturesIn(`${shared}reducers/`);
}

/**
 * The protocol's reducer fixtures of 0.7.0 that hold in 1.0.0; none when they are missing. A fixture of 1.0.0 replaces the one of 0.7.0 with
 * the same number and reducer.
 */
export function unchangedReducerFixtures(): ReducerFixture[] {
  const replaced = new Set(newReducerFixtures().map(numberAndReducer));
  return reducerFixturesIn(`${earlier}reducers/`).filter((one) => !replaced.has(numberAndReducer(one)));
}

/** The protocol's reducer fixtures for 1.0; none when they are missing. */
export function sharedReducerFixtures(): ReducerFixture[] {
  return [...newReducerFixtures(), ...unchangedReducerFixtures()];
}

function numberAndReducer({ file, reducer }: ReducerFixture): string {
  return `${/^[a-z]?(\d*)/.exec(file)?.[1]} ${reducer}`;
}

/** The project's own reducer fixtures, each about one rule. */
export function ownReducerFixtures(): ReducerFixture[] {
  return reducerFixturesIn(own);
}

/** The protocol's round trips, which did not change since 0.7.0; none when they are missing. */
export function sharedRoundTrips(): RoundTripFixture[] {
  return readFolder(`${earlier}round-trips/`).map(({ file, content }) => ({
    file,
    input: member(content, 'input'),
    output:
      member(content, 'preservedOutput') ?? Reflect.get(objectIn(content, 'acceptableOutputs', file), 0),
  }));
}

/** A copy of a JSON value without members that are `null` or `undefined`. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([, item]) => item !== null && item !== undefined);
  return Object.fromEntries(kept.map(([key, item]) => [key, withoutNulls(item)]));
}

/** Reduces with the named reducer. States in fixtures are assumed to be of its kind. */
export function reduceFixture(kind: ChannelKind, state: object, action: StateAction): object {
  return Reflect.apply(reduceChannel, undefined, [kind, state, action]);
}
