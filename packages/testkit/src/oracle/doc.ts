import type { VersionLine } from '@agenthost/protocol';

/** A JSON object of any version. The oracle changes copies of them in place. */
export type Doc = { [key: string]: unknown };

/** The version and the moment of a reduction. */
export interface At {
  readonly version: VersionLine;
  /** Milliseconds since the epoch. Reducers before 0.9 read a clock. */
  readonly now: number;
}

/** Changes the copy of a state. */
export type Change = (state: Doc, action: Doc, at: At) => void;

/** The reducers of a channel by action type. */
export type Table = Readonly<Record<string, Change>>;

export const isDoc = (value: unknown): value is Doc =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isDocs = (value: unknown): value is Doc[] => Array.isArray(value);

/** The objects in a list field; a new list if the field is absent. */
export const docs = (value: unknown): Doc[] => (isDocs(value) ? value : []);

export const doc = (value: unknown): Doc => (isDoc(value) ? value : {});

/** Whether a version is this one or a newer one. */
export const since = ({ version }: At, first: VersionLine): boolean => numberOf(version) >= numberOf(first);

const numberOf = (version: string): number =>
  version.split('.').reduce((sum, part) => sum * 1000 + Number(part), 0);

/** Runs a change from a version on; before it, nothing happens. */
export const from =
  (first: VersionLine, change: Change): Change =>
  (state, action, at) => {
    if (since(at, first)) change(state, action, at);
  };

/** Runs a change before a version; from it on, nothing happens. */
export const before =
  (first: VersionLine, change: Change): Change =>
  (state, action, at) => {
    if (!since(at, first)) change(state, action, at);
  };

/** Sets a field; `undefined` removes it. */
export function put(target: Doc, field: string, value: unknown): void {
  if (value === undefined) delete target[field];
  else {
    // Also for a field with the name __proto__.
    Object.defineProperty(target, field, { value, enumerable: true, configurable: true, writable: true });
  }
}

/** Copies fields from one object to another; absent ones are removed. */
export function putAll(target: Doc, source: Doc, ...fields: readonly string[]): void {
  for (const field of fields) put(target, field, source[field]);
}

/** The named fields of an object, without absent ones. */
export function pick(source: Doc, ...fields: readonly string[]): Doc {
  const picked: Doc = {};
  putAll(picked, source, ...fields);
  return picked;
}

/** Replaces the last item with the same key in place, or appends it. */
export function upsert(list: Doc[], item: unknown, key = 'id'): void {
  if (!isDoc(item)) return;
  const index = list.findLastIndex((one) => one[key] === item[key]);
  if (index < 0) list.push(item);
  else list[index] = item;
}

/** Removes the last item with this key. Returns whether there was one. */
export function drop(list: Doc[], value: unknown, key = 'id'): boolean {
  const index = list.findLastIndex((one) => one[key] === value);
  if (index >= 0) list.splice(index, 1);
  return index >= 0;
}

const ACTIVITY_BITS = 31;

/** Replaces bits 0–4 of a status. Other bits stay, those above 32 too. */
export function putActivity(holder: Doc, activity: number): void {
  const status = Number(holder['status']);
  holder['status'] = status - (status & ACTIVITY_BITS) + activity;
}

/** Sets or clears one bit of a status. */
export function putBit(holder: Doc, bit: number, isSet: boolean): void {
  const status = Number(holder['status']);
  const has = (status & bit) !== 0;
  if (has !== isSet) holder['status'] = isSet ? status + bit : status - bit;
}

/** `configChanged` of the root and of sessions. */
export function mergeConfig(state: Doc, action: Doc): boolean {
  const { config } = state;
  if (!isDoc(config)) return false;
  const given = doc(action['config']);
  config['values'] = action['replace'] === true ? given : { ...doc(config['values']), ...given };
  return true;
}
