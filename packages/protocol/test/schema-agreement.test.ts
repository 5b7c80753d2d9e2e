import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import type { Definitions } from '../scripts/json-schema.ts';
import { validateAction } from '../src/validate/index.ts';
import { validateState } from '../src/validate/peer.ts';
import type { ChannelKind } from '../src/wire/channels.ts';
import {
  hasShared,
  newReducerFixtures,
  type ReducerFixture,
  SHARED_MISSING,
  unchangedReducerFixtures,
} from './fixture-files.ts';
import { DIFFERENCES } from './schema-differences.ts';
import { MUTATIONS } from './schema-mutations.ts';
import { structuralDifferences } from './schema-structure.ts';

const schemaFolder = fileURLToPath(new URL('../schema/', import.meta.url));
const givenFile = fileURLToPath(new URL('../../../../shared/protocol/1.0.0/schema.json', import.meta.url));
const roundTripFolder = fileURLToPath(
  new URL('../../../../shared/protocol/0.7.0/fixtures/round-trips/', import.meta.url),
);

/** Values of fixtures with actions, parts and members that are in no schema of this version. */
const UNKNOWN = [
  '087-root-unknown-action-type-is-no-op.json action',
  '089-terminal-unknown-action-type-is-no-op.json action',
  '217-annotations-unknown-action-type-is-no-op.json action',
  'n-canvas-unknown-action.json action',
  '103-delta-skips-parts-without-id.json initial',
  '103-delta-skips-parts-without-id.json expected',
  'n-chat-background-work-unknown-kind.json initial',
  'n-chat-background-work-unknown-kind.json expected',
  'n-chat-background-work-unknown-kind.json action 0',
];
const UNKNOWN_ROUND_TRIPS = ['002', '003', '008'];

/** Fixtures of 0.7.0 whose rule holds, with an action in the shape of before: `enabled` for `enablement` [CUST-21]. */
const EARLIER_ACTIONS = ['061', '062', '226'];

/** Kinds whose states in fixtures of 0.7.0 lack a required field of 1.0: `lifecycle` [TERM-20], `origin` [ANN-20]. */
const EARLIER_STATES: readonly ChannelKind[] = ['terminal', 'annotations'];

const STATE_DEFINITIONS: Record<ChannelKind, string> = {
  root: 'RootState',
  session: 'SessionState',
  chat: 'ChatState',
  terminal: 'TerminalState',
  changeset: 'ChangesetState',
  annotations: 'AnnotationsState',
  resourceWatch: 'ResourceWatchState',
  automation: 'AutomationState',
  automationRun: 'AutomationRunState',
  canvas: 'CanvasState',
};

function definitionsOf(file: string, key: 'definitions' | '$defs'): Definitions {
  return JSON.parse(readFileSync(file, 'utf8'))[key];
}

const published: Definitions = Object.assign(
  {},
  ...readdirSync(schemaFolder).map((name) => definitionsOf(schemaFolder + name, 'definitions')),
);
const given: Definitions = existsSync(givenFile) ? definitionsOf(givenFile, '$defs') : {};

/** Compiles definitions of an unmodified schema when they are first needed. */
function acceptance(ajv: Ajv | Ajv2020, prefix: string): (name: string, value: unknown) => boolean {
  const compiled = new Map<string, (value: unknown) => unknown>();
  return (name, value) => {
    const check = compiled.get(name) ?? ajv.compile({ $ref: prefix + name });
    compiled.set(name, check);
    return check(value) === true;
  };
}

const acceptsPublished = acceptance(
  new Ajv({ strict: false }).addSchema({ $id: 'published', definitions: published }),
  'published#/definitions/',
);
const acceptsGiven = acceptance(
  new Ajv2020({ strict: false }).addSchema({ $id: 'given', $defs: given }),
  'given#/$defs/',
);

/** Action type → definition, for every action of the given schema. */
function actionDefinitions(): Map<string, string> {
  const pairs = (given.StateAction?.oneOf ?? []).map((member) => {
    const name = member.$ref?.split('/').at(-1) ?? '';
    const first = given[name]?.oneOf?.[0]?.$ref?.split('/').at(-1) ?? name;
    return [String(given[first]?.properties?.type?.const), name] as const;
  });
  return new Map(pairs);
}

const actions = actionDefinitions();

/** The definition for an action; for an unknown type, one that no value satisfies. */
function actionDefinition(value: unknown): string | undefined {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
    ? actions.get(value.type)
    : undefined;
}

/**
 * A state or action of a fixture with the verdicts of the given schema, our schema, and the compiled check.
 */
interface Sample {
  label: string;
  definition: string;
  value: unknown;
  verdicts: (value: unknown) => { given: boolean; published: boolean; compiled: boolean };
}

function stateSample(label: string, kind: ChannelKind, state: unknown): Sample {
  const definition = STATE_DEFINITIONS[kind];
  return {
    label,
    definition,
    value: state,
    verdicts: (value) => ({
      given: acceptsGiven(definition, value),
      published: acceptsPublished(definition, value),
      compiled: validateState(kind, value).ok,
    }),
  };
}

