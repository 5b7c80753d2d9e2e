/**
 * The name of the cookie that lets a browser in: it carries the secret that it got for a token. Cookies know no ports: hosts beside each other on one machine are told apart by the port that the
 * browser used, which is that of the request's `Host`. In TLS the prefix keeps others from setting it.
 */
export function cookieName(host: string | undefined, isSecure: boolean): string {
  const port = /:(\d{1,5})$/.exec(host ?? '')?.[1];
  return `${isSecure ? '__Host-' : ''}agenthost_token${port === undefined ? '' : `_${port}`}`;
}

/** `Set-Cookie` that keeps a secret until the browser ends; without one it is forgotten. */
export function tokenCookie(name: string, token: string | undefined, isSecure: boolean): string {
  const attributes = `Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
  return token === undefined ? `${name}=; ${attributes}; Max-Age=0` : `${name}=${token}; ${attributes}`;
}
