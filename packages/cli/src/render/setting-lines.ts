import type { ConfigPropertySchema } from '@agenthost/protocol';
import { shownValue } from '../input/key-values.ts';
import { oneLine } from './plain-text.ts';

/** Settings one to a line: key, value, title, and in brackets the choices and what `notesOf` says of each. */
export function settingLines<P extends ConfigPropertySchema>(
  { properties }: { readonly properties: Readonly<Record<string, P>> },
  values: Readonly<Record<string, unknown>>,
  notesOf: (property: P, value: unknown) => readonly string[],
): string[] {
  const rows = Object.entries(properties).map(([key, property]) => {
    const value = values[key];
    const { title, enum: choices } = property;
    const notes = [...(choices === undefined ? [] : [choices.join(', ')]), ...notesOf(property, value)];
    const about = notes.length === 0 ? title : `${title} (${notes.join('; ')})`;
    return { key: oneLine(key), shown: oneLine(shownValue(value), 200), about: oneLine(about, 200) };
  });
  const width = Math.max(0, ...rows.map(({ key }) => key.length));
  const valueWidth = Math.max(0, ...rows.map(({ shown }) => shown.length));
  return rows.map(({ key, shown, about }) => `${key.padEnd(width)}  ${shown.padEnd(valueWidth)}  ${about}`);
}
