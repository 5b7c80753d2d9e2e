import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';

/** The subset of JSON Schema that the protocol's schemas use. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
}

/** Schemas by type name. */
export type Definitions = Readonly<Record<string, Schema>>;

const CORRECTED = '0.5.2';

/** Versions whose schema lost types, and the later one that it is completed from. */
const LOOSE: Readonly<Record<string, string>> = {
  '0.4.0': CORRECTED,
  '0.5.0': CORRECTED,
  '0.5.1': CORRECTED,
  '0.6.0': '0.7.0',
};

/** Newer optional fields that may stay in what an older version is sent, because receivers ignore them [DIA-4]. */
const MAY_STAY: readonly string[] = [
  'backgroundWork',
  'blocking',
  'canvases',
  'changes',
  'changesets',
  'chats',
  'defaultChat',
  'duration',
  'isPty',
  'movable',
  'multipleWorkingDirectories',
  'customizations',
  'disableConditions',
  'maxItems',
  'minItems',
  'oauthClient',
  'primaryReplacement',
  'runCount',
  'sideChat',
  'startedAt',
];

const fileOf = (version: string): string =>
  fileURLToPath(new URL(`../../../../shared/protocol/${version}/schema.json`, import.meta.url));

/** The expected path of the protocol's schema when the file is missing; else `undefined`. */
export const missingSchemas = (): string | undefined =>
  existsSync(fileOf('1.0.0')) ? undefined : fileOf('1.0.0');

/** The types of a version. Throws when its schema is missing. */
export const definitionsOf = (version: string): Definitions =>
  JSON.parse(readFileSync(fileOf(version), 'utf8')).$defs;

/**
 * Finds parts of a value that a version's schema does not allow, including unknown fields other than `_meta`
 * and extensions.
 */
export class OlderSchema {
  readonly #ajv: Ajv2020;

  constructor(version: string) {
    this.#ajv = new Ajv2020({ strict: false, allErrors: false });
    const own = definitionsOf(version);
    const corrected = definitionsOf(LOOSE[version] ?? version);
    this.#ajv.addSchema({ $id: 'older', $defs: closed(own, corrected) });
  }

  /** The fault of a value of this type; `undefined` when there is none. */
  faultOf(type: string, value: unknown): string | undefined {
    const ref = `older#/$defs/${type}`;
    const check = this.#ajv.getSchema(ref);
    if (check === undefined) return `the version has no type ${type}`;
    return check(value) === true ? undefined : this.#ajv.errorsText(check.errors, { dataVar: type });
  }
}

/** The corrected types, limited to the types and fields of `own`; other fields are not allowed. */
function closed(own: Definitions, corrected: Definitions): Record<string, object> {
  const narrow = (name: string): object =>
    narrowed(corrected[name] ?? own[name] ?? {}, own[name] ?? corrected[name] ?? {}, own);
  const names = new Set(Object.keys(own));
  const result: Record<string, object> = {};
  for (const name of names) {
    const schema = narrow(name);
    result[name] = schema;
    // Adds types that only a later version names.
    for (const [, other] of JSON.stringify(schema).matchAll(/"#\/\$defs\/(\w+)"/g)) names.add(other ?? name);
  }
  return result;
}

function narrowed(schema: Schema, own: Schema, all: Definitions): object {
  const members = schema.oneOf ?? schema.anyOf;
  if (members !== undefined) {
    const isKnown = ({ $ref }: Schema): boolean => $ref === undefined || nameOf($ref) in all;
    const named = new Set(members.map(({ $ref }) => $ref));
    // Members that the later version no longer has.
    const gone = (own.oneOf ?? own.anyOf ?? []).filter(({ $ref }) => $ref !== undefined && !named.has($ref));
    const known = [...members.filter(isKnown), ...gone];
    return {
      anyOf: (known.length > 0 ? known : members).map((member) => narrowed(member, member, all)),
    };
  }
  if (schema.items !== undefined)
    return { type: 'array', items: narrowed(schema.items, own.items ?? schema.items, all) };
  const { properties } = schema;
  if (properties === undefined && own.properties === undefined) return schema;
  const fields = Object.entries(own.properties ?? {}).map(([name, field]) => {
    // The schema files declare these JSON Schemas as strings.
    if (name === 'inputSchema' || name === 'outputSchema') return [name, {}];
    // Those before 0.7 also declare `AhpMcpUiHostCapabilities.sampling.tools`, an object, as a string.
    if (name === 'tools' && field.type === 'string') return [name, { type: 'object' }];
    const newer = properties?.[name];
    return [name, newer === undefined || isOther(newer, field) ? field : narrowed(newer, field, all)];
  });
  const required = (schema.required ?? []).filter((name) => own.properties?.[name] !== undefined);
  return {
    type: 'object',
    properties: Object.fromEntries(fields),
    required,
    patternProperties: { '^(?:x-|_meta$)': {}, [`^(?:${newerOf(own).join('|')})$`]: {} },
    additionalProperties: schema.additionalProperties ?? false,
  };
}

/** Times were numbers in 0.4. */
const isOther = (newer: Schema, own: Schema): boolean => newer.type === 'string' && own.type === 'number';

const newerOf = ({ properties = {} }: Schema): readonly string[] =>
  MAY_STAY.filter((name) => !Object.hasOwn(properties, name));

/** The type name in a reference. */
export const nameOf = (ref: string): string => ref.replace('#/$defs/', '');

let actionTypes: ReadonlyMap<string, string> | undefined;

/** The type of an action with this name, which gives better errors than the union of all actions. */
export function typeOfAction(type: string): string {
  // A type keeps its name in later versions.
  actionTypes ??= new Map(
    ['1.0.0', CORRECTED, '0.4.0'].flatMap((version) => [...namesOfActions(definitionsOf(version))]),
  );
  return actionTypes.get(type) ?? 'StateAction';
}

function namesOfActions(all: Definitions): ReadonlyMap<string, string> {
  const names = (all['StateAction']?.oneOf ?? []).map(({ $ref = '' }) => nameOf($ref));
  return new Map(
    names.flatMap((name): [string, string][] => {
      const { properties, oneOf = [] } = all[name] ?? {};
      const [first] = oneOf;
      const type = properties?.['type'] ?? all[nameOf(first?.$ref ?? '')]?.properties?.['type'];
      return typeof type?.const === 'string' ? [[type.const, name]] : [];
    }),
  );
}
