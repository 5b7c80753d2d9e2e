/** Attributes by name. Values of other kinds are JSON texts. */
export type TelemetryAttributes = Readonly<Record<string, string | number | boolean>>;

/** The members of a value that may be anything; none if it is no object. */
export const asObject = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? { ...value } : {};

/** The entries of a value that may be anything; none if it is no list. */
export const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** A text member. Absent: there is none, or it is no text. */
export function textIn(object: Record<string, unknown>, name: string): string | undefined {
  const value = object[name];
  return typeof value === 'string' ? value : undefined;
}

/** Nanoseconds since the epoch, as text or number, in ms; 0 for anything else. */
export function msOf(nano: unknown): number {
  const ns = typeof nano === 'string' || typeof nano === 'number' ? Number(nano) : Number.NaN;
  return Number.isFinite(ns) ? Math.round(ns / 1_000_000) : 0;
}

/** The attributes of a span or a log record. */
export function attributesIn(item: Record<string, unknown>): TelemetryAttributes {
  const attributes: Record<string, string | number | boolean> = {};
  for (const entry of asList(item['attributes'])) {
    const key = textIn(asObject(entry), 'key');
    const [kind, value] = Object.entries(asObject(asObject(entry)['value']))[0] ?? [];
    if (key === undefined || value === undefined) continue;
    if (kind === 'intValue') attributes[key] = Number(value);
    else if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      attributes[key] = value;
    else attributes[key] = JSON.stringify(value);
  }
  return attributes;
}
