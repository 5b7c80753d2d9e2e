import { isObject } from '../recording/entry.ts';

/** Types of a version by name, as JSON Schema. */
export type Definitions = Readonly<Record<string, unknown>>;

/** A part of a value that its type does not allow. */
export interface Misfit {
  /** Where, such as `result.snapshots[0].fromSeq`. */
  readonly path: string;
  readonly problem: string;
}

/** Members that tell the members of a union apart. */
const TAGS = ['type', 'kind', 'status', 'state'];

/** Levels that are checked. Hosts send no deeper messages. */
const MAX_DEPTH = 130;

/**
 * Checks values against JSON Schemas of the protocol. Knows the keywords that these use. Unknown members and unknown
 * members of tagged unions pass, and so do unknown texts of enumerations [WIRE-22].
 */
export class SchemaCheck {
  readonly #definitions: Definitions;
  readonly #knownTags = new WeakMap<object, Map<string, ReadonlySet<string>>>();

  constructor(definitions: Definitions) {
    this.#definitions = definitions;
  }

  has(name: string): boolean {
    return Object.hasOwn(this.#definitions, name);
  }

  /** Names of the action types that the version knows. */
  actionTypes(): ReadonlySet<string> {
    const found = new Set<string>();
    for (const tag of this.#tagsOf({ $ref: '#/StateAction' }, 'type', 0)) found.add(tag);
    return found;
  }

  /** The first part that does not fit the schema. `undefined`: everything fits. */
  misfitOf(name: string, value: unknown, path: string): Misfit | undefined {
    return this.#check({ $ref: `#/${name}` }, value, path, 0);
  }

  #resolve(schema: unknown): unknown {
    let [now, hops] = [schema, 0];
    while (isObject(now) && typeof now['$ref'] === 'string' && hops < MAX_DEPTH) {
      const name = decodeURIComponent(now['$ref'].split('/').at(-1) ?? '');
      now = Object.hasOwn(this.#definitions, name) ? this.#definitions[name] : true;
      hops += 1;
    }
    return now;
  }

  /** The members of a union. Some published schemas list a union in itself, which has no effect. */
  #membersOf(schema: Readonly<Record<string, unknown>>): readonly unknown[] | undefined {
    const members = schema['oneOf'] ?? schema['anyOf'];
    return Array.isArray(members) ? members.filter((each) => this.#resolve(each) !== schema) : undefined;
  }

  #check(given: unknown, value: unknown, path: string, depth: number): Misfit | undefined {
    const schema = this.#resolve(given);
    if (!isObject(schema) || depth > MAX_DEPTH) return undefined;
    const members = this.#membersOf(schema);
    if (members !== undefined) {
      const misfit = this.#checkUnion(members, value, path, depth);
      if (misfit !== undefined) return misfit;
    }
    if (Array.isArray(schema['allOf']))
      for (const part of schema['allOf']) {
        const misfit = this.#check(part, value, path, depth + 1);
        if (misfit !== undefined) return misfit;
      }
    return this.#checkSimple(schema, value, path) ?? this.#checkInside(schema, value, path, depth);
  }

  #checkSimple(schema: Readonly<Record<string, unknown>>, value: unknown, path: string): Misfit | undefined {
    const { type, minimum, maximum } = schema;
    const types: readonly unknown[] = Array.isArray(type) ? type : [type];
    if (type !== undefined && !types.some((each) => isOfType(each, value)))
      return { path, problem: `must be ${types.join(' or ')}, is ${kindOf(value)}` };
    if ('const' in schema && schema['const'] !== value)
      return { path, problem: `must be ${JSON.stringify(schema['const'])}` };
    const values = schema['enum'];
    // Enumerations of numbers are bits that combine, such as those of a status.
    const isOpen =
      typeof value === 'string' ||
      (Number.isInteger(value) && Array.isArray(values) && values.every(Number.isInteger));
    if (Array.isArray(values) && !values.includes(value) && !isOpen)
      return { path, problem: `must be one of ${JSON.stringify(values)}` };
    if (typeof value !== 'number') return undefined;
    if (typeof minimum === 'number' && value < minimum)
      return { path, problem: `must be at least ${minimum}` };
    if (typeof maximum === 'number' && value > maximum)
      return { path, problem: `must be at most ${maximum}` };
    return undefined;
  }

