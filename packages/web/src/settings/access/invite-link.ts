/** Names and addresses by which a machine reaches itself only. */
const LOOPBACK = /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\]|0\.0\.0\.0)$/i;

/** Whether another device cannot reach a URL, because it names the device itself. */
export const isLoopbackUrl = (url: string): boolean => LOOPBACK.test(new URL(url).hostname);

/**
 * The address of the page that a person typed, with a slash at its end: `build.example:4711` becomes `https://build.example:4711/`. `undefined` if it
 * is none.
 */
export function pageAddress(typed: string): string | undefined {
  const given = typed.trim();
  const full = /^[a-z][a-z\d+.-]*:\/\//i.test(given) ? given : `https://${given}`;
  if (given === '' || !URL.canParse(full)) return undefined;
  const { protocol, hostname, origin, pathname } = new URL(full);
  if ((protocol !== 'http:' && protocol !== 'https:') || hostname === '') return undefined;
  return `${origin}${pathname.endsWith('/') ? pathname : `${pathname}/`}`;
}

/** The link that signs a browser in at a page with a token. */
export function inviteLink(address: string, secret: string): string {
  const url = new URL(address);
  url.searchParams.set('token', secret);
  return url.href;
}
