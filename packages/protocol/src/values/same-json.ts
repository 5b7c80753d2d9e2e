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
