import type { IncomingMessage } from 'node:http';
import { defined } from '@agenthost/protocol/values';
import { answer, PLAIN, type PlainAnswer } from './plain-http.ts';
import { bodyRefusal } from './small-body.ts';
import { isOfElsewhere, redirect, signedIn, signInBrowser, type Visit } from './visit.ts';

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };
const FORM_TYPE = 'application/x-www-form-urlencoded';

/** The answer to a sign-in with a token: `waitMs` is the time until the next attempt is accepted, 0 for at once. */
export type SignInAnswer =
  | { readonly ok: true; readonly scope: string }
  | { readonly ok: false; readonly reason: string; readonly waitMs: number };

/** Signs in with the token of a form on the host's own page. A token in the body of a request is in no history and no log. */
export async function signInByForm(visit: Visit): Promise<void> {
  const { request, gate, view } = visit;
  if (isOfElsewhere(request) || !isOwnPage(request, view.host))
    return fail(visit, { status: 403, reason: 'only the own page of the host can sign a browser in' });
  if (request.headers['content-type']?.split(';')[0]?.trim().toLowerCase() !== FORM_TYPE)
    return fail(visit, { status: 415, reason: `expected a body of type ${FORM_TYPE}` });
  const refusal = bodyRefusal(request);
  if (refusal !== undefined) return fail(visit, refusal);
  const token = new URLSearchParams(await bodyOf(request)).get('token')?.trim() || undefined;
  const admission = gate.admit(token, view.address);
  if (!admission.isIn) {
    const { reason, waitMs } = admission;
    return fail(visit, { status: waitMs > 0 ? 429 : 401, reason, waitMs });
  }
  signInBrowser(visit, admission.identity);
  if (!wantsJson(request)) return redirect(visit, '/');
  sendJson(visit, 200, { ok: true, scope: admission.identity.scope } satisfies SignInAnswer);
}

/** Tells the page whether this browser is signed in, where the owner's token is, and whether there is a sign-in by OpenID Connect. */
export function tellSignInState(visit: Visit): void {
  const { request, gate, view, version, oidc } = visit;
  if (isOfElsewhere(request))
    return answer(visit.response, { status: 403, reason: 'only the own page of the host may ask this' });
  const identity = signedIn(visit);
  sendJson(visit, 200, {
    signedIn: identity !== undefined,
    ...defined({ scope: identity?.scope }),
    // A proxy on this machine passes requests of other machines on.
    tokenPlace: gate.tokenPlace(view.isDirect ? view.address : undefined),
    ...(oidc === undefined ? {} : { oidc: { name: oidc.name } }),
    version,
  });
}

/** Whether a script asked, which reads JSON. */
export const wantsJson = ({ headers }: IncomingMessage): boolean =>
  headers.accept?.includes('application/json') === true;

/** Sends JSON. */
export function sendJson({ response }: Visit, status: number, value: object): void {
  response.writeHead(status, JSON_TYPE).end(`${JSON.stringify(value)}\n`);
}

function fail(visit: Visit, refusal: PlainAnswer): void {
  const { status, reason, waitMs = 0 } = refusal;
  if (waitMs > 0) visit.response.setHeader('retry-after', String(Math.ceil(waitMs / 1_000)));
  if (wantsJson(visit.request)) sendJson(visit, status, { ok: false, reason, waitMs } satisfies SignInAnswer);
  else visit.response.writeHead(status, PLAIN).end(`${reason}\n`);
}

/** Browsers send the origin of the page with every POST. The pages of `allowedOrigins` are other pages. */
function isOwnPage({ headers }: IncomingMessage, host: string | undefined): boolean {
  const { origin } = headers;
  if (origin === undefined || headers['sec-fetch-site'] === 'same-origin') return true;
  return origin.replace(/^https?:\/\//, '') === host;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  // Further requests of the connection are not read.
  request.socket.pause();
  return body;
}
