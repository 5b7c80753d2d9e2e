import { createHash } from 'node:crypto';
import { STATUS_STYLE } from './status-page.ts';

const STYLE_HASH = createHash('sha256').update(STATUS_STYLE).digest('base64');

/**
 * What every answer to a browser carries: nothing runs, nothing loads but the page's own style, no page shows it in a frame, takes it in as a
 * resource or keeps a handle to its window, and no address of it or copy stays behind.
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
  // With none a form's `Origin` is null, even to the page's own host.
  ['referrer-policy', 'same-origin'],
  ['cache-control', 'no-store'],
  ['cross-origin-resource-policy', 'same-origin'],
  ['cross-origin-opener-policy', 'same-origin'],
]);
