import { SIGN_IN_MS } from './preview-sign-ins.ts';

/** Where a browser reaches a preview. */
export interface PreviewCookiePlace {
  readonly isSecure: boolean;
  /** The port, if previews share a name: cookies ignore ports. */
  readonly port?: number;
}

/** The name of the cookie of a preview. Over TLS the prefix keeps other names of the domain from setting it. */
export const previewCookieName = ({ isSecure, port }: PreviewCookiePlace): string =>
  `${isSecure ? '__Host-' : ''}agenthost_preview${port === undefined ? '' : `_${port}`}`;

/** The `Set-Cookie` header of a sign-in. Links of other sites to a page of the program send it; their other requests do not. */
export function previewCookie(place: PreviewCookiePlace, secret: string): string {
  const secure = place.isSecure ? '; Secure' : '';
  return `${previewCookieName(place)}=${secret}; Path=/; HttpOnly; SameSite=Lax${secure}; Max-Age=${SIGN_IN_MS / 1_000}`;
}
