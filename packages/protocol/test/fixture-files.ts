import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ChannelKind } from '../src/wire/channels.ts';
import { CHANNEL_KINDS } from '../src/wire/channels.ts';
import type { StateAction } from '../src/wire/envelope.ts';
import { reduceChannel } from '../src/wire/reduce.ts';

/** The time that the clock of every fixture shows, in milliseconds since the epoch. */
const FIXTURE_NOW = 9_999;

/** One scenario: `actions`, reduced in order from `initial`, end at `expected`. `null` is absent everywhere. */
export interface ReducerFixture {
  file: string;
  description: string;
  reducer: ChannelKind;
  initial: object;
  actions: readonly StateAction[];
  expected: object;
}

/** One value that decoding and encoding must keep. */
interface RoundTripFixture {
  file: string;
  /** The input as its file spells it. */
  input: unknown;
  /** What has to come out: all of the input, unknown keys too. */
  output: unknown;
}

const shared = fileURLToPath(new URL('../../../../shared/protocol/0.5.2/fixtures/', import.meta.url));
const own = fileURLToPath(new URL('./fixtures/', import.meta.url));

/** Whether the protocol's own fixtures lie beside the repository. */
export const hasShared = existsSync(shared);

/** What a run without them is told. */
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

/** The protocol's reducer fixtures; none when they are not there. */
export function sharedReducerFixtures(): ReducerFixture[] {
  return reducerFixturesIn(`${shared}reducers/`);
}

/** The project's own reducer fixtures, each about one rule. */
export function ownReducerFixtures(): ReducerFixture[] {
  return reducerFixturesIn(own);
}

/** The protocol's round trips; none when they are not there. */
export function sharedRoundTrips(): RoundTripFixture[] {
  return readFolder(`${shared}round-trips/`).map(({ file, content }) => ({
    file,
    input: member(content, 'input'),
    output:
      member(content, 'preservedOutput') ?? Reflect.get(objectIn(content, 'acceptableOutputs', file), 0),
  }));
}

/** A copy of a JSON value without the members that are `null` or `undefined`. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([, item]) => item !== null && item !== undefined);
  return Object.fromEntries(kept.map(([key, item]) => [key, withoutNulls(item)]));
}

/** Reduces by the named reducer. States in fixtures are trusted to be of their reducer's channel. */
export function reduceFixture(kind: ChannelKind, state: object, action: StateAction): object {
  return Reflect.apply(reduceChannel, undefined, [kind, state, action, FIXTURE_NOW]);
}
