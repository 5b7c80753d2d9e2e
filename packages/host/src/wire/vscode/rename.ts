/** Fields that hold URIs of channels, alone or in lists. Texts of people and agents are in other fields. */
const URI_FIELDS: ReadonlySet<string> = new Set([
  'after',
  'channel',
  'chat',
  'chats',
  'defaultChat',
  'initialSubscriptions',
  'missing',
  'primarySession',
  'resource',
  'session',
  'sessions',
  'subscriptions',
  'x-chat',
]);

/** Fields whose content belongs to others: metadata, data of tools, settings. */
const OPAQUE_FIELDS: ReadonlySet<string> = new Set([
  '_meta',
  'config',
  'structuredContent',
  'inputSchema',
  'outputSchema',
  'values',
]);

type Rename = (uri: string) => string;

/** Renames the URIs of channels in a message, in depth. `visit` sees each object first. Returns the value itself if nothing changes. */
export function renamed<T>(value: T, rename: Rename, visit: (object: object) => void = () => undefined): T {
  if (typeof value !== 'object' || value === null) return value;
  // oxlint-disable-next-line typescript/consistent-type-assertions, typescript/no-unsafe-type-assertion -- strings alone are replaced, by strings
  return inObject(value, rename, visit) as T;
}

function inObject(value: object, rename: Rename, visit: (object: object) => void): object {
  if (Array.isArray(value)) return inList(value, rename, visit, false);
  visit(value);
  let next: Record<string, unknown> | undefined;
  for (const [key, inner] of Object.entries(value)) {
    if (OPAQUE_FIELDS.has(key)) continue;
    const isUri = URI_FIELDS.has(key);
    const changed = inField(inner, rename, visit, isUri);
    if (changed === inner) continue;
    next ??= { ...value };
    next[key] = changed;
  }
  return next ?? value;
}

function inField(inner: unknown, rename: Rename, visit: (object: object) => void, isUri: boolean): unknown {
  if (typeof inner === 'string') return isUri ? rename(inner) : inner;
  if (Array.isArray(inner)) return inList(inner, rename, visit, isUri);
  return typeof inner === 'object' && inner !== null ? inObject(inner, rename, visit) : inner;
}

function inList(
  list: readonly unknown[],
  rename: Rename,
  visit: (object: object) => void,
  isUri: boolean,
): readonly unknown[] {
  let next: unknown[] | undefined;
  for (const [index, item] of list.entries()) {
    const changed = inField(item, rename, visit, isUri);
    if (changed === item) continue;
    next ??= [...list];
    next[index] = changed;
  }
  return next ?? list;
}
