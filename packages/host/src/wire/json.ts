/** An object of a message that is not checked yet. */
export type Json = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value itself, or an empty object in place of another one. */
export const asObject = (value: unknown): Json => (isObject(value) ? value : {});
