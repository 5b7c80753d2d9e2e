import { sameJson } from '../values/same-json.ts';

/** Changes of a state object. `undefined` removes an optional member. */
export type Patch<S> = {
  [K in keyof S]?: object extends Pick<S, K> ? S[K] | undefined : S[K];
};

/** A copy of `state` with `changes`, or `state` itself when nothing changes. */
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

/** Shorter lists are searched, because an index would cost more than it saves. */
const INDEXED_LENGTH = 64;

/**
 * Positions by id for long lists that were searched. Lists derived from one list share them: there may be
 * more ids than in a list, never fewer. Depends on the list only, so that reducers stay pure.
 */
const positionsOf = new WeakMap<readonly unknown[], Map<string, number>>();

/**
 * A copy of `list` with `item` at `index`, or appended when `index` is negative. A replaced item keeps its
 * id.
 */
export function withItem<T>(list: readonly T[], index: number, item: T): T[] {
  const copy = list.slice();
  const positions = positionsOf.get(list);
  if (positions !== undefined) positionsOf.set(copy, positions);
  if (index >= 0) copy[index] = item;
  else {
    if (hasId(item)) positions?.set(item.id, copy.length);
    copy.push(item);
  }
  return copy;
}

/** A copy of `list` without the item at `index`. */
export function withoutItem<T>(list: readonly T[], index: number): T[] {
  const copy = list.slice();
  copy.splice(index, 1);
  const positions = positionsOf.get(list);
  // Later items have moved, unless there are none.
  if (positions !== undefined && index === copy.length) positionsOf.set(copy, positions);
  return copy;
}

/** Index of the last item with this `id`, or -1. */
export function indexOfId(list: readonly { id: string }[] | undefined, id: string): number {
  if (list === undefined) return -1;
  if (list.length < INDEXED_LENGTH) return list.findLastIndex((item) => item.id === id);
  const positions = positionsOf.get(list) ?? indexed(list);
  const position = positions.get(id);
  if (position === undefined) return -1;
  return list[position]?.id === id ? position : list.findLastIndex((item) => item.id === id);
}

/** The last item with this id. */
export const findById = <T extends { id: string }>(
  list: readonly T[] | undefined,
  id: string,
): T | undefined => list?.[indexOfId(list, id)];

function indexed(list: readonly { id: string }[]): Map<string, number> {
  const positions = new Map<string, number>();
  for (const [position, item] of list.entries()) positions.set(item.id, position);
  positionsOf.set(list, positions);
  return positions;
}

const hasId = (item: unknown): item is { id: string } =>
  typeof item === 'object' && item !== null && 'id' in item && typeof item.id === 'string';
