import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Doc, isDoc } from './doc.ts';

/** A scenario: `actions`, reduced in order from `initial`, give `expected`. */
export interface ReducerCase {
  readonly type: 'reducer';
  readonly file: string;
  readonly kind: string;
  readonly initial: Doc;
  readonly actions: readonly Doc[];
  readonly expected: Doc;
}

/** A value that decoding and encoding must give back as one of `outputs`. */
export interface RoundTripCase {
  readonly type: 'round trip';
  readonly file: string;
  readonly input: unknown;
  readonly outputs: readonly unknown[];
}

/** Offered versions and the answer of a host that speaks only the ranges of `baselines`. */
export interface NegotiationCase {
  readonly type: 'negotiation';
  readonly file: string;
  readonly baselines: readonly string[];
  readonly offered: readonly unknown[];
  /** `null`: there is no common version. `undefined`: the offer is malformed. */
  readonly selected: string | null | undefined;
}

export type FixtureCase = ReducerCase | RoundTripCase | NegotiationCase;

/** A folder or a file that has no fixtures. The message names it. */
export class FixtureError extends Error {}

const SUBFOLDERS = ['reducers', 'round-trips'];

/** Reads the fixtures of a folder, and those in its `reducers` and `round-trips`. Throws a `FixtureError`. */
export function readFixtures(folder: string): FixtureCase[] {
  if (!existsSync(folder)) throw new FixtureError(`${folder}: no such folder`);
  const folders = [
    folder,
    ...SUBFOLDERS.map((name) => join(folder, name)).filter((path) => existsSync(path)),
  ];
  const cases = folders.flatMap((path) => filesOf(path).flatMap((file) => casesOf(join(path, file), file)));
  if (cases.length === 0) throw new FixtureError(`${folder}: no fixtures (*.json)`);
  return cases;
}

function filesOf(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .toSorted();
  } catch (cause) {
    throw new FixtureError(`${folder}: cannot be read as a folder`, { cause });
  }
}

function casesOf(path: string, file: string): FixtureCase[] {
  const content = parsed(path);
  if ('reducer' in content) return [reducerCase(path, file, withoutNulls(content))];
  if ('input' in content) return [roundTripCase(path, file, content)];
  if ('cases' in content) return negotiationCases(path, file, content);
  throw new FixtureError(`${path}: no fixture: expected reducer, input or cases`);
}

function parsed(path: string): Doc {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw new FixtureError(`${path}: no JSON`, { cause });
  }
  if (!isDoc(content)) throw new FixtureError(`${path}: expected an object`);
  return content;
}

function reducerCase(path: string, file: string, content: unknown): ReducerCase {
  if (isDoc(content)) {
    const { reducer, initial, actions, expected } = content;
    const isWhole = typeof reducer === 'string' && isDoc(initial) && isDoc(expected);
    if (isWhole && Array.isArray(actions) && actions.every(isDoc))
      return { type: 'reducer', file, kind: reducer, initial, actions, expected };
  }
  throw new FixtureError(`${path}: expected reducer, initial, actions and expected`);
}

function roundTripCase(path: string, file: string, content: Doc): RoundTripCase {
  const { input, preservedOutput, acceptableOutputs } = content;
  const accepted: unknown[] = Array.isArray(acceptableOutputs) ? acceptableOutputs : [];
  const outputs = preservedOutput === undefined ? accepted : [preservedOutput];
  if (outputs.length === 0) throw new FixtureError(`${path}: expected preservedOutput or acceptableOutputs`);
  return { type: 'round trip', file, input, outputs };
}

function negotiationCases(path: string, file: string, { baselines, cases }: Doc): NegotiationCase[] {
  if (!Array.isArray(baselines) || !Array.isArray(cases))
    throw new FixtureError(`${path}: expected baselines and cases`);
  return cases.map((one: unknown, index): NegotiationCase => {
    const { offered, selected, invalid } = isDoc(one) ? one : {};
    const isAnswer = typeof selected === 'string' || selected === null || invalid === true;
    if (!Array.isArray(offered) || !isAnswer)
      throw new FixtureError(`${path}: case ${index}: expected offered, and selected or invalid`);
    const name = `${file}: ${JSON.stringify(offered)}`;
    const answer = typeof selected === 'string' || selected === null ? selected : undefined;
    return { type: 'negotiation', file: name, baselines: baselines.map(String), offered, selected: answer };
  });
}

/** A copy of a JSON value without members that are `null`: in fixtures they mean absence. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isDoc(value)) return value;
  const kept = Object.entries(value).filter(([, item]) => item !== null);
  return Object.fromEntries(kept.map(([key, item]) => [key, withoutNulls(item)]));
}