  #checkInside(
    schema: Readonly<Record<string, unknown>>,
    value: unknown,
    path: string,
    depth: number,
  ): Misfit | undefined {
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) {
        const misfit = this.#check(schema['items'], item, `${path}[${index}]`, depth + 1);
        if (misfit !== undefined) return misfit;
      }
      return undefined;
    }
    if (!isObject(value)) return undefined;
    const { required, properties, additionalProperties } = schema;
    for (const name of Array.isArray(required) ? required : [])
      if (value[String(name)] === undefined)
        return { path: `${path}.${String(name)}`, problem: 'is required' };
    for (const [name, member] of Object.entries(value)) {
      const known =
        isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
      const misfit = this.#check(known, member, `${path}.${name}`, depth + 1);
      if (misfit !== undefined) return misfit;
    }
    return undefined;
  }

  #checkUnion(members: readonly unknown[], value: unknown, path: string, depth: number): Misfit | undefined {
    const fitting = this.#membersFor(members, value);
    if (fitting.length === 0) return undefined;
    // The member that shares the most names with the value is the one that was meant.
    let meant: { readonly misfit: Misfit; readonly sharedCount: number } | undefined;
    for (const each of fitting) {
      const misfit = this.#check(each, value, path, depth + 1);
      if (misfit === undefined) return undefined;
      const sharedCount = this.#sharedCount(each, value);
      if (meant === undefined || sharedCount > meant.sharedCount) meant = { misfit, sharedCount };
    }
    return meant?.misfit;
  }

  #sharedCount(given: unknown, value: unknown): number {
    const schema = this.#resolve(given);
    const properties = isObject(schema) ? schema['properties'] : undefined;
    if (!isObject(properties) || !isObject(value)) return 0;
    return Object.keys(value).filter((name) => Object.hasOwn(properties, name)).length;
  }

  /** The members that a value may be by its tags; none for a tag that the version does not know. */
  #membersFor(members: readonly unknown[], value: unknown): readonly unknown[] {
    if (!isObject(value)) return members;
    for (const tag of TAGS) {
      const own = value[tag];
      if (typeof own !== 'string') continue;
      const tags = members.map((each) => this.#tagsOf(each, tag, 0));
      if (tags.some(({ size }) => size === 0) || tags.length === 0) continue;
      const named = members.filter((_each, index) => tags[index]?.has(own));
      return named;
    }
    return members;
  }

  /** The texts that a member may have; empty where any is allowed. */
  #tagsOf(given: unknown, tag: string, depth: number): ReadonlySet<string> {
    const schema = this.#resolve(given);
    if (!isObject(schema) || depth > 8) return new Set();
    const known = this.#knownTags.get(schema) ?? new Map<string, ReadonlySet<string>>();
    this.#knownTags.set(schema, known);
    const tags = known.get(tag) ?? this.#readTags(schema, tag, depth);
    known.set(tag, tags);
    return tags;
  }

  #readTags(schema: Readonly<Record<string, unknown>>, tag: string, depth: number): ReadonlySet<string> {
    const members = this.#membersOf(schema);
    if (members !== undefined)
      return new Set(members.flatMap((each) => [...this.#tagsOf(each, tag, depth + 1)]));
    const { properties } = schema;
    const field = isObject(properties) ? this.#resolve(properties[tag]) : undefined;
    if (!isObject(field)) return new Set();
    const values: readonly unknown[] = Array.isArray(field['enum']) ? field['enum'] : [field['const']];
    return new Set(values.filter((each) => typeof each === 'string'));
  }
}

const kindOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'a list' : `a ${typeof value}`;

function isOfType(type: unknown, value: unknown): boolean {
  switch (type) {
    case 'object':
      return isObject(value);
    case 'array':
      return Array.isArray(value);
    case 'integer':
      return Number.isInteger(value);
    case 'null':
      return value === null;
    default:
      return typeof value === type;
  }
}
