const REDACTED = '[redacted]';
const SECRET_NAMES = new Set([
  'token',
  'authorization',
  'password',
  'cookie',
  'set-cookie',
  'apikey',
  'api_key',
  'secret',
]);
const MAX_DEPTH = 6;

/** Replaces secrets inside a text: `?token=…` of a URL, the token behind `Bearer`, and the cookie. */
export function redactText(text: string): string {
  return text
    .replace(/([?&]token=)[^&#\s"'<>]*/gi, `$1${REDACTED}`)
    .replace(/(\bbearer\s+)[^\s"',;]+/gi, `$1${REDACTED}`)
    .replace(/(\bagenthost_token=)[^\s"',;]+/gi, `$1${REDACTED}`);
}

/**
 * A copy for the log. Replaces values under names such as `token`, `authorization`, `password` and `cookie` at any depth, applies
 * `redactText` to texts, turns errors into plain objects with stack and causes, and cuts values below six levels.
 */
export function redact(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return '[deeper]';
  if (value instanceof Error) return redact(describeError(value), depth);
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (value instanceof Date) return value;
  if (Array.isArray(value)) return value.map((item) => redact(item, depth + 1));
  const entries = value instanceof Map ? [...value] : Object.entries(value);
  return Object.fromEntries(
    entries.map(([name, item]) => [
      name,
      SECRET_NAMES.has(String(name).toLowerCase()) ? REDACTED : redact(item, depth + 1),
    ]),
  );
}

function describeError(error: Error): object {
  // Own fields include `code` and `errno`, but not name, message and stack.
  return {
    ...error,
    name: error.name,
    message: error.message,
    stack: error.stack,
    ...(error.cause !== undefined && { cause: error.cause }),
  };
}
