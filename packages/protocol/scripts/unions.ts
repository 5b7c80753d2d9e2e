import { type Definitions, resolve, type Schema } from './json-schema.ts';

/** How the members of a union are distinguished. */
export type Union =
  | { by: 'tag'; tag: string; members: { values: string[]; schema: Schema }[] }
  | { by: 'flag'; flag: string; whenTrue: Schema; whenFalse: Schema }
  | { by: 'type'; text: Schema; object: Schema }
  | { by: 'trial'; members: Schema[] };

function flatten(members: Schema[], definitions: Definitions): Schema[] {
  return members.flatMap((member) => {
    const resolved = resolve(member, definitions);
    return resolved.anyOf && classify(resolved.anyOf, definitions).by !== 'flag'
      ? flatten(resolved.anyOf, definitions)
      : [member];
  });
}

/** The strings that `property` can have in `schema`. `undefined` when it may be absent or anything else. */
function tagValues(schema: Schema, property: string, definitions: Definitions): string[] | undefined {
  const resolved = resolve(schema, definitions);
  if (resolved.anyOf) {
    const each = resolved.anyOf.map((member) => tagValues(member, property, definitions));
    return each.every((values) => values !== undefined) ? [...new Set(each.flat())] : undefined;
  }
  const found = resolved.properties?.[property];
  if (found === undefined || !resolved.required?.includes(property)) return undefined;
  const { const: only, enum: several } = resolve(found, definitions);
  const values = several ?? (only === undefined ? [] : [only]);
  const strings = values.filter((value) => typeof value === 'string');
  return strings.length > 0 && strings.length === values.length ? strings : undefined;
}

function byTag(members: Schema[], definitions: Definitions): Union | undefined {
  const first = members[0] && resolve(members[0], definitions);
  const candidates = Object.keys(
    (first?.anyOf?.[0] ? resolve(first.anyOf[0], definitions) : first)?.properties ?? {},
  );
  for (const tag of candidates) {
    const tagged = members.map((schema) => ({ values: tagValues(schema, tag, definitions) ?? [], schema }));
    const all = tagged.flatMap(({ values }) => values);
    if (tagged.every(({ values }) => values.length > 0) && new Set(all).size === all.length) {
      return { by: 'tag', tag, members: tagged };
    }
  }
  return undefined;
}

function byFlag(members: Schema[], definitions: Definitions): Union | undefined {
  const resolved = members.map((member) => resolve(member, definitions));
  for (const flag of Object.keys(resolved[0]?.properties ?? {})) {
    const find = (value: boolean) =>
      members[resolved.findIndex((m) => m.properties?.[flag]?.const === value)];
    const whenTrue = find(true);
    const whenFalse = find(false);
    if (members.length === 2 && whenTrue && whenFalse) return { by: 'flag', flag, whenTrue, whenFalse };
  }
  return undefined;
}

function byType(members: Schema[], definitions: Definitions): Union | undefined {
  const text = members.find((member) => resolve(member, definitions).type === 'string');
  const object = members.find((member) => resolve(member, definitions).type === 'object');
  return members.length === 2 && text && object ? { by: 'type', text, object } : undefined;
}

/**
 * Finds the field that distinguishes the members of a union, so that a check tries one member and reports
 * errors about it.
 */
export function classify(anyOf: Schema[], definitions: Definitions): Union {
  const flag = byFlag(anyOf, definitions);
  if (flag) return flag;
  const members = flatten(anyOf, definitions);
  return byTag(members, definitions) ?? byType(members, definitions) ?? { by: 'trial', members };
}
