import type { Admission } from '../../auth/gate.ts';
import { extractToken, queryToken } from '../../auth/verify.ts';
import { beginOidc, finishOidc, OIDC_CALLBACK_PATH, OIDC_PATH } from './oidc-pages.ts';
import { hasMethod, onlyMethods, PLAIN, READS } from './plain-http.ts';
import { sendJson, signInByForm, tellSignInState, wantsJson } from './sign-in-form.ts';
import { signInPage, statusPage } from './status-page.ts';
import {
  cookieSecret,
  isOfElsewhere,
  isSignedInAsAnother,
  isWindow,
  redirect,
  setCookie,
  signedIn,
  signInBrowser,
  type Visit,
} from './visit.ts';
import { isNavigation, isRoute } from './web-page/web-page.ts';

const HTML = { 'content-type': 'text/html; charset=utf-8' };

/** The paths of pages, with their methods. */
const METHODS = new Map([
  ['/', READS],
  ['/sign-in', `${READS}, POST`],
  ['/sign-in/state', READS],
  [OIDC_PATH, 'GET'],
  [OIDC_CALLBACK_PATH, 'GET'],
  ['/logout', 'POST'],
]);

/**
 * Serves the pages of a host: `/`, `/sign-in`, `/logout` [AUTH-1], and the routes and files of the web page. A token in the URL of a page is
 * exchanged for a cookie with a secret of its own, so that the token stays in no browser history and in no link. Returns false for other paths.
 */
export function servePage(visit: Visit): boolean {
  const { request, response, view, page, oidc } = visit;
  const isOidc = view.path === OIDC_PATH || view.path === OIDC_CALLBACK_PATH;
  const allow = isOidc && oidc === undefined ? undefined : METHODS.get(view.path);
  if (allow === undefined) {
    if (page === undefined) return false;
    if (isRoute(view.path)) {
      if (!isNavigation(request)) return false;
      showPage(visit);
    } else page.serveFile(request, response, view);
  } else if (!hasMethod(request, allow))
    response.writeHead(405, { ...PLAIN, allow }).end(`${onlyMethods(allow)}\n`);
  else if (isOidc && oidc !== undefined) {
    const run = view.path === OIDC_PATH ? beginOidc : finishOidc;
    // The journal cannot be written: the browser begins again.
    run(visit, oidc).catch(() => void response.destroy());
  } else if (view.path === '/logout') signOut(visit);
  else if (view.path === '/sign-in/state') tellSignInState(visit);
  else if (view.path === '/sign-in') signIn(visit);
  else showPage(visit);
  return true;
}

function showPage(visit: Visit): void {
  const { request, response, gate, view, cookie, page } = visit;
  if (queryToken(request.url) !== undefined) return signInByLink(visit);
  if (page !== undefined) {
    // The browser keeps the cookie for another 90 days.
    if (signedIn(visit) !== undefined) setCookie(visit, cookieSecret(visit));
    return page.serveIndex(request, response, view);
  }
  const secret = extractToken(request, cookie);
  const admission = secret === undefined ? undefined : gate.admit(secret, view.address);
  const scope = admission?.isIn === true ? admission.identity.scope : undefined;
  response.writeHead(200, HTML).end(statusPage(view.base, scope));
}

function signInByLink(visit: Visit): void {
  const { request, response, gate, view, cookie, page } = visit;
  const admission = gate.admit(extractToken(request, cookie), view.address);
  const target = targetOf(visit);
  if (!admission.isIn) {
    if (page === undefined || !isNavigation(request)) return refuse(visit, admission);
    // The page shows the reason. The redirect takes the token out of the address.
    const { waitMs } = admission;
    return redirect(visit, withQuery(target, waitMs > 0 ? `refused=wait&waitMs=${waitMs}` : 'refused=wrong'));
  }
  const { identity } = admission;
  if (!isWindow(request)) response.writeHead(403, PLAIN).end(`${OPEN_IN_WINDOW}\n`);
  else if (isOfElsewhere(request) || isSignedInAsAnother(visit, identity)) {
    // Any page could link here with its own token, so the person has to confirm. The redirect takes the token out of the URL.
    const to = target === '/' ? '' : `&to=${encodeURIComponent(target)}`;
    redirect(visit, `/sign-in?ticket=${gate.askToSignIn(identity)}${to}`);
  } else {
    signInBrowser(visit, identity);
    redirect(visit, target);
  }
}

/** The path and query of a request without its token. */
function targetOf({ request, view }: Visit): string {
  const params = queryOf(request.url);
  params.delete('token');
  params.delete('tkn');
  return withQuery(view.path, params.toString());
}

const withQuery = (path: string, query: string): string =>
  query === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${query}`;

const queryOf = (url = ''): URLSearchParams => new URLSearchParams(url.split('?').slice(1).join('?'));

/** Signs in with the form of the web page, or by a ticket. */
function signIn(visit: Visit): void {
  const { request, response, page } = visit;
  const params = queryOf(request.url);
  if (params.has('ticket')) return confirmSignIn(visit, params);
  if (request.method === 'POST') {
    // The client closed the connection before the end of the body.
    signInByForm(visit).catch(() => void response.destroy());
  } else if (page !== undefined && isNavigation(request)) redirect(visit, '/');
  else response.writeHead(401, PLAIN).end(`${EXPIRED}\n`);
}

/** Shows the page that asks, and signs in when its button is pressed. */
function confirmSignIn(visit: Visit, params: URLSearchParams): void {
  const { request, response, gate } = visit;
  const ticket = params.get('ticket') ?? '';
  const to = params.get('to') ?? '/';
  const target = /^\/(?![/\\])[!-[\]-~]*$/.test(to) && isRoute(to.split('?')[0] ?? '') ? to : '/';
  const identity = gate.whoseTicket(ticket);
  if (identity === undefined) response.writeHead(401, PLAIN).end(`${EXPIRED}\n`);
  else if (hasMethod(request, READS)) {
    const query = target === '/' ? '' : `&to=${encodeURIComponent(target)}`;
    const action = `${visit.view.base}/sign-in?ticket=${encodeURIComponent(ticket)}${query}`;
    const isInstead = isSignedInAsAnother(visit, identity);
    response.writeHead(200, HTML).end(signInPage(identity.scope, action, isInstead));
  } else if (!isWindow(request) || isOfElsewhere(request))
    response.writeHead(403, PLAIN).end(`${OPEN_IN_WINDOW}\n`);
  else {
    gate.endTicket(ticket);
    signInBrowser(visit, identity);
    redirect(visit, target);
  }
}

function signOut(visit: Visit): void {
  const { request, gate, cookie } = visit;
  // Without the cookie, which is not sent with it, the request of another page would still remove it.
  if (isOfElsewhere(request))
    return void visit.response
      .writeHead(403, PLAIN)
      .end('only the own page of the host can sign a browser out\n');
  const secret = extractToken(request, cookie);
  if (secret !== undefined) gate.signOut(secret);
  setCookie(visit, undefined);
  if (wantsJson(request)) sendJson(visit, 200, { ok: true });
  else redirect(visit, '/');
}

const EXPIRED = 'this sign-in has expired: follow the link with the token again';

const OPEN_IN_WINDOW =
  'a page inside another page cannot sign the browser in: open the link in a window of its own';

function refuse({ response }: Visit, { reason, waitMs }: Extract<Admission, { isIn: false }>): void {
  const headers = waitMs > 0 ? { 'retry-after': String(Math.ceil(waitMs / 1_000)) } : {};
  response.writeHead(waitMs > 0 ? 429 : 401, { ...PLAIN, ...headers }).end(`${reason}\n`);
}
