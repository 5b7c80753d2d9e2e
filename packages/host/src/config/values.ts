import { type ConfigPropertySchema, type ConfigSchema, invalidParam } from '@agenthost/protocol';

/** Throws `-32602` for unknown, ill-typed or missing keys of a new session's config [SESS-1]. */
export function checkConfig(
  schema: ConfigSchema,
  given: Readonly<Record<string, unknown>>,
  complete: Readonly<Record<string, unknown>>,
): void {
  const fault = findConfigFault(schema, given) ?? findMissing(schema, complete);
  if (fault !== undefined) throw invalidParam(`config.${fault.key}`, fault.problem);
}

/** A fault in a value of a config. */
export interface ConfigFault {
  readonly key: string;
  /** The expectation, in English. */
  readonly problem: string;
}

/** The first fault in given values, or `undefined` [SESS-9] [ROOT-5]. */
export function findConfigFault(
  schema: ConfigSchema,
  given: Readonly<Record<string, unknown>>,
): ConfigFault | undefined {
  for (const [key, value] of Object.entries(given)) {
    const property = Object.hasOwn(schema.properties, key) ? schema.properties[key] : undefined;
    if (property === undefined) return { key, problem: 'unknown key' };
    const expected = mismatch(property, value);
    if (expected !== undefined) return { key, problem: `expected ${expected}` };
  }
  return undefined;
}

function findMissing(
  schema: ConfigSchema,
  values: Readonly<Record<string, unknown>>,
): ConfigFault | undefined {
  const key = schema.required?.find((required) => !Object.hasOwn(values, required));
  return key === undefined ? undefined : { key, problem: 'required' };
}

/** The expectation that `value` does not meet, or `undefined` when it fits. */
function mismatch(property: ConfigPropertySchema, value: unknown): string | undefined {
  const isDynamic = 'enumDynamic' in property && property.enumDynamic === true;
  if (property.enum !== undefined && !isDynamic && !property.enum.some((allowed) => allowed === value)) {
    return `one of ${property.enum.map((allowed) => JSON.stringify(allowed)).join(', ')}`;
  }
  switch (property.type) {
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === property.type ? undefined : `a ${property.type}`;
    case 'array': {
      if (!Array.isArray(value)) return 'an array';
      const { items, minItems = 0, maxItems = Number.POSITIVE_INFINITY } = property;
      if (value.length < minItems) return `an array of at least ${minItems} items`;
      if (value.length > maxItems) return `an array of at most ${maxItems} items`;
      if (items === undefined) return undefined;
      const bad = value.map((item) => mismatch(items, item)).find((expected) => expected !== undefined);
      return bad === undefined ? undefined : `an array, each item ${bad}`;
    }
    case 'object':
      return objectMismatch(property, value);
    default:
      return undefined;
  }
}

function objectMismatch(property: ConfigPropertySchema, value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'an object';
  const { properties = {}, required = [], additionalProperties } = property;
  const missing = required.find((key) => !Object.hasOwn(value, key));
  if (missing !== undefined) return `an object with ${missing}`;
  for (const [key, field] of Object.entries(value)) {
    const schema = Object.hasOwn(properties, key) ? properties[key] : additionalProperties;
    const expected = schema === undefined ? undefined : mismatch(schema, field);
    if (expected !== undefined) return `an object, ${key} ${expected}`;
  }
  return undefined;
}
