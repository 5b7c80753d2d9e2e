import type { OidcSignIn } from '../../auth/oidc/oidc-sign-in.ts';
import { cookieToken } from '../../auth/verify.ts';
import { PLAIN } from './plain-http.ts';
import { PUBLIC_HOST } from './request-view.ts';
import { page } from './status-page.ts';
import { cookieSecret, isOfElsewhere, isWindow, signInBrowser, type Visit } from './visit.ts';

/** Path at which a sign-in by OpenID Connect begins. */
export const OIDC_PATH = '/sign-in/oidc';
/** Path of the redirect URI. */
export const OIDC_CALLBACK_PATH = '/sign-in/oidc/callback';

/** Seconds that a browser keeps a begun sign-in. */
const MAX_AGE_SECONDS = 600;
const HTML = { 'content-type': 'text/html; charset=utf-8' };

/** Redirects the browser to the provider. */
export async function beginOidc(visit: Visit, oidc: OidcSignIn): Promise<void> {
  const { request, response, view } = visit;
  // A page of another site cannot make a browser sign in.
  if (!isWindow(request) || isOfElsewhere(request))
    return tell(visit, 403, 'only the own page of the host can begin a sign-in');
  const problem = gatewayProblem(visit);
  if (problem !== undefined) return tell(visit, 403, problem);
  const scheme = view.isSecure ? 'https' : 'http';
  const redirectUri = `${scheme}://${view.publicHost ?? ''}${view.base}${OIDC_CALLBACK_PATH}`;
  try {
    const { url, binding } = await oidc.begin(redirectUri, cookieSecret(visit));
    response.setHeader('set-cookie', bindingCookie(visit, binding));
    response.writeHead(303, { ...PLAIN, location: url.href }).end('see the provider\n');
  } catch {
    // The reason is only in the log, because the browser is not signed in.
    tell(visit, 502, `${oidc.name} does not answer: try again later, or sign in with a token`);
  }
}

/**
 * Why a request through a gateway cannot begin a sign-in. The provider sends the browser back to the name in the header of the gateway. A client can send
 * this header too, so the administrator of the host has to list the name.
 */
function gatewayProblem({ request, view, isOwnHost }: Visit): string | undefined {
  const named = request.headers[PUBLIC_HOST];
  if (named !== undefined && named !== view.publicHost)
    return 'the host does not trust the gateway: start it with --trust-proxy, or add the gateway to its trustedProxies';
  return view.publicHost === view.host || isOwnHost(view.publicHost)
    ? undefined
    : `the host does not know the address of the gateway: add ${JSON.stringify(view.publicHost)} to its allowedHosts`;
}

/** Signs in a browser after the redirect from the provider. */
export async function finishOidc(visit: Visit, oidc: OidcSignIn): Promise<void> {
  const { request, response, gate, view } = visit;
  if (!isWindow(request)) return tell(visit, 403, 'open the sign-in in a window of its own');
  const query = new URLSearchParams(request.url?.split('?').slice(1).join('?'));
  const outcome = await oidc.finish(query, cookieToken(request.headers.cookie, bindingName(visit)));
  if (!outcome.isIn) {
    response.setHeader('set-cookie', bindingCookie(visit, undefined));
    return tell(visit, outcome.status, outcome.reason);
  }
  if (outcome.previous !== undefined) gate.signOut(outcome.previous);
  signInBrowser(visit, outcome.identity);
  response.appendHeader('set-cookie', bindingCookie(visit, undefined));
  response.writeHead(303, { ...PLAIN, location: `${view.base}/` }).end(`see ${view.base}/\n`);
}

/** A page with the reason of a failure and a link to the start. The reason may contain text of the provider. */
function tell({ response, view }: Visit, status: number, reason: string): void {
  const shown = reason.slice(0, 500).replace(/[<>&"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
  const body = `<h1>Not signed in</h1>\n<p>${shown}</p>\n<p><a href="${view.base}/">Back</a></p>\n`;
  response.writeHead(status, HTML).end(page(body));
}

const bindingName = ({ cookie }: Visit): string => `${cookie.replace(/^__(?:Host|Secure)-/, '')}_oidc`;

/**
 * The cookie of a begun sign-in. It has to be sent with the redirect from the provider, which `SameSite=Strict` would prevent. Without a value,
 * the browser forgets it.
 */
function bindingCookie(visit: Visit, value: string | undefined): string {
  const { base, isSecure } = visit.view;
  const age = value === undefined ? 0 : MAX_AGE_SECONDS;
  return `${bindingName(visit)}=${value ?? ''}; Path=${base}${OIDC_PATH}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}; Max-Age=${age}`;
}