function actionSample(label: string, action: unknown): Sample {
  return {
    label,
    definition: actionDefinition(action) ?? 'StateAction',
    value: action,
    verdicts: (value) => {
      const definition = actionDefinition(value);
      return {
        given: definition !== undefined && acceptsGiven(definition, value),
        published: definition !== undefined && acceptsPublished(definition, value),
        compiled: validateAction(value).ok,
      };
    },
  };
}

const startsWithAny = (name: string, starts: string[]) => starts.some((start) => name.startsWith(start));

const actionSamples = ({ file, actions: all }: ReducerFixture): Sample[] =>
  all.map((action, at) => actionSample(`${file} action ${at}`, action));
const stateSamples = ({ file, reducer, initial, expected }: ReducerFixture): Sample[] => [
  stateSample(`${file} initial`, reducer, initial),
  stateSample(`${file} expected`, reducer, expected),
];
const [added, unchanged] = hasShared ? [newReducerFixtures(), unchangedReducerFixtures()] : [[], []];
const samples = [
  ...added.flatMap((one) => [...actionSamples(one), ...stateSamples(one)]),
  ...unchanged.filter(({ file }) => !startsWithAny(file, EARLIER_ACTIONS)).flatMap(actionSamples),
  ...unchanged.filter(({ reducer }) => !EARLIER_STATES.includes(reducer)).flatMap(stateSamples),
];
const unknownSamples = samples.filter(({ label }) => startsWithAny(label, UNKNOWN));
const knownSamples = samples.filter((one) => !unknownSamples.includes(one));

interface RoundTrip {
  file: string;
  type: string;
  input: unknown;
}

const roundTrips: RoundTrip[] = hasShared
  ? readdirSync(roundTripFolder).map((file) => ({
      file,
      ...JSON.parse(readFileSync(roundTripFolder + file, 'utf8')),
    }))
  : [];

if (!hasShared) console.warn(`skipped: the agreement with the protocol's schema; ${SHARED_MISSING}`);

it.runIf(process.env.REQUIRE_ALL === '1')('the schema of the protocol exists', () => {
  expect(hasShared && existsSync(givenFile), SHARED_MISSING).toBe(true);
});

describe.skipIf(!hasShared)('our schema and the given one', () => {
  it('accept every state and action of the fixtures, as do the compiled checks', () => {
    expect(knownSamples.length).toBeGreaterThan(500);
    for (const sample of knownSamples) {
      const accepted = { given: true, published: true, compiled: true };
      expect(sample.verdicts(sample.value), sample.label).toEqual(accepted);
    }
  });

  it('reject the unknown actions and parts that the fixtures hold', () => {
    expect(unknownSamples).toHaveLength(UNKNOWN.length);
    for (const sample of unknownSamples) {
      const rejected = { given: false, published: false, compiled: false };
      expect(sample.verdicts(sample.value), sample.label).toEqual(rejected);
    }
  });

  it('accept the input of every round trip except those with unknown members', () => {
    expect(roundTrips.length).toBeGreaterThan(10);
    for (const { file, type, input } of roundTrips) {
      const isKnown = !startsWithAny(file, UNKNOWN_ROUND_TRIPS);
      const verdicts = [
        Object.hasOwn(given, type) && acceptsGiven(type, input),
        Object.hasOwn(published, type) && acceptsPublished(type, input),
      ];
      expect(verdicts, file).toEqual([isKnown, isKnown]);
    }
  });

  it('have the same fields, requirements and values except for the listed differences', () => {
    const listed = DIFFERENCES.map(({ where }) => where);
    const whole = listed.filter((where) => !where.includes('.'));
    expect(structuralDifferences(published, given, whole).toSorted()).toEqual(listed.toSorted());
  });
});

describe.skipIf(!hasShared)('under ten kinds of mutation, our schema and the given one', () => {
  const used = new Set<string>();

  it('cover ten kinds', () => {
    expect(Object.keys(MUTATIONS)).toHaveLength(10);
  });

  for (const [kind, mutate] of Object.entries(MUTATIONS)) {
    it(`agree on ${kind}`, () => {
      let rejectedCount = 0;
      for (const sample of knownSamples) {
        for (const { path, value } of mutate(sample.value)) {
          const { given: their, published: our, compiled } = sample.verdicts(value);
          const at = `${sample.label} ${sample.definition}${path}`;
          expect(compiled, `compiled check and schema on ${at}`).toBe(our);
          if (!our && !their) rejectedCount += 1;
          if (our === their) continue;
          const reasons = DIFFERENCES.filter(({ mutants }) => mutants?.test(path));
          expect(reasons, `${our ? 'only the given schema' : 'only our schema'} rejects ${at}`).not.toEqual(
            [],
          );
          for (const { where } of reasons) used.add(where);
        }
      }
      expect(rejectedCount).toBeGreaterThan(100);
    });
  }

  it('differ in every listed way', () => {
    const expected = DIFFERENCES.filter(({ mutants }) => mutants).map(({ where }) => where);
    expect([...used].toSorted()).toEqual(expected.toSorted());
  });
});
