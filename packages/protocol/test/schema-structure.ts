import type { Definitions, Schema } from '../scripts/json-schema.ts';

/** Sorts the alternatives of a union, in whichever form it is written. */
function union(alternatives: unknown[]): unknown {
  const flat = alternatives.flatMap((one) => (one instanceof Union ? one.members : [JSON.stringify(one)]));
  return new Union([...new Set(flat)].toSorted());
}

class Union {
  readonly members: string[];
  constructor(members: string[]) {
    this.members = members;
  }
}

/**
 * A schema in canonical form: references resolved, unions and closed lists sorted, descriptions removed.
 * References to `named` definitions stay, because those are compared separately.
 */
export function canonical(schema: Schema, definitions: Definitions, named: ReadonlySet<string>): unknown {
  const inner = (child: Schema) => canonical(child, definitions, named);
  const name = schema.$ref?.split('/').at(-1);
  if (name !== undefined) {
    const target = definitions[name];
    if (target === undefined) throw new Error(`no definition is called ${name}`);
    return named.has(name) ? { same: name } : inner(target);
  }
  const alternatives = schema.anyOf ?? schema.oneOf;
  const [only, ...others] = alternatives ?? [];
  if (only && others.length === 0) return inner(only);
  if (alternatives) return union(alternatives.map(inner));
  if (schema.const !== undefined) return union([{ only: schema.const }]);
  if (schema.enum) return union(schema.enum.map((only) => ({ only })));
  if (Array.isArray(schema.type)) return union(schema.type.map((type) => ({ type })));
  if (schema.items) return { items: inner(schema.items) };
  if (schema.type === 'object') return object(schema, inner);
  const { type, minimum, maximum } = schema;
  return { type, minimum, maximum };
}

function object(schema: Schema, inner: (child: Schema) => unknown): unknown {
  const rest = schema.additionalProperties;
  const fields = Object.entries(schema.properties ?? {}).map(([key, child]) => [key, inner(child)]);
  return {
    fields: fields.toSorted(),
    required: (schema.required ?? []).toSorted(),
    rest: typeof rest === 'object' && Object.keys(rest).length > 0 ? inner(rest) : undefined,
  };
}

/**
 * Places (`Definition` or `Definition.field`) where two sets of definitions differ in definitions that both have.
 * @param different Definitions known to differ; they are not reported again where they are referenced.
 */
export function structuralDifferences(ours: Definitions, given: Definitions, different: string[]): string[] {
  const shared = Object.keys(given).filter((name) => Object.hasOwn(ours, name));
  const objects = shared.filter((name) => ours[name]?.type === 'object' && given[name]?.type === 'object');
  const named = new Set([...objects, ...different]);
  const form = (schema: Schema | undefined, definitions: Definitions) =>
    schema === undefined ? 'absent' : JSON.stringify(canonical(schema, definitions, named));
  return shared.flatMap((name) => {
    const [our, their] = [ours[name] ?? {}, given[name] ?? {}];
    if (our.type !== 'object' || their.type !== 'object') {
      return form(our, ours) === form(their, given) ? [] : [name];
    }
    const fields = new Set([...Object.keys(our.properties ?? {}), ...Object.keys(their.properties ?? {})]);
    const differing = [...fields].filter(
      (field) =>
        form(our.properties?.[field], ours) !== form(their.properties?.[field], given) ||
        (our.required ?? []).includes(field) !== (their.required ?? []).includes(field),
    );
    return differing.map((field) => `${name}.${field}`);
  });
}
