import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
}

type Definitions = Readonly<Record<string, Schema>>;

/** A string at some path in a value, and a function that makes a value with a given string there and minimal fields elsewhere. */
export interface Leaf {
  /** Names of the fields that lead to it. */
  readonly path: readonly string[];
  make(text: string): unknown;
}

/** Maximum depth of the strings that are tested. */
const MAX_DEPTH = 7;

function load(file: string): Definitions {
  const path = fileURLToPath(new URL(`../../protocol/schema/${file}.json`, import.meta.url));
  const { definitions }: { definitions: Definitions } = JSON.parse(readFileSync(path, 'utf8'));
  return definitions;
}

/** Every string field in the actions of the protocol, by action type. */
export function actionLeaves(): Map<string, Leaf[]> {
  const schemas = new SchemaLeaves(load('actions'));
  return schemas.byTag('StateAction', 'type');
}

/** Every string field in the params of the requests of a client, by method. */
export function paramsLeaves(): Map<string, Leaf[]> {
  const definitions = load('commands');
  const schemas = new SchemaLeaves(definitions);
  const methods = Object.entries(definitions['ClientToHostRequests']?.properties ?? {});
  return new Map(
    methods.map(([method, { properties }]) => [method, schemas.leaves(properties?.['params'] ?? {})]),
  );
}

class SchemaLeaves {
  readonly #definitions: Definitions;

  constructor(definitions: Definitions) {
    this.#definitions = definitions;
  }

  /** Leaves of each member of a union, by the value of its tag. */
  byTag(name: string, tag: string): Map<string, Leaf[]> {
    const found = new Map<string, Leaf[]>();
    const visit = (schema: Schema): void => {
      const target = this.#resolved(schema);
      for (const member of target.anyOf ?? []) visit(member);
      const value = target.properties?.[tag]?.const;
      if (typeof value === 'string') found.set(value, [...(found.get(value) ?? []), ...this.leaves(target)]);
    };
    visit(this.#definitions[name] ?? {});
    return found;
  }

  leaves(schema: Schema): Leaf[] {
    return [...this.#leaves(schema, 0)];
  }

  *#leaves(given: Schema, depth: number): Generator<Leaf> {
    const schema = this.#resolved(given);
    if (depth > MAX_DEPTH || schema.const !== undefined || schema.enum !== undefined) return;
    for (const member of schema.anyOf ?? []) yield* this.#leaves(member, depth + 1);
    if ([schema.type].flat().includes('string')) yield { path: [], make: (text) => text };
    if (schema.items !== undefined) {
      for (const { path, make } of this.#leaves(schema.items, depth + 1))
        yield { path, make: (text) => [make(text)] };
    }
    if (typeof schema.additionalProperties === 'object') {
      for (const { path, make } of this.#leaves(schema.additionalProperties, depth + 1))
        yield { path, make: (text) => ({ ...this.#object(schema), key: make(text) }) };
    }
    for (const [name, child] of Object.entries(schema.properties ?? {})) {
      for (const { path, make } of this.#leaves(child, depth + 1))
        yield { path: [name, ...path], make: (text) => ({ ...this.#object(schema), [name]: make(text) }) };
    }
  }

  #object({ properties = {}, required = [] }: Schema): Record<string, unknown> {
    return Object.fromEntries(required.map((name) => [name, this.#smallest(properties[name] ?? {})]));
  }

  #smallest(given: Schema): unknown {
    const schema = this.#resolved(given);
    if (schema.const !== undefined) return schema.const;
    if (schema.enum !== undefined) return schema.enum[0];
    if (schema.anyOf?.[0] !== undefined) return this.#smallest(schema.anyOf[0]);
    switch ([schema.type].flat()[0]) {
      case 'string':
        return 'x';
      case 'boolean':
        return true;
      case 'integer':
      case 'number':
        return schema.minimum ?? 0;
      case 'array':
        return [];
      case 'object':
        return this.#object(schema);
      default:
        return null;
    }
  }

  #resolved(schema: Schema): Schema {
    if (schema.$ref === undefined) return schema;
    return this.#resolved(this.#definitions[schema.$ref.slice('#/definitions/'.length)] ?? {});
  }
}
