/** Deepest nesting that a check follows where the schema itself sets no bound (configuration schemas). */
export const NESTING_LIMIT = 128;

/** True when `value` nests deeper than {@link NESTING_LIMIT}. Walks without recursion, so that no depth harms it. */
export function isNestedTooDeep(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > NESTING_LIMIT) return true;
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
  }
  return false;
}
