import { createHash } from 'node:crypto';
import { STATUS_STYLE } from './status-page.ts';

const STYLE_HASH = createHash('sha256').update(STATUS_STYLE).digest('base64');

/**
 * Security headers of every answer. They allow no scripts, no resources but the page's own style, no frames, no use as a resource of another
 * page, no handle to the window, no referrer to other hosts, and no copy in a cache.
 */
export const WEB_HEADERS = new Map([
  [
    'content-security-policy',
    [
      "default-src 'none'",
      `style-src 'sha256-${STYLE_HASH}'`,
      "base-uri 'none'",
      "form-action 'self'",
      "frame-ancestors 'none'",
    ].join('; '),
  ],
  ['x-frame-options', 'DENY'],
  ['x-content-type-options', 'nosniff'],
  // With `no-referrer` the browser would send `Origin: null` with the page's own forms.
  ['referrer-policy', 'same-origin'],
  ['cache-control', 'no-store'],
  ['cross-origin-resource-policy', 'same-origin'],
  ['cross-origin-opener-policy', 'same-origin'],
]);
