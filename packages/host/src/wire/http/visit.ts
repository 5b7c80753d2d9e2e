import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TokenIdentity } from '../../auth/access-tokens.ts';
import { tokenCookie } from '../../auth/cookie.ts';
import type { Gate } from '../../auth/gate.ts';
import type { OidcSignIn } from '../../auth/oidc/oidc-sign-in.ts';
import { cookieToken } from '../../auth/verify.ts';
import { PLAIN } from './plain-http.ts';
import type { RequestView } from './request-view.ts';
import type { WebPage } from './web-page/web-page.ts';

/** A request for a page, with its response. */
export interface Visit {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly view: RequestView;
  /** Name of this host's cookie. */
  readonly cookie: string;
  readonly gate: Gate;
  /** Absent: the host shows a status page. */
  readonly page: WebPage | undefined;
  /** Whether a name, with an optional port, is an address of the host or in its `allowedHosts`. */
  readonly isOwnHost: (name: string | undefined) => boolean;
  /** Sign-in by OpenID Connect. Absent: the host offers none. */
  readonly oidc?: OidcSignIn | undefined;
  /** Version of the program that runs the host. */
  readonly version: string;
}

/** The secret in the browser's cookie. */
export const cookieSecret = ({ request, cookie }: Visit): string | undefined =>
  cookieToken(request.headers.cookie, cookie);

/** The identity that the browser is signed in with. */
export const signedIn = (visit: Visit): TokenIdentity | undefined => visit.gate.signedIn(cookieSecret(visit));

/** Whether the browser is signed in with another token than that of `identity`. It is not replaced without a confirmation. */
export function isSignedInAsAnother(visit: Visit, identity: TokenIdentity): boolean {
  const present = signedIn(visit);
  return present !== undefined && present.tokenHash !== identity.tokenHash;
}

/** Sets the cookie with this secret, or removes the cookie. */
export const setCookie = ({ response, view }: Visit, secret: string | undefined): void =>
  void response.setHeader('set-cookie', tokenCookie(view, secret));

/**
 * Signs the browser in. A browser that is signed in with the same token keeps its sign-in; that with another token ends, with the connections of
 * its other tabs.
 */
export function signInBrowser(visit: Visit, identity: TokenIdentity): void {
  const previous = cookieSecret(visit);
  if (signedIn(visit)?.tokenHash === identity.tokenHash) return setCookie(visit, previous);
  if (previous !== undefined) visit.gate.signOut(previous);
  setCookie(visit, visit.gate.signIn(identity));
}

/** Sends the browser to a path below the base path. */
export const redirect = ({ response, view }: Visit, path: string): void =>
  void response
    .writeHead(303, { ...PLAIN, location: `${view.base}${path}` })
    .end(`see ${view.base}${path}\n`);

/** Whether the browser loads a document, and no image, frame or script of a page. A browser that does not send the header counts as loading one. */
export const isWindow = ({ headers }: IncomingMessage): boolean =>
  (headers['sec-fetch-dest'] ?? 'document') === 'document';

/**
 * Whether a page of another host sent the browser here by a link, a form or a script. `none`: a person typed or pasted the URL, or opened it
 * from another program. Browsers do not send the header over plain HTTP to other machines.
 */
export const isOfElsewhere = ({ headers }: IncomingMessage): boolean =>
  !['none', 'same-origin'].includes(headers['sec-fetch-site'] ?? 'none');
