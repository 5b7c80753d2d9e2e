import { isDoc } from './doc.ts';

/** The paths at which two JSON values differ, with both values. `null` and `undefined` count as absent. */
export function differences(got: unknown, expected: unknown, path = ''): string[] {
  if (Array.isArray(got) && Array.isArray(expected)) {
    const length = Math.max(got.length, expected.length);
    return Array.from({ length }, (_, at) => differences(got[at], expected[at], `${path}[${at}]`)).flat();
  }
  if (isDoc(got) && isDoc(expected)) {
    const keys = new Set([...Object.keys(got), ...Object.keys(expected)]);
    return [...keys].flatMap((key) =>
      differences(valueIn(got, key), valueIn(expected, key), path === '' ? key : `${path}.${key}`),
    );
  }
  if ((got ?? undefined) === (expected ?? undefined)) return [];
  return [`${path}: got ${shown(got)}, expected ${shown(expected)}`];
}

const valueIn = (value: object, key: string): unknown => Object.getOwnPropertyDescriptor(value, key)?.value;

const shown = (value: unknown): string => JSON.stringify(value) ?? 'nothing';
