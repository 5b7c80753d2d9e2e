import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The keywords of JSON Schema that the published schemas use. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** A published file. Its definitions are keyed by name. */
export interface SchemaFile {
  readonly definitions: Readonly<Record<string, Schema>>;
}

const folder = join(import.meta.dirname, '../../../packages/protocol/schema');

/** One of the files in `packages/protocol/schema`. */
export const schemaFile = (name: 'actions' | 'commands'): SchemaFile =>
  JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'));

const nameOf = ({ $ref = '' }: Schema): string => $ref.slice('#/definitions/'.length);

/** The schema that a reference leads to, or the schema itself. */
export function resolved({ definitions }: SchemaFile, schema: Schema): Schema {
  if (schema.$ref === undefined) return schema;
  const target = definitions[nameOf(schema)];
  if (target === undefined) throw new Error(`the schema has no ${schema.$ref}`);
  return target;
}

/** Schemas of the params of every request that a client may send. */
export function requestSchemas(file: SchemaFile): ReadonlyMap<string, Schema> {
  const methods = file.definitions['ClientToHostRequests']?.properties ?? {};
  return new Map(Object.entries(methods).map(([name, entry]) => [name, entry.properties?.['params'] ?? {}]));
}

/** Schemas of every action of the protocol by type. */
export function actionSchemas(file: SchemaFile): ReadonlyMap<string, Schema> {
  const found = new Map<string, Schema>();
  const visit = (schema: Schema): void => {
    if (schema.anyOf !== undefined) {
      for (const each of schema.anyOf) visit(resolved(file, each));
      return;
    }
    const type = schema.properties?.['type']?.const;
    if (typeof type === 'string') found.set(type, schema);
  };
  visit(file.definitions['StateAction'] ?? {});
  return found;
}
