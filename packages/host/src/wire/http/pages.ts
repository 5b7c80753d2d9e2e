import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TokenIdentity } from '../../auth/access-tokens.ts';
import type { Admission, Gate } from '../../auth/gate.ts';
import { cookieName, cookieToken, extractToken, queryToken, tokenCookie } from '../../auth/verify.ts';
import { hasMethod, onlyMethods, PLAIN, pathOf, READS } from './plain-http.ts';
import { signInPage, statusPage } from './status-page.ts';

const HTML = { 'content-type': 'text/html; charset=utf-8' };

/** The paths of pages, with their methods. */
const METHODS = new Map([
  ['/', READS],
  ['/sign-in', `${READS}, POST`],
  ['/logout', 'POST'],
]);

/** A request for a page, with its response. */
interface Visit {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly gate: Gate;
  /** Name of this host's cookie. */
  readonly cookie: string;
  readonly isSecure: boolean;
}

/**
 * Serves the pages of a host: `/`, `/sign-in` and `/logout` [AUTH-1]. A token in the URL of `/` is exchanged for a cookie with a secret of its
 * own, so that the token stays in no browser history and in no link. Returns false for other paths.
 */
export function servePage(
  request: IncomingMessage,
  response: ServerResponse,
  gate: Gate,
  isSecure: boolean,
): boolean {
  const visit = { request, response, gate, cookie: cookieName(request.headers.host, isSecure), isSecure };
  const path = pathOf(request);
  const allow = METHODS.get(path);
  if (allow === undefined) return false;
  if (!hasMethod(request, allow)) response.writeHead(405, { ...PLAIN, allow }).end(`${onlyMethods(allow)}\n`);
  else if (path === '/logout') signOut(visit);
  else if (path === '/sign-in') confirmSignIn(visit);
  else showRoot(visit);
  return true;
}

function showRoot(visit: Visit): void {
  const { request, response, gate, cookie, isSecure } = visit;
  const secret = extractToken(request, cookie);
  const admission = secret === undefined ? undefined : gate.admit(secret, request.socket.remoteAddress);
  if (queryToken(request.url) === undefined) {
    const scope = admission?.isIn === true ? admission.identity.scope : undefined;
    response.writeHead(200, HTML).end(statusPage(scope));
  } else if (admission?.isIn !== true) refuse(response, admission);
  else if (!isWindow(request)) response.writeHead(403, PLAIN).end(`${OPEN_IN_WINDOW}\n`);
  else if (isOfElsewhere(request) || isSignedInAsAnother(visit, admission.identity)) {
    // Any page could link here with its own token, so the person has to confirm. The redirect takes the token out of the URL.
    response
      .writeHead(303, { ...PLAIN, location: `/sign-in?ticket=${gate.askToSignIn(admission.identity)}` })
      .end('see /sign-in\n');
  } else redirectHome(response, tokenCookie(cookie, gate.signIn(admission.identity), isSecure));
}

/** Shows the page that asks, and signs in when its button is pressed. */
function confirmSignIn(visit: Visit): void {
  const { request, response, gate, cookie, isSecure } = visit;
  const ticket = new URLSearchParams(request.url?.split('?')[1]).get('ticket') ?? '';
  const identity = gate.whoseTicket(ticket);
  if (identity === undefined) {
    response.writeHead(401, PLAIN).end('this sign-in has expired: follow the link with the token again\n');
  } else if (hasMethod(request, READS)) {
    const isInstead = isSignedInAsAnother(visit, identity);
    response.writeHead(200, HTML).end(signInPage(identity.scope, ticket, isInstead));
  } else if (!isWindow(request) || isOfElsewhere(request))
    response.writeHead(403, PLAIN).end(`${OPEN_IN_WINDOW}\n`);
  else redirectHome(response, tokenCookie(cookie, gate.signInBy(ticket), isSecure));
}

function signOut({ request, response, gate, cookie, isSecure }: Visit): void {
  const secret = extractToken(request, cookie);
  if (secret !== undefined) gate.signOut(secret);
  redirectHome(response, tokenCookie(cookie, undefined, isSecure));
}

const OPEN_IN_WINDOW =
  'a page inside another page cannot sign the browser in: open the link in a window of its own';

/** Whether the browser loads a document, and no image, frame or script of a page. A browser that does not say counts as loading one. */
const isWindow = ({ headers }: IncomingMessage): boolean =>
  (headers['sec-fetch-dest'] ?? 'document') === 'document';

/**
 * Whether a page of another host sent the browser here by a link, a form or a script. `none`: a person typed or pasted the URL, or opened it
 * from another program. Browsers do not send the header over plain HTTP to other machines.
 */
const isOfElsewhere = ({ headers }: IncomingMessage): boolean =>
  !['none', 'same-origin'].includes(headers['sec-fetch-site'] ?? 'none');

/** Whether the browser is signed in with another token than that of `identity`. It is not replaced without a confirmation. */
function isSignedInAsAnother({ request, gate, cookie }: Visit, identity: TokenIdentity): boolean {
  const present = gate.signedIn(cookieToken(request.headers.cookie, cookie));
  return present !== undefined && present.tokenHash !== identity.tokenHash;
}

function redirectHome(response: ServerResponse, cookie: string): void {
  response.writeHead(303, { ...PLAIN, location: '/', 'set-cookie': cookie }).end('see /\n');
}

function refuse(response: ServerResponse, admission: Admission | undefined): void {
  const { reason, waitMs } =
    admission?.isIn === false ? admission : { reason: 'a valid token is required', waitMs: 0 };
  const headers = waitMs > 0 ? { 'retry-after': String(Math.ceil(waitMs / 1_000)) } : {};
  response.writeHead(waitMs > 0 ? 429 : 401, { ...PLAIN, ...headers }).end(`${reason}\n`);
}
