/** Fields of messages, turns and chats that contain URIs of channels and contents. */
const URI_FIELDS: ReadonlySet<string> = new Set(['uri', 'resource', 'chat']);

/** Fields with data of others, which the host does not interpret. */
const FOREIGN_FIELDS: ReadonlySet<string> = new Set(['_meta', 'structuredContent', 'config']);

/** A value with renamed URIs. Unchanged parts stay the same object. */
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
