/** A copy of a value that is changed in one place. */
export interface Mutant {
  /** The place, such as `.turns[].message.text`; `[]` stands for any index. */
  path: string;
  value: unknown;
}

/** One kind of mutation: a pure function from a value to its mutants, in the order of the places. */
export type Mutation = (value: unknown) => Mutant[];

type Key = string | number;

/** The value at a place, and its key: a number for an item, a string for a member. */
interface Site {
  key: Key;
  value: unknown;
}

/** Returned to leave a place unchanged or to remove it. */
const untouched = Symbol('untouched');
const removed = Symbol('removed');

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function keysOf(container: object): Key[] {
  return Array.isArray(container) ? [...container.keys()] : Object.keys(container);
}

/** A shallow copy of `container` with `value` at `key`, or without the key. */
function withAt(container: object, key: Key, value: unknown): unknown {
  if (Array.isArray(container)) return container.with(Number(key), value);
  const kept = Object.entries(container).filter(([name]) => name !== key);
  return Object.fromEntries(value === removed ? kept : [...kept, [key, value]]);
}

function everywhere(change: (site: Site) => unknown): Mutation {
  const mutate = (container: unknown, path: string): Mutant[] => {
    if (!isContainer(container)) return [];
    return keysOf(container).flatMap((key) => {
      const value: unknown = Reflect.get(container, key);
      const here = path + (typeof key === 'number' ? '[]' : `.${key}`);
      const changed = change({ key, value });
      const own = changed === untouched ? [] : [{ path: here, value: withAt(container, key, changed) }];
      const inner = mutate(value, here).map((mutant) => ({
        path: mutant.path,
        value: withAt(container, key, mutant.value),
      }));
      return [...own, ...inner];
    });
  };
  return (value) => mutate(value, '');
}

function when(test: (site: Site) => boolean, replacement: (value: unknown) => unknown): Mutation {
  return everywhere((site) => (test(site) ? replacement(site.value) : untouched));
}

const isObject = (value: unknown) => isContainer(value) && !Array.isArray(value);

/** The ten kinds of mutation, each applied to every place where it changes something. */
export const MUTATIONS: Record<string, Mutation> = {
  'a missing field': when(
    ({ key }) => typeof key === 'string',
    () => removed,
  ),
  'null for a field': when(
    ({ key }) => typeof key === 'string',
    () => null,
  ),
  'a number for a string': when(
    ({ value }) => typeof value === 'string',
    () => 7,
  ),
  'a string for a number': when(({ value }) => typeof value === 'number', String),
  'a string for a boolean': when(({ value }) => typeof value === 'boolean', String),
  'a negative fraction for a number': when(
    ({ value }) => typeof value === 'number',
    () => -1.5,
  ),
  // Constants, discriminants and members of closed lists are strings too. Free text accepts the change, and
  // both schemas agree.
  'an unknown name for a string': when(
    ({ value }) => typeof value === 'string',
    () => 'future/unknown',
  ),
  'an array for an object': when(
    ({ value }) => isObject(value),
    (value) => [value],
  ),
  'an object for an array': when(
    ({ value }) => Array.isArray(value),
    (value) => ({ ...Object(value) }),
  ),
  'a wrong array item': when(
    ({ key }) => typeof key === 'number',
    () => false,
  ),
};
