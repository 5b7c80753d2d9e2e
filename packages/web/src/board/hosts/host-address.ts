/** What a typed address of a host contains. */
export interface TypedAddress {
  /** Origin and base path, with a slash at the end. */
  readonly url: string;
  /** The token of a link that a host printed. */
  readonly token?: string;
}

/** Parameters of the link that a host prints for a first visit. */
const TOKEN_PARAMETER = 'token';

/**
 * Reads the address of a host as a person types or pastes it, also the link with a token that the host printed. `undefined` if it is no HTTP address.
 */
export function hostAddress(typed: string): TypedAddress | undefined {
  const given = typed.trim();
  if (!/^https?:\/\//i.test(given) || !URL.canParse(given)) return undefined;
  const url = new URL(given);
  const token =
    url.searchParams.get(TOKEN_PARAMETER) ?? new URLSearchParams(url.hash.slice(1)).get(TOKEN_PARAMETER);
  const path = url.pathname.endsWith('/') ? url.pathname : `${url.pathname}/`;
  return { url: `${url.origin}${path}`, ...(token === null || token === '' ? {} : { token }) };
}
