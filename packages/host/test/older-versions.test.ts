import { PROTOCOL_VERSION, VERSION_LINES, type VersionLine } from '@agenthost/protocol';
import { dialectOf } from '@agenthost/protocol/dialects';
import {
  type Definitions,
  definitionsOf,
  missingSchemas,
  nameOf,
  OlderSchema,
  type Schema,
  typeOfAction,
} from '@agenthost/testkit';
import { describe, expect, it } from 'vitest';

const missing = missingSchemas();
// biome-ignore lint/suspicious/noConsole: reports a run without the schemas.
if (missing !== undefined)
  console.warn(`skipped: what older versions are sent; the protocol’s schemas are not at ${missing}`);

/** Values of a type with all of its fields, which together have each member of each union. `within`: the types around it. */
function samplesOf(defs: Definitions, schema: Schema, within: readonly string[] = []): unknown[] {
  const { $ref, type, items, properties } = schema;
  if ($ref !== undefined)
    return within.includes($ref) ? [] : samplesOf(defs, defs[nameOf($ref)] ?? {}, [...within, $ref]);
  if (schema.const !== undefined) return [schema.const];
  if (schema.enum !== undefined) return schema.enum.slice(0, 1);
  const members = schema.oneOf ?? schema.anyOf;
  if (members !== undefined) return members.flatMap((member) => samplesOf(defs, member, within));
  if (type === 'array') return [items === undefined ? [] : samplesOf(defs, items, within)];
  if (properties !== undefined) return objectsOf(defs, properties, within);
  return [PLAIN[type ?? 'object'] ?? {}];
}

const PLAIN: Readonly<Record<string, unknown>> = { string: 'x:/y', number: 1, integer: 1, boolean: true };

function objectsOf(
  defs: Definitions,
  properties: Readonly<Record<string, Schema>>,
  within: readonly string[],
): unknown[] {
  const fields = Object.entries(properties).flatMap(([name, schema]) => {
    const samples = samplesOf(defs, schema, within);
    return samples.length === 0 ? [] : [{ name, samples }];
  });
  const count = Math.max(1, ...fields.map(({ samples }) => samples.length));
  return Array.from({ length: count }, (_, index) =>
    Object.fromEntries(fields.map(({ name, samples }) => [name, samples[index % samples.length]])),
  );
}

const RESULTS = {
  initialize: 'InitializeResult',
  listSessions: 'ListSessionsResult',
  fetchTurns: 'FetchTurnsResult',
  completions: 'CompletionsResult',
  subscribe: 'SubscribeResult',
  resourceRead: 'ResourceReadResult',
  resolveSessionConfig: 'ResolveSessionConfigResult',
} as const;

const NOTIFICATIONS = {
  'auth/required': 'AuthRequiredParams',
  'root/progress': 'ProgressParams',
  'root/sessionAdded': 'SessionAddedParams',
  'root/sessionRemoved': 'SessionRemovedParams',
  'root/sessionSummaryChanged': 'SessionSummaryChangedParams',
} as const;

const STATES = {
  root: 'RootState',
  session: 'SessionState',
  chat: 'ChatState',
  terminal: 'TerminalState',
  changeset: 'ChangesetState',
  annotations: 'AnnotationsState',
  resourceWatch: 'ResourceWatchState',
};

/** Two states per kind of channel: one where nothing is found, and one with all fields. */
function statesOf(defs: Definitions): ReadonlyMap<string, readonly object[]> {
  return new Map(
    Object.entries(STATES).map(([kind, type]) => {
      const [whole] = samplesOf(defs, { $ref: `#/$defs/${type}` });
      return [kind, [NOTHING, Object(whole)]];
    }),
  );
}

const NOTHING = { turns: [] };

/** All versions before 1.0. */
const OLDER: readonly VersionLine[] = VERSION_LINES.filter((version) => version !== PROTOCOL_VERSION);

describe.skipIf(missing !== undefined).each(OLDER)('what a connection at %s is sent of 1.0.0', (version) => {
  const defs = missing === undefined ? definitionsOf('1.0.0') : {};
  const schema = missing === undefined ? new OlderSchema(version) : undefined;
  const dialect = dialectOf(version);

  it('[CONN-9] has no field and no member of a union unknown to its schema, in any action', () => {
    const samples = samplesOf(defs, { $ref: '#/$defs/StateAction' });
    expect(samples.length).toBeGreaterThan(80);
    const states = statesOf(defs);
    const faults = samples.flatMap((sample) => {
      const action: { type: string } = JSON.parse(JSON.stringify(sample));
      return (states.get(action.type.replace(/\/.*/, '')) ?? [NOTHING]).flatMap((state) =>
        dialect.actionDown(action, { before: state, after: state }).flatMap((sent) => {
          const fault = schema?.faultOf(typeOfAction('type' in sent ? String(sent.type) : ''), sent);
          return fault === undefined ? [] : [`${action.type}: ${fault}`];
        }),
      );
    });
    expect(faults).toEqual([]);
  });

  it.each(Object.entries(STATES))('[CONN-9] has none in the state of a %s', (kind, type) => {
    for (const sample of samplesOf(defs, { $ref: `#/$defs/${type}` })) {
      const state: unknown = JSON.parse(JSON.stringify(sample));
      expect(schema?.faultOf(type, dialect.stateDown(kind, state, {}))).toBeUndefined();
    }
  });

  it.each(Object.entries(NOTIFICATIONS))('[CONN-9] has none in the params of %s', (method, type) => {
    for (const sample of samplesOf(defs, { $ref: `#/$defs/${type}` })) {
      const sent = dialect.notificationDown(method, JSON.parse(JSON.stringify(sample)), {});
      expect(sent && schema?.faultOf(type, sent)).toBeUndefined();
    }
  });

  it.each(Object.entries(RESULTS))('[CONN-9] has none in the result of %s', (method, type) => {
    for (const sample of samplesOf(defs, { $ref: `#/$defs/${type}` })) {
      // The snapshots are converted separately.
      const { snapshots: _, snapshot: __, ...result } = { snapshots: [], snapshot: {}, ...Object(sample) };
      const whole = type === 'InitializeResult' ? { ...result, snapshots: [] } : result;
      expect(schema?.faultOf(type, dialect.resultDown(method, whole, {}))).toBeUndefined();
    }
  });
});
