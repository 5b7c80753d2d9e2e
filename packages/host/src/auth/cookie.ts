import { SIGN_IN_DAYS } from './browser-sign-ins.ts';

/** Where a browser reaches the host. */
export interface CookiePlace {
  /** The `Host` of its requests. */
  readonly host: string | undefined;
  readonly isSecure: boolean;
  /** The base path: `''`, or a path without a slash at its end. */
  readonly base: string;
}

/**
 * The name of the cookie that carries a browser's session secret. Cookies ignore ports, so the name includes the port of the request's
 * `Host`: hosts beside each other on one machine have cookies of their own. Over TLS the prefix keeps other origins from setting the cookie;
 * `__Host-` requires the path `/`.
 */
export function cookieName({ host, isSecure, base }: CookiePlace): string {
  const port = /:(\d{1,5})$/.exec(host ?? '')?.[1];
  const prefix = isSecure ? (base === '' ? '__Host-' : '__Secure-') : '';
  return `${prefix}agenthost_token${port === undefined ? '' : `_${port}`}`;
}

/** The `Set-Cookie` header that stores a secret for as long as an unused sign-in is valid. Without a secret, the browser forgets the cookie. */
export function tokenCookie(place: CookiePlace, secret: string | undefined): string {
  const path = place.base || '/';
  const attributes = `Path=${path}; HttpOnly; SameSite=Strict${place.isSecure ? '; Secure' : ''}`;
  const seconds = secret === undefined ? 0 : SIGN_IN_DAYS * 86_400;
  return `${cookieName(place)}=${secret ?? ''}; ${attributes}; Max-Age=${seconds}`;
}
