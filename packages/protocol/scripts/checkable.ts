import { type Definitions, mapChildren, resolve, type Schema } from './json-schema.ts';
import { classify } from './unions.ts';

/**
 * How a check treats names and union members outside its schema. `strict` (messages of clients, read by a
 * host): they fail. `lenient` (messages of a host, read by a client): they pass, because a newer host may
 * have more of them.
 */
export type Reading = 'strict' | 'lenient';

function tagged(tag: string, members: { values: string[]; schema: Schema }[], reading: Reading): Schema {
  if (reading === 'strict') {
    const oneOf = members.map(({ schema }) => schema);
    return { type: 'object', required: [tag], discriminator: { propertyName: tag }, oneOf };
  }
  return {
    type: 'object',
    required: [tag],
    properties: { [tag]: { type: 'string' } },
    allOf: members.map(({ values, schema }) => ({
      if: { properties: { [tag]: { enum: values } } },
      then: schema,
    })),
  };
}

function unionCheck(anyOf: Schema[], definitions: Definitions, reading: Reading): Schema {
  const union = classify(anyOf, definitions);
  const nested = (schema: Schema) => checkable(schema, definitions, reading);
  switch (union.by) {
    case 'tag': {
      const members = union.members.map(({ values, schema }) => ({ values, schema: nested(schema) }));
      return tagged(union.tag, members, reading);
    }
    case 'flag':
      return {
        allOf: [
          { type: 'object', required: [union.flag], properties: { [union.flag]: { type: 'boolean' } } },
          {
            if: { properties: { [union.flag]: { const: true } } },
            then: nested(union.whenTrue),
            else: nested(union.whenFalse),
          },
        ],
      };
    case 'type':
      return {
        type: ['string', 'object'],
        if: { type: 'object' },
        then: nested(union.object),
        else: nested(union.text),
      };
    case 'trial':
      return { anyOf: union.members.map(nested) };
    default:
      return union satisfies never;
  }
}

/**
 * Rewrites a schema for compilation: the member of a union is chosen by its discriminating field instead of
 * by trial. This is faster, and errors name the intended member. The values accepted under `strict` stay the
 * same.
 */
export function checkable(schema: Schema, definitions: Definitions, reading: Reading): Schema {
  const { description: _text, title: _title, ...bare } = schema;
  if (bare.anyOf) {
    const { anyOf, ...rest } = bare;
    return { ...rest, ...unionCheck(anyOf, definitions, reading) };
  }
  if (reading === 'lenient' && bare.type === 'string') return { type: 'string' };
  return mapChildren(bare, (child) => checkable(child, definitions, reading));
}

/**
 * Rewrites all definitions. A discriminating field that is a reference is copied into the member, where the
 * compiler looks for it.
 */
export function checkableDefinitions(definitions: Definitions, reading: Reading): Definitions {
  return Object.fromEntries(
    Object.entries(definitions).map(([name, schema]) => {
      const { properties } = schema;
      const copied = properties && {
        ...schema,
        properties: Object.fromEntries(
          Object.entries(properties).map(([key, child]) => {
            const target = resolve(child, definitions);
            return [key, target.enum || target.const !== undefined ? target : child];
          }),
        ),
      };
      return [name, checkable(copied ?? schema, definitions, reading)];
    }),
  );
}
