import type { ConfigPropertySchema, ConfigSchema } from '@agenthost/protocol';
import { text } from '../../text/text.ts';

/** The faults of values as sentences, by property name. Empty: none. The host checks again. */
export function schemaFaults(
  schema: ConfigSchema,
  values: Readonly<Record<string, unknown>>,
): Record<string, string> {
  const faults: Record<string, string> = {};
  for (const [name, property] of Object.entries(schema.properties)) {
    const value = values[name];
    if (value === undefined) {
      if (schema.required?.includes(name) === true && property.default === undefined)
        faults[name] = text.schemaForm.required;
      continue;
    }
    const fault = faultOf(property, value);
    if (fault !== undefined) faults[name] = fault;
  }
  return faults;
}

function faultOf(property: ConfigPropertySchema, value: unknown): string | undefined {
  if (property.type === 'number' && typeof value !== 'number') return text.schemaForm.notNumber;
  if (property.type === 'array' && Array.isArray(value)) {
    const { minItems = 0, maxItems = Number.POSITIVE_INFINITY, items } = property;
    if (value.length < minItems) return text.schemaForm.tooFew(minItems);
    if (value.length > maxItems) return text.schemaForm.tooMany(maxItems);
    return items && value.map((item) => faultOf(items, item)).find((fault) => fault !== undefined);
  }
  if (property.type === 'object' && isRecord(value)) {
    const missing = property.required?.find((name) => value[name] === undefined || value[name] === '');
    if (missing !== undefined)
      return `${property.properties?.[missing]?.title ?? missing}: ${text.schemaForm.required}`;
  }
  return undefined;
}

/** Whether a value is an object with fields. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value that a new entry of a list starts with. */
export function emptyValue(property: ConfigPropertySchema | undefined): unknown {
  if (property?.default !== undefined) return property.default;
  switch (property?.type) {
    case 'number':
      return 0;
    case 'boolean':
      return false;
    case 'array':
      return [];
    case 'object':
      return {};
    default:
      return property?.enum?.[0] ?? '';
  }
}

/** Values without a property. */
export function withoutKey(values: Readonly<Record<string, unknown>>, key: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => name !== key));
}
