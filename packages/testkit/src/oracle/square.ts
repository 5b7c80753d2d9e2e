import { CHANNEL_KINDS, reduceChannel, type VersionLine } from '@agenthost/protocol';
import { dialectOf } from '@agenthost/protocol/dialects';
import { allowedAfter, comparable } from './allowed.ts';
import { differences } from './differences.ts';
import { type Doc, doc, isDoc } from './doc.ts';
import { reduceAt } from './reduce-at.ts';

/** A state of a kind of channel and the actions that follow, in version 1.0. */
export interface Scene {
  readonly kind: string;
  readonly initial: Doc;
  readonly actions: readonly Doc[];
}

/** The two ways around the square, at their end. */
export interface Square {
  /** The state in version 1.0. */
  readonly newest: Doc;
  /** That state, converted down. */
  readonly shown: Doc;
  /** The state of a client of the version, which reduced the converted actions. */
  readonly held: Doc;
  /** The actions that the client was sent. */
  readonly sent: readonly Doc[];
  /** Why the two states may differ. */
  readonly allowed?: string;
}

/** Reduces by the product's reducers of version 1.0. */
export function reduceNewest(kind: string, state: Doc, action: Doc, now: number): Doc {
  const known = CHANNEL_KINDS.find((one) => one === kind);
  if (known === undefined) throw new Error(`no reducer for channels of the kind ${kind}`);
  return Reflect.apply(reduceChannel, undefined, [known, state, action, now]);
}

const CHANNEL = 'ahp-test:/channel';

/**
 * Reduces each action in version 1.0, and by the oracle of a version after its conversion down. The states at the end must be equal
 * [DIA-1]; see `mismatches`.
 */
export function playSquare(version: VersionLine, { kind, initial, actions }: Scene, now: number): Square {
  const dialect = dialectOf(version);
  const down = (state: Doc): Doc => asDoc(dialect.stateDown(kind, state, { channel: CHANNEL }));
  const sent: Doc[] = [];
  let [newest, held] = [initial, down(initial)];
  let allowed: string | undefined;
  for (const action of actions) {
    const before = newest;
    newest = reduceNewest(kind, before, action, now);
    allowed ??= allowedAfter(version, before, action);
    for (const one of dialect.actionDown(action, { before, after: newest, channel: CHANNEL })) {
      const known = asDoc(one);
      sent.push(known);
      held = reduceAt({ version, now }, kind, held, known);
    }
  }
  return { newest, shown: down(newest), held, sent, ...(allowed !== undefined && { allowed }) };
}

/** The differences between the two ways, without those that are allowed. */
export function mismatches(version: VersionLine, kind: string, { held, shown, allowed }: Square): string[] {
  if (allowed !== undefined) return [];
  return differences(comparable(version, kind, held), comparable(version, kind, shown));
}

/** A state and actions of an older version in version 1.0. `allowed`: why the older version may get another state from them. */
export function raised(
  version: VersionLine,
  { kind, initial, actions }: Scene,
  now: number,
): Scene & { readonly allowed: string | undefined } {
  const dialect = dialectOf(version);
  const { clientId } = doc(initial['activeClient']);
  const look = { channel: CHANNEL, clientId: String(clientId) };
  const first = asDoc(dialect.stateUp(kind, initial, look));
  let before = first;
  let allowed: string | undefined;
  const up = actions.map((action) => {
    allowed ??= allowedAfter(version, before, action);
    const one = asDoc(dialect.actionUp(action, { ...look, before }));
    before = reduceNewest(kind, before, one, now);
    return one;
  });
  return { kind, initial: first, actions: up, allowed };
}

function asDoc(value: unknown): Doc {
  if (!isDoc(value)) throw new Error(`expected an object, got ${JSON.stringify(value)}`);
  return value;
}
