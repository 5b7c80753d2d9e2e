/** Follows the accessors of `path` (`.a`, `["a"]`, `[0]`) into `value`. */
function at(value: unknown, path: string): unknown {
  const keys = [...path.matchAll(/\.(\w+)|\["([^"]*)"\]|\[(\d+)\]/g)].map(
    (match) => match[1] ?? match[2] ?? match[3],
  );
  return keys.reduce((inner, key) => Object(inner)[key ?? ''], value);
}

/**
 * Converts the module of the schema compiler to one without imports whose only export is `lastFaults`.
 * Schemas that only errors mention are inlined, and the errors are kept in one variable instead of on the
 * functions.
 */
export function selfContained(code: string): string {
  const schemas = new Map<string, unknown>();
  const body = code
    .replace('"use strict";', '')
    .replaceAll(/^export const \w+ = \w+;$/gm, '')
    .replaceAll(/^const (schema\d+) = (.*);$/gm, (_line, name: string, json: string) => {
      schemas.set(name, JSON.parse(json));
      return '';
    })
    .replaceAll(/\b(schema\d+)((?:\.\w+|\["[^"]*"\]|\[\d+\])*)/g, (_all, name: string, path: string) =>
      JSON.stringify(at(schemas.get(name), path)),
    )
    .replaceAll(/schemaPath:"(?:[^"\\]|\\.)*",/g, '')
    .replaceAll(
      '(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){',
      '(data, {instancePath=""}={}){',
    )
    .replaceAll(
      /,parentData(?::(?:[^,{}]|\{[^}]*\})*)?,parentDataProperty(?::(?:[^,{}]|\([^)]*\))*)?,rootData\}/g,
      '}',
    )
    .replaceAll(/\b(?:wrapper\d+\.validate|validate\d+)\.errors\b/g, 'faults');
  const leftover = /\b(?:require|parentData|rootData|schema\d+|func\d+|formats?\d+)\b/.exec(body);
  if (leftover) throw new Error(`compiled checks need something that is not there: ${leftover[0]}`);
  return `let faults = null;
export function lastFaults() { return faults ?? []; }
${body}`;
}
