/**
 * The first difference of two JSON-like values, as `path: one value instead of the other`. `undefined` when
 * they are equal. An `undefined` property counts as absent.
 */
export function differenceOf(actual: unknown, expected: unknown, path = ''): string | undefined {
  if (Object.is(actual, expected)) return undefined;
  if (!isObject(actual) || !isObject(expected) || Array.isArray(actual) !== Array.isArray(expected))
    return `${path === '' ? 'it' : path}: ${shown(actual)} instead of ${shown(expected)}`;
  for (const key of Object.keys(actual)) {
    const found = differenceOf(actual[key], expected[key], `${path}.${key}`);
    if (found !== undefined) return found;
  }
  for (const key of Object.keys(expected)) {
    if (expected[key] !== undefined && actual[key] === undefined)
      return `${path}.${key}: absent instead of ${shown(expected[key])}`;
  }
  return undefined;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** Longer values are cut. */
const SHOWN_LENGTH = 300;

function shown(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text;
}
