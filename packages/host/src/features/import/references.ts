/** Fields that hold URIs of channels and contents, wherever they stand in messages, turns and chats. */
const URI_FIELDS: ReadonlySet<string> = new Set(['uri', 'resource', 'chat']);

/** What belongs to others and is never interpreted. */
const FOREIGN_FIELDS: ReadonlySet<string> = new Set(['_meta', 'structuredContent', 'config']);

/** A value with the URIs in it replaced that have a new name; what does not change stays the same object. */
export function withNewNames<T>(value: T, newNameOf: (uri: string) => string | undefined): T;
export function withNewNames(value: unknown, newNameOf: (uri: string) => string | undefined): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => withNewNames(item, newNameOf));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  const changed: [string, unknown][] = [];
  for (const [key, field] of Object.entries(value)) {
    if (FOREIGN_FIELDS.has(key)) continue;
    const renamed =
      typeof field === 'string' && URI_FIELDS.has(key)
        ? (newNameOf(field) ?? field)
        : withNewNames(field, newNameOf);
    if (renamed !== field) changed.push([key, renamed]);
  }
  return changed.length === 0 ? value : { ...value, ...Object.fromEntries(changed) };
}
