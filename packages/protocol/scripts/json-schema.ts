/** The subset of JSON Schema (draft-07) that the wire types need. */
export interface Schema {
  $ref?: string;
  $schema?: string;
  title?: string;
  description?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  if?: Schema;
  then?: Schema;
  else?: Schema;
  discriminator?: { propertyName: string };
  minimum?: number;
  maximum?: number;
  minItems?: number;
  definitions?: Definitions;
}

/** Named schemas; they refer to each other as `#/definitions/<name>`. */
export type Definitions = Record<string, Schema>;

const prefix = '#/definitions/';

/** A reference to the definition `name`. */
export function refTo(name: string): Schema {
  return { $ref: prefix + name };
}

/** The name that a reference points at. `undefined` when `schema` is not a plain reference. */
export function refName(schema: Schema): string | undefined {
  return schema.$ref?.startsWith(prefix) ? decodeURIComponent(schema.$ref.slice(prefix.length)) : undefined;
}

/**
 * The definition called `name`.
 * @throws when there is none
 */
export function definition(definitions: Definitions, name: string): Schema {
  const found = definitions[name];
  if (found === undefined) throw new Error(`no definition is called ${name}`);
  return found;
}

/** Follows references until something else is found. */
export function resolve(schema: Schema, definitions: Definitions): Schema {
  const name = refName(schema);
  return name === undefined ? schema : resolve(definition(definitions, name), definitions);
}

/** All schemas directly inside `schema`. */
function children(schema: Schema): Schema[] {
  const { properties, additionalProperties, items, anyOf, oneOf, allOf, else: otherwise } = schema;
  const single = [items, schema.if, schema.then, otherwise, additionalProperties];
  return [
    ...Object.values(properties ?? {}),
    ...single.filter((child) => typeof child === 'object'),
    ...(anyOf ?? []),
    ...(oneOf ?? []),
    ...(allOf ?? []),
  ];
}

/** Names of the definitions that `schema` needs, directly or indirectly. */
export function reachable(schema: Schema, definitions: Definitions, seen = new Set<string>()): Set<string> {
  const name = refName(schema);
  if (name !== undefined && !seen.has(name)) {
    seen.add(name);
    reachable(definition(definitions, name), definitions, seen);
  }
  for (const child of children(schema)) reachable(child, definitions, seen);
  return seen;
}

/** `schema` with `change` applied to every schema directly inside it. */
export function mapChildren(schema: Schema, change: (child: Schema) => Schema): Schema {
  const { properties, additionalProperties, items, anyOf } = schema;
  return {
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([key, child]) => [key, change(child)])),
    }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: change(additionalProperties) }),
    ...(items && { items: change(items) }),
    ...(anyOf && { anyOf: anyOf.map(change) }),
  };
}
