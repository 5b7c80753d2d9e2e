/** Names and addresses by which a machine reaches itself only. */
const LOOPBACK = /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\]|0\.0\.0\.0)$/i;

/** Whether another device cannot reach a URL, because it names the device itself. */
export const isLoopbackUrl = (url: string): boolean => LOOPBACK.test(new URL(url).hostname);

/**
 * The address of the page that a person typed, with a slash at its end. What is missing comes from `own`, the address by which this page reaches the
 * host: the scheme, and the port of an address that has no scheme. `undefined` if it is no address.
 */
export function pageAddress(typed: string, own: string): string | undefined {
  const given = typed.trim();
  const full = /^[a-z][a-z\d+.-]*:\/\//i.test(given) ? given : completed(given, new URL(own));
  if (given === '' || !URL.canParse(full)) return undefined;
  const { protocol, hostname, origin, pathname } = new URL(full);
  if ((protocol !== 'http:' && protocol !== 'https:') || hostname === '') return undefined;
  return `${origin}${pathname.endsWith('/') ? pathname : `${pathname}/`}`;
}

/** A host, with or without a port and a path, as a URL. */
function completed(given: string, { protocol, port }: URL): string {
  const [, host = '', typedPort = '', rest = ''] = /^(\[[^\]]*\]|[^/:?#]*)(:\d+)?(.*)$/.exec(given) ?? [];
  const ownPort = port === '' ? '' : `:${port}`;
  return `${protocol}//${host}${typedPort === '' ? ownPort : typedPort}${rest}`;
}

/** The link that signs a browser in at a page with a token. */
export function inviteLink(address: string, secret: string): string {
  const url = new URL(address);
  url.searchParams.set('token', secret);
  return url.href;
}
