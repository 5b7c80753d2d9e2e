import { createHash, timingSafeEqual } from 'node:crypto';

/** The parts of an HTTP request that may carry a token. */
export interface TokenRequest {
  /** Path and query as requested. */
  readonly url?: string | undefined;
  readonly headers: { readonly authorization?: string | undefined; readonly cookie?: string | undefined };
}

/** SHA-256 of a token in hex. The host stores this in place of the token. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/**
 * Whether `given` is the token, in constant time: it compares hashes of equal length [AUTH-1]. An empty token equals nothing.
 */
export function isToken(given: string | undefined, expected: string): boolean {
  const same = timingSafeEqual(digest(given ?? ''), digest(expected));
  return same && given !== undefined && expected !== '';
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/**
 * The token of a request: `Authorization: Bearer`, else `?token=` or `?tkn=`, else the cookie [AUTH-1]. The first that is present counts,
 * also when it is wrong.
 */
export function extractToken(request: TokenRequest, cookieName: string): string | undefined {
  const { authorization, cookie } = request.headers;
  const bearer = authorization === undefined ? undefined : /^bearer +([^\s]+) *$/i.exec(authorization)?.[1];
  return bearer ?? queryToken(request.url) ?? cookieToken(cookie, cookieName);
}

/** The parameter `token` of a path with query, or `tkn`, the name that VS Code uses [VSC-1]. */
export function queryToken(url: string | undefined): string | undefined {
  const query = url?.split('#', 1)[0]?.split('?').slice(1).join('?');
  if (query === undefined) return undefined;
  const params = new URLSearchParams(query);
  return params.get('token') ?? params.get('tkn') ?? undefined;
}

/** The value of the cookie of this name in a `Cookie` header. */
export function cookieToken(header: string | undefined, cookieName: string): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const [name, ...rest] = pair.split('=');
    if (name?.trim() === cookieName)
      return rest
        .join('=')
        .trim()
        .replace(/^"(.*)"$/, '$1');
  }
  return undefined;
}
