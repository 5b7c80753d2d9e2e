/** Why a link with a token did not sign the browser in. */
export type RefusedLink = { readonly kind: 'wrong' } | { readonly kind: 'wait'; readonly waitMs: number };

/**
 * Reads the query of an address to which the host sent the browser after a link with a wrong token: `?refused=wrong`, or
 * `?refused=wait&waitMs=<milliseconds>`. Returns `undefined` for other addresses.
 */
export function readRefusedLink(search: string): RefusedLink | undefined {
  const params = new URLSearchParams(search);
  const refused = params.get('refused');
  if (refused === 'wrong') return { kind: 'wrong' };
  const waitMs = Number(params.get('waitMs'));
  return refused === 'wait' && Number.isFinite(waitMs) && waitMs > 0 ? { kind: 'wait', waitMs } : undefined;
}

/** Like {@link readRefusedLink} for this page's address, and takes the parameters out of it. */
export function takeRefusedLink(): RefusedLink | undefined {
  const found = readRefusedLink(location.search);
  if (found !== undefined) {
    const url = new URL(location.href);
    for (const name of ['refused', 'waitMs']) url.searchParams.delete(name);
    history.replaceState(history.state, '', url);
  }
  return found;
}
