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

/**
 * Secrets in texts, and what stays in front of them. Each pattern looks at a bounded stretch behind a fixed word, so that the time grows with the
 * length of the text alone.
 */
const SECRETS: readonly RegExp[] = [
  // Parameters of URLs.
  /([?&](?:token|tkn|key|sig|signature|code|secret|password|(?:access|refresh|id)_token|client_secret|api_?key)=)[^&#\s"'<>\\]+/gi,
  // Name and password in front of a host.
  /(\w:\/\/)[^\s/@"'\\]{1,512}(?=@)/g,
  /(\bbearer\s{1,8})[^\s"',;\\]+/gi,
  /(\bagenthost_token=)[^\s"',;\\]+/gi,
  // Headers, fields of JSON and variables. The quotes are escaped in JSON inside of JSON.
  /((?:authorization|cookie|api[-_]?key|passw(?:or)?d|secret|(?:access|auth|refresh|api|github)[-_]?token)[\\"']{0,4}\s{0,4}[:=]\s{0,4}[\\"']{0,4}(?:(?:basic|bearer|digest|token)\s{1,4})?)[^\s"',;&\\}]+/gi,
  // Keys of well-known services.
  /()\b(?:sk|pk|rk)[-_][\w-]{16,256}/g,
  /()\b(?:gh[pousr]_|github_pat_|glpat-|xox[abeprs]-|npm_)[\w-]{16,256}/g,
  /()\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g,
  /()\bAIza[\w-]{30,64}/g,
  /()\beyJ[\w-]{8,4096}\.eyJ[\w-]{8,4096}\.[\w-]{0,4096}/g,
  /(-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----)[^-]+/g,
];

/**
 * Replaces secrets inside a text: parameters of URLs such as `?token=…`, passwords in URLs, values of headers and fields such as `Authorization`
 * and `password`, and keys with the form of a well-known service. A secret without such a sign cannot be recognised.
 */
export function redactText(text: string): string {
  let shown = text;
  for (const pattern of SECRETS) shown = shown.replace(pattern, `$1${REDACTED}`);
  return shown;
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
