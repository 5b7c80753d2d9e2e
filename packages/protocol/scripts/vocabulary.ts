import { fileURLToPath } from 'node:url';
import { type Config, createGenerator } from 'ts-json-schema-generator';
import { type Definitions, definition, refName, resolve, type Schema } from './json-schema.ts';

const root = new URL('../../../', import.meta.url);

/** Types that reference everything on the wire. */
const ROOT_TYPES = [
  'StateAction',
  'ChannelState',
  'ClientToHostRequests',
  'ClientToHostNotifications',
  'HostToClientRequests',
  'HostToClientNotifications',
  'ErrorDataMap',
] as const;

/** The wire types as schemas, with the names under which they are looked up. */
export interface Vocabulary {
  definitions: Definitions;
  /** Action type → its schema. */
  actions: Record<string, Schema>;
  /** Kind of channel → schema of its state. */
  states: Record<string, Schema>;
  clientRequests: Record<string, { params: Schema; result: Schema }>;
  clientNotifications: Record<string, Schema>;
  hostRequests: Record<string, { params: Schema; result: Schema }>;
  hostNotifications: Record<string, Schema>;
  /** Error code → schema of its data. */
  errors: Record<string, Schema>;
}

function properties(definitions: Definitions, name: string): Record<string, Schema> {
  const { properties: found } = resolve(definition(definitions, name), definitions);
  if (!found) throw new Error(`${name} has no fields`);
  return found;
}

function requests(
  definitions: Definitions,
  name: string,
): Record<string, { params: Schema; result: Schema }> {
  return Object.fromEntries(
    Object.entries(properties(definitions, name)).map(([method, schema]) => {
      const { params, result } = resolve(schema, definitions).properties ?? {};
      if (!params || !result) throw new Error(`${name}.${method} needs params and result`);
      return [method, { params, result }];
    }),
  );
}

function actionTypes(schema: Schema, definitions: Definitions): string[] {
  const resolved = resolve(schema, definitions);
  if (resolved.anyOf) return resolved.anyOf.flatMap((member) => actionTypes(member, definitions));
  const type = resolved.properties?.type?.const;
  if (typeof type !== 'string') throw new Error(`an action has no type: ${refName(schema)}`);
  return [type];
}

/**
 * Action type → schema. Members with the same type (approved and denied) stay together in the union that
 * names them.
 */
function actionsByType(union: Schema, definitions: Definitions, found: Record<string, Schema> = {}) {
  for (const member of resolve(union, definitions).anyOf ?? []) {
    const types = [...new Set(actionTypes(member, definitions))];
    const [type] = types;
    if (types.length > 1 || type === undefined) actionsByType(member, definitions, found);
    else if (found[type] === undefined) found[type] = member;
    else throw new Error(`two actions are called ${type}`);
  }
  return found;
}

/** Reads the wire types of this package and converts them to JSON Schema. Takes about two seconds. */
export function readVocabulary(): Vocabulary {
  const config: Config = {
    path: fileURLToPath(new URL('packages/protocol/src/index.ts', root)),
    tsconfig: fileURLToPath(new URL('tsconfig.json', root)),
    expose: 'export',
    jsDoc: 'extended',
    additionalProperties: true,
    topRef: true,
    // tsc checks the types already; another check would double the time.
    skipTypeCheck: true,
  };
  const generator = createGenerator(config);
  const definitions: Definitions = {};
  // A round trip through JSON converts the generator's schema type to ours.
  for (const type of ROOT_TYPES) {
    Object.assign(definitions, JSON.parse(JSON.stringify(generator.createSchema(type).definitions)));
  }
  return {
    definitions,
    actions: actionsByType({ $ref: '#/definitions/StateAction' }, definitions),
    states: properties(definitions, 'ChannelState'),
    clientRequests: requests(definitions, 'ClientToHostRequests'),
    clientNotifications: properties(definitions, 'ClientToHostNotifications'),
    hostRequests: requests(definitions, 'HostToClientRequests'),
    hostNotifications: properties(definitions, 'HostToClientNotifications'),
    errors: properties(definitions, 'ErrorDataMap'),
  };
}
