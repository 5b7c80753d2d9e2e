/** Changes to a state object: an explicit `undefined` removes an optional member. */
export type Patch<S> = {
  [K in keyof S]?: object extends Pick<S, K> ? S[K] | undefined : S[K];
};

/**
 * Whether two JSON values say the same. An absent member and one that is `undefined` are the same [ACT-6];
 * values that are the same object cost nothing to compare.
 */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a)) return Array.isArray(b) && sameItems(a, b);
  return !Array.isArray(b) && sameMembers(a, b);
}

function sameItems(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index++) {
    if (!sameJson(a[index], b[index])) return false;
  }
  return true;
}

function sameMembers(a: object, b: object): boolean {
  for (const key of Object.keys(a)) {
    if (!sameJson(ownMember(a, key), ownMember(b, key))) return false;
  }
  for (const key of Object.keys(b)) {
    if (ownMember(b, key) !== undefined && !Object.hasOwn(a, key)) return false;
  }
  return true;
}

// Keys come from the wire: an inherited member of Object.prototype must not pass for one of the value's own.
function ownMember(value: object, key: string): unknown {
  return Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
}

/** A copy of `state` with `changes` applied, or `state` itself when they change nothing. */
export function patch<S extends object>(state: S, changes: Patch<S>): S {
  let differs = false;
  for (const key in changes) {
    if (!sameJson(state[key], changes[key])) {
      differs = true;
      break;
    }
  }
  if (!differs) return state;
  const next = Object.assign({ ...state }, changes);
  for (const key in changes) {
    if (changes[key] === undefined) Reflect.deleteProperty(next, key);
  }
  return next;
}

/** A copy of `list` with `item` at `index`, or appended when `index` is negative (nothing found). */
export function withItem<T>(list: readonly T[], index: number, item: T): T[] {
  const copy = list.slice();
  if (index < 0) copy.push(item);
  else copy[index] = item;
  return copy;
}

/** A copy of `list` without the item at `index`. */
export function withoutItem<T>(list: readonly T[], index: number): T[] {
  const copy = list.slice();
  copy.splice(index, 1);
  return copy;
}

/** Index of the last item whose `id` is `id`, or -1. */
export function indexOfId(list: readonly { id: string }[] | undefined, id: string): number {
  return list?.findLastIndex((item) => item.id === id) ?? -1;
}
