import type { IncomingMessage } from 'node:http';

/**
 * Whether a page of another site sent a request. Its cookie is sent by the browser, so the cookie alone does not tell. Another site may only link to a
 * preview.
 * @param own The origins of the preview.
 */
export function isForeign({ headers, method }: IncomingMessage, own: readonly string[]): boolean {
  const { origin } = headers;
  if (origin !== undefined) return !own.includes(origin.toLowerCase());
  // Browsers send these headers to secure origins and to loopback; programs send none.
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return false;
  const isLink = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
  return !(isLink && (method === 'GET' || method === 'HEAD'));
}
