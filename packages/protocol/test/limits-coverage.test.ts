import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { TEXT_LIMITS, type TextLimit } from '../src/limits/table.ts';
import { listedTextLimit, OPEN_FIELDS } from '../src/limits/walk.ts';

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
}

const FILES = ['actions', 'commands', 'notifications', 'state'];

function definitionsOf(file: string): Readonly<Record<string, Schema>> {
  const path = fileURLToPath(new URL(`../schema/${file}.json`, import.meta.url));
  const { definitions }: { definitions: Record<string, Schema> } = JSON.parse(readFileSync(path, 'utf8'));
  return definitions;
}

/** Whether a value of this schema may be a text of any length, or a list or map of such texts. */
function holdsText(schema: Schema, definitions: Readonly<Record<string, Schema>>): boolean {
  if (schema.$ref !== undefined) {
    const target = definitions[schema.$ref.slice('#/definitions/'.length)] ?? {};
    return holdsText(target, definitions);
  }
  if (schema.const !== undefined || schema.enum !== undefined) return false;
  if ([schema.type].flat().includes('string')) return true;
  const inside = [
    ...(schema.anyOf ?? []),
    ...(schema.items === undefined ? [] : [schema.items]),
    ...(typeof schema.additionalProperties === 'object' ? [schema.additionalProperties] : []),
  ];
  return inside.some((each) => each.properties === undefined && holdsText(each, definitions));
}

/** `Definition.field` of every field in the published schemas that may contain text. */
function* textFields(): Generator<{ definition: string; field: string }> {
  for (const file of FILES) {
    const definitions = definitionsOf(file);
    const visit = function* (
      definition: string,
      schema: Schema,
    ): Generator<{ definition: string; field: string }> {
      for (const [field, child] of Object.entries(schema.properties ?? {})) {
        if (holdsText(child, definitions)) yield { definition, field };
        yield* visit(definition, child);
      }
      for (const each of schema.anyOf ?? []) yield* visit(definition, each);
      if (schema.items !== undefined) yield* visit(definition, schema.items);
      if (typeof schema.additionalProperties === 'object')
        yield* visit(definition, schema.additionalProperties);
    };
    for (const [name, schema] of Object.entries(definitions)) {
      // Only the host creates refusals, and it stores none.
      if (!name.endsWith('Refusal')) yield* visit(name, schema);
    }
  }
}

test('the limits name every text field of the published schemas', () => {
  const fields = [...textFields()];
  expect(fields.length).toBeGreaterThan(400);
  // Only the host creates the facts of a check, and it stores none.
  const missing = fields.filter(
    ({ definition, field }) =>
      definition !== 'CheckHostResult' && listedTextLimit({ name: field, parent: '' }) === undefined,
  );
  expect([...new Set(missing.map(({ definition, field }) => `${definition}.${field}`))]).toEqual([]);
});

test('every field that the limits name is a field of the published schemas', () => {
  const known = new Set([...OPEN_FIELDS, ...[...textFields()].map(({ field }) => field)]);
  const named = Object.values<TextLimit>(TEXT_LIMITS).flatMap(({ fields }) => fields);
  const unknown = named.map((field) => field.split('.').at(-1) ?? field).filter((field) => !known.has(field));
  expect(unknown).toEqual([]);
});
