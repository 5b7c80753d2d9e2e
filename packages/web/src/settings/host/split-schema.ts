import type { ConfigSchema } from '@agenthost/protocol';

/** Settings that most people want to see; the others are limits. */
const FIRST: ReadonlySet<string> = new Set(['defaultAgent', 'approvals', 'pageHosts']);

/** Divides the settings of a host into the usual ones and limits. A setting that is not a number is a usual one. */
export function splitSchema({ properties, required = [] }: ConfigSchema): {
  readonly usual: ConfigSchema;
  readonly limits: ConfigSchema;
} {
  const pick = (isUsual: boolean): ConfigSchema => {
    const entries = Object.entries(properties).filter(
      ([name, { type }]) => (FIRST.has(name) || type !== 'number') === isUsual,
    );
    const names = new Set(entries.map(([name]) => name));
    return {
      type: 'object',
      properties: Object.fromEntries(entries),
      required: required.filter((name) => names.has(name)),
    };
  };
  return { usual: pick(true), limits: pick(false) };
}

/** The values that differ from the host's, as a change for it. A removed value becomes its default; without one it stays. */
export function changedValues(
  { properties }: ConfigSchema,
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const changed: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(properties)) {
    const value = after[name] ?? property.default;
    if (value !== undefined && JSON.stringify(value) !== JSON.stringify(before[name] ?? property.default))
      changed[name] = value;
  }
  return changed;
}
