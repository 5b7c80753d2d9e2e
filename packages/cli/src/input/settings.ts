import type { ConfigPropertySchema, ConfigSchema } from '@agenthost/protocol';
import { usageError } from '../process/exit.ts';
import { oneLine } from '../render/plain-text.ts';

/** Splits `key=value` at the first `=`. Throws a usage error that names the option. */
export function keyAndValue(text: string, option: string): [key: string, value: string] {
  const at = text.indexOf('=');
  if (at < 1) throw usageError(`${option}: expected key=value, got ${oneLine(text) || 'nothing'}`);
  return [text.slice(0, at), text.slice(at + 1)];
}

/** `key=value`s as an object; the last one of a key counts. */
export function keyValues(texts: readonly string[], option: string): Record<string, string> {
  return Object.fromEntries(texts.map((text) => keyAndValue(text, option)));
}

/** Schema of a key. Throws a usage error that lists the known keys. */
export function propertyOf({ properties }: ConfigSchema, key: string): ConfigPropertySchema {
  const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
  if (property !== undefined) return property;
  throw usageError(`${oneLine(key)}: unknown setting; expected one of ${Object.keys(properties).join(', ')}`);
}

/** A value as its schema wants it: numbers, booleans and JSON are read from the text. Throws a usage error. */
export function readValue(schema: ConfigSchema, key: string, text: string): unknown {
  const property = propertyOf(schema, key);
  const value = parse(property.type, text);
  if (value === undefined) {
    throw usageError(`${key}: expected ${EXPECTED_VALUES[property.type]}, got ${oneLine(text) || 'nothing'}`);
  }
  const { enum: choices } = property;
  const isSearched = 'enumDynamic' in property && property.enumDynamic === true;
  if (choices !== undefined && !isSearched && !choices.some((choice) => choice === value))
    throw usageError(`${key}: expected one of ${choices.join(', ')}, got ${oneLine(text) || 'nothing'}`);
  return value;
}

const EXPECTED_VALUES: Record<ConfigPropertySchema['type'], string> = {
  string: 'text',
  number: 'a number',
  boolean: 'true or false',
  array: 'a JSON array',
  object: 'a JSON object',
};

function parse(type: ConfigPropertySchema['type'], text: string): unknown {
  switch (type) {
    case 'string':
      return text;
    case 'number':
      return text.trim() === '' || Number.isNaN(Number(text)) ? undefined : Number(text);
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : undefined;
    default:
      return parseJson(type, text);
  }
}

function parseJson(type: 'array' | 'object', text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    const isRight = type === 'array' ? Array.isArray(value) : isObject(value);
    return isRight ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A value for people, on one line. */
export const shownValue = (value: unknown): string =>
  value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);

/** Settings as a table: key, value, title, and in brackets the choices and what `notesOf` says of each. */
export function settingTable<P extends ConfigPropertySchema>(
  { properties }: { readonly properties: Readonly<Record<string, P>> },
  values: Readonly<Record<string, unknown>>,
  notesOf: (property: P, value: unknown) => readonly string[],
): { readonly columns: string; readonly lines: readonly string[] } {
  const rows = Object.entries(properties).map(([key, property]) => {
    const value = values[key];
    const { title, enum: choices } = property;
    const notes = [...(choices === undefined ? [] : [choices.join(', ')]), ...notesOf(property, value)];
    const about = notes.length === 0 ? title : `${title} (${notes.join('; ')})`;
    return { key: oneLine(key), shown: oneLine(shownValue(value), 200), about: oneLine(about, 200) };
  });
  const names = { key: 'KEY', shown: 'VALUE', about: 'SETTING' };
  const width = Math.max(...[names, ...rows].map(({ key }) => key.length));
  const valueWidth = Math.max(...[names, ...rows].map(({ shown }) => shown.length));
  const line = ({ key, shown, about }: typeof names): string =>
    `${key.padEnd(width)}  ${shown.padEnd(valueWidth)}  ${about}`;
  return { columns: line(names), lines: rows.map(line) };
}
