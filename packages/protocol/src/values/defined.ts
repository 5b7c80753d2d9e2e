/** An object type whose members that may be `undefined` are optional instead. */
export type Defined<T extends object> = {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/**
 * A copy of `members` without those that are `undefined`: on the wire an absent member and `undefined` are different.
 *
 * @example
 * const call = { toolCallId, ...defined({ title, description }) };
 */
export function defined<T extends object>(members: T): Defined<T> {
  const copy = { ...members };
  for (const key in copy) {
    if (copy[key] === undefined) Reflect.deleteProperty(copy, key);
  }
  return copy;
}
