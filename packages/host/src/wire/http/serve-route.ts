import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HttpAnswer, HttpRoute } from '../../handler-port/http-route.ts';
import type { Log } from '../../lib/log.ts';
import { MAX_SMALL_BODY_BYTES } from './first-request.ts';
import { answer, hasMethod, methodRefusal, type PlainAnswer } from './plain-http.ts';
import { bodyRefusal } from './small-body.ts';

/** Answers a request to the path of a route. A page of another site can send no JSON without asking first, which the host refuses. */
export function serveRoute(
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
  route: HttpRoute,
  log: Log,
): void {
  const refusal = refusalOf(request);
  if (refusal !== undefined) return answer(response, refusal);
  let body = '';
  let length = 0;
  request.setEncoding('utf8');
  request.on('data', (chunk: string) => {
    length += Buffer.byteLength(chunk);
    body += chunk;
    if (length > MAX_SMALL_BODY_BYTES) request.destroy();
  });
  request.on('end', () => {
    route(body).then(
      (told) => send(response, told),
      (error: unknown) => {
        log.error({ error }, 'an HTTP request failed inside the host');
        send(response, { status: 500, body: { ok: false, reason: 'the host failed to answer' } });
      },
    );
  });
}

function refusalOf(request: IncomingMessage): PlainAnswer | undefined {
  if (!hasMethod(request, 'POST')) return methodRefusal('POST');
  const type = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (type !== 'application/json') return { status: 415, reason: 'expected a body of type application/json' };
  return bodyRefusal(request);
}

function send(response: ServerResponse, { status, body }: HttpAnswer): void {
  response
    .writeHead(status, { 'content-type': 'application/json; charset=utf-8' })
    .end(`${JSON.stringify(body)}\n`);
}
