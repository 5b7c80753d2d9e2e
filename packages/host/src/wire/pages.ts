import type { IncomingMessage, ServerResponse } from 'node:http';
import { cookieName, tokenCookie } from '../auth/cookie.ts';
import type { Admission, Gate } from '../auth/gate.ts';
import { extractToken, queryToken } from '../auth/verify.ts';
import { statusPage } from './status-page.ts';

const PLAIN = { 'content-type': 'text/plain; charset=utf-8' };

/**
 * The pages of a host that know who looks at them: `/`, and signing in and out [AUTH-1]. A token in the address of `/` is swapped for a cookie with
 * a secret of its own, so that the token stays in no history and goes with no link. Returns false for what is none of them.
 */
export function servePage(
  request: IncomingMessage,
  response: ServerResponse,
  gate: Pick<Gate, 'admit' | 'signIn' | 'signOut'>,
  isSecure: boolean,
): boolean {
  const [path = ''] = (request.url ?? '').split('?', 1);
  const name = cookieName(request.headers.host, isSecure);
  if (path === '/logout') {
    const secret = extractToken(request, name);
    if (request.method === 'POST' && secret !== undefined) gate.signOut(secret);
    if (request.method === 'POST') redirectHome(response, tokenCookie(name, undefined, isSecure));
    else response.writeHead(405, { ...PLAIN, allow: 'POST' }).end('POST signs out\n');
    return true;
  }
  if (path !== '/' || (request.method !== 'GET' && request.method !== 'HEAD')) return false;
  const secret = extractToken(request, name);
  const admission = secret === undefined ? undefined : gate.admit(secret, request.socket.remoteAddress);
  if (queryToken(request.url) === undefined) {
    const scope = admission?.isIn === true ? admission.identity.scope : undefined;
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(statusPage(scope));
  } else if (admission?.isIn === true) {
    redirectHome(response, tokenCookie(name, gate.signIn(admission.identity), isSecure));
  } else {
    refuse(response, admission);
  }
  return true;
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
