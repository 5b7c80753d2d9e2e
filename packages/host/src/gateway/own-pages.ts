import type { IncomingMessage, ServerResponse } from 'node:http';
import { answer, hasMethod, methodRefusal, type PlainAnswer, READS } from '../wire/http/plain-http.ts';
import type { RequestView } from '../wire/http/request-view.ts';
import { isOfElsewhere } from '../wire/http/visit.ts';
import { isNavigation } from '../wire/http/web-page/web-page.ts';
import type { CellDirectory } from './directory.ts';
import type { HostFaults } from './host-faults.ts';
import { cursorOf, listedHosts, listedSession, parseCursor, pathOfCell } from './lists.ts';
import { listPage, signInPage } from './pages.ts';
import { placeSession } from './placement.ts';

/** Sessions in one page of the list. */
const DEFAULT_SESSIONS = 100;
const MAX_SESSIONS = 1_000;

/** A request for a page or a list of the gateway itself. */
export interface OwnVisit {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly view: RequestView;
  /** Whether the request has the token or a valid cookie. */
  readonly isSignedIn: boolean;
  readonly directory: CellDirectory;
  readonly faults: HostFaults;
  readonly random: () => number;
  /** Signs the browser in with the token of a form. Returns false for another token. */
  signIn(token: string): boolean;
  signOut(): void;
}

const HTML = { 'content-type': 'text/html; charset=utf-8' };
const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };

const TOKEN_REQUIRED: PlainAnswer = {
  status: 401,
  reason: 'the token of the gateway is required: send `Authorization: Bearer <token>`, or sign in at /',
};

/** The paths of the gateway, with their methods. */
const METHODS = new Map([
  ['/', READS],
  ['/sign-in', 'POST'],
  ['/logout', 'POST'],
  ['/hosts', READS],
  ['/sessions', READS],
  ['/place', READS],
]);

/** Answers a request for a page or a list of the gateway. Rejects with `JournalError` when the database does not answer. */
export async function serveOwn(visit: OwnVisit): Promise<void> {
  const { request, response, view, isSignedIn } = visit;
  const allow = METHODS.get(view.path);
  if (allow === undefined)
    return answer(response, { status: 404, reason: 'not found: hosts are at /h/<host>/' });
  if (!hasMethod(request, allow)) return answer(response, methodRefusal(allow));
  if (view.path === '/sign-in') return signIn(visit);
  if (view.path === '/logout') return signOut(visit);
  if (!isSignedIn) {
    if (view.path === '/' && isNavigation(request)) return sendHtml(response, 200, signInPage('/'));
    return answer(response, TOKEN_REQUIRED);
  }
  const query = new URLSearchParams(request.url?.split('?').slice(1).join('?') ?? '');
  if (view.path === '/hosts')
    return sendJson(response, { items: listedHosts(await visit.directory.all(), visit.faults) });
  if (view.path === '/place') return place(visit, query);
  return list(visit, query);
}

async function list({ response, view, directory, faults }: OwnVisit, query: URLSearchParams): Promise<void> {
  const limit = Number(query.get('limit') ?? DEFAULT_SESSIONS);
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_SESSIONS)
    return answer(response, {
      status: 400,
      reason: `limit: expected a whole number from 1 to ${MAX_SESSIONS}`,
    });
  const cursor = query.get('cursor');
  const after = cursor === null ? undefined : parseCursor(cursor);
  if (cursor !== null && after === undefined)
    return answer(response, { status: 400, reason: 'cursor: expected the nextCursor of an earlier page' });
  const found = await directory.sessions({ limit: limit + 1, after });
  const shown = found.slice(0, limit);
  const last = found.length > limit ? shown.at(-1) : undefined;
  const items = shown.map(listedSession);
  const nextCursor = last && cursorOf(last);
  if (view.path === '/sessions')
    return sendJson(response, { items, ...(nextCursor === undefined ? {} : { nextCursor }) });
  const hosts = listedHosts(await directory.all(), faults);
  const next = nextCursor === undefined ? undefined : `/?limit=${limit}&cursor=${nextCursor}`;
  sendHtml(response, 200, listPage({ hosts, sessions: items, next }));
}

/** Chooses a host for a new session: `?label=…` (repeatable) and `?repository=…`, the URI of a project or folder. */
async function place(
  { response, directory, faults, random }: OwnVisit,
  query: URLSearchParams,
): Promise<void> {
  const repository = query.get('repository');
  const [cells, preferred] = await Promise.all([
    directory.all(),
    repository === null || repository === '' ? [] : directory.cellsOf(repository),
  ]);
  const labels = query.getAll('label');
  const reached = cells.filter((cell) => faults.of(cell) === undefined);
  const host = placeSession(reached, { labels, preferred }, random);
  if (host === undefined) {
    const wanted = labels.length === 0 ? '' : ` with the labels ${JSON.stringify(labels)}`;
    return answer(response, { status: 503, reason: `no host${wanted} accepts new sessions now` });
  }
  sendJson(response, { host, path: `${pathOfCell(host)}/`, ahp: `${pathOfCell(host)}/ahp` });
}

async function signIn(visit: OwnVisit): Promise<void> {
  const { request, response } = visit;
  if (isOfElsewhere(request))
    return answer(response, {
      status: 403,
      reason: 'only the own page of the gateway can sign a browser in',
    });
  const form = new URLSearchParams((await readBody(request)).toString('utf8'));
  const to = form.get('to') ?? '/';
  const target = /^\/(?![/\\])[!-[\]-~]*$/.test(to) ? to : '/';
  if (!visit.signIn(form.get('token')?.trim() ?? ''))
    return sendHtml(response, 401, signInPage(target, 'This token is wrong.'));
  response.writeHead(303, { location: target }).end();
}

function signOut(visit: OwnVisit): void {
  const { request, response } = visit;
  if (isOfElsewhere(request))
    return answer(response, {
      status: 403,
      reason: 'only the own page of the gateway can sign a browser out',
    });
  visit.signOut();
  response.writeHead(303, { location: '/' }).end();
}

/** Reads the body of a request, which `bodyRefusal` has accepted. */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

/** Sends JSON with status 200. */
export function sendJson(response: ServerResponse, value: object): void {
  response.writeHead(200, JSON_TYPE).end(`${JSON.stringify(value)}\n`);
}

function sendHtml(response: ServerResponse, status: number, html: string): void {
  response.writeHead(status, HTML).end(html);
}
