import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { PLAIN, type PlainAnswer, refuse } from '../wire/http/plain-http.ts';
import { page } from '../wire/http/status-page.ts';
import { WEB_HEADERS } from '../wire/http/web-headers.ts';

/** A refusal of a request to a preview. `title` and `hint` are texts for people. */
export interface PreviewRefusal {
  readonly status: number;
  readonly title: string;
  readonly hint: string;
}

export const REFUSALS = {
  target: { status: 400, title: 'Bad request', hint: 'The request has no valid path or more than one Host.' },
  notSignedIn: {
    status: 401,
    title: 'Open this preview from agenthost',
    hint: 'This browser is not signed in to the preview, or its link was used or is older than a minute. Open the port again from the session in agenthost.',
  },
  foreign: {
    status: 403,
    title: 'Not allowed',
    hint: 'Another site sent this request. Pages of other sites cannot use a preview.',
  },
  method: { status: 405, title: 'Not allowed', hint: 'This address is opened by GET.' },
  unknown: {
    status: 404,
    title: 'This preview has ended',
    hint: 'Its session has ended, or the host was restarted. Open the port again from the session in agenthost.',
  },
  misdirected: {
    status: 421,
    title: 'No preview has this address',
    hint: 'Previews have the addresses that agenthost gives.',
  },
  gone: {
    status: 502,
    title: 'The program has ended',
    hint: 'No process of the session listens on this port now. Start the program again, then reload this page.',
  },
  upgrade: { status: 400, title: 'Bad request', hint: 'Previews can be upgraded to WebSockets only.' },
  busy: {
    status: 503,
    title: 'Too many requests are open',
    hint: 'Close other tabs with previews, then reload this page.',
  },
} as const satisfies Record<string, PreviewRefusal>;

const FULL_WAIT_MS = 5_000;

/** Answers a request with a refusal: a page for browsers, a line for programs. The connection ends with it. */
export function refuseRequest(
  request: IncomingMessage,
  response: ServerResponse,
  refusal: PreviewRefusal,
): void {
  const { status, title, hint } = refusal;
  response.setHeaders(WEB_HEADERS);
  response.setHeader('connection', 'close');
  if (status === 503) response.setHeader('retry-after', String(FULL_WAIT_MS / 1_000));
  const isPage = (request.headers.accept ?? '').includes('text/html');
  const body = isPage ? page(`<h1>${title}</h1>\n<p>${hint}</p>\n`) : `${lineOf(refusal)}\n`;
  const type = isPage ? { 'content-type': 'text/html; charset=utf-8' } : PLAIN;
  response.writeHead(status, { ...type, 'content-length': String(Buffer.byteLength(body)) });
  response.end(request.method === 'HEAD' ? undefined : body);
}

/** Answers a request for a WebSocket with a refusal, and closes its socket. */
export function refuseUpgrade(socket: Duplex, refusal: PreviewRefusal): void {
  const answer: PlainAnswer = { status: refusal.status, reason: lineOf(refusal) };
  refuse(socket, answer);
}

const lineOf = ({ title, hint }: PreviewRefusal): string => `${title}. ${hint}`;
