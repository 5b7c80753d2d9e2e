import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { STATUS_CODES } from '../wire/http/plain-http.ts';
import { answerHeaders, type Route, requestHeaders } from './forwarded-headers.ts';

/** An `import` would load more; see {@link STATUS_CODES}. */
const { request: httpRequest } = process.getBuiltinModule('node:http');

/** The program behind a preview. */
export interface Program extends Route {
  readonly address: string;
  readonly port: number;
}

/** The path and query of a request. `undefined` for targets that are not paths. */
export function targetOf({ url = '' }: IncomingMessage): string | undefined {
  const path = url.replace(/^https?:\/\/[^/?]*/i, '');
  // Node sends no others.
  return /^\/[!-~]*$/.test(path) ? path : undefined;
}

/** The reason phrase of an answer without characters that Node refuses to send. */
const reasonOf = ({ statusMessage = '' }: IncomingMessage): string => statusMessage.replace(/[^\t -~]/g, '');

/** Whether Node can send an answer with this status. */
const isStatus = (status: number | undefined): status is number =>
  status !== undefined && status >= 200 && status <= 999;

/**
 * Passes a request to the program and its answer to the browser. Both bodies are streams, and go on as they come. `cut` ends
 * the exchange. `failed` is called if the program cannot be reached before it has answered.
 */
export function forwardRequest(
  request: IncomingMessage,
  response: ServerResponse,
  program: Program & { readonly path: string },
  failed: () => void,
): { cut(): void } {
  const hasChunks = request.headers['transfer-encoding'] !== undefined;
  const upstream = httpRequest({
    host: program.address,
    port: program.port,
    method: request.method ?? 'GET',
    path: program.path,
    headers: [...requestHeaders(request, program), ...(hasChunks ? ['Transfer-Encoding', 'chunked'] : [])],
    // One connection for each request: an idle one might end when the next request is sent.
    agent: false,
    setHost: false,
  });
  upstream.setNoDelay(true);
  const cut = (): void => {
    upstream.destroy();
    response.destroy();
  };
  upstream.on('error', () => {
    if (response.headersSent || response.destroyed) response.destroy();
    else failed();
  });
  upstream.on('response', (answer) => {
    if (!isStatus(answer.statusCode)) {
      answer.destroy();
      return failed();
    }
    response.writeHead(answer.statusCode, reasonOf(answer), answerHeaders(answer, program));
    // The head of a stream of events must not wait for its first event.
    response.flushHeaders();
    // A program that ends in between leaves an answer that the browser knows to be incomplete.
    answer.on('error', () => response.destroy());
    answer.on('aborted', () => response.destroy());
    answer.pipe(response);
  });
  // A program that answers an ordinary request with an upgrade leaves nothing to pass on.
  upstream.on('close', () => {
    if (!response.headersSent && !response.destroyed) failed();
  });
  request.on('error', () => upstream.destroy());
  request.pipe(upstream);
  response.on('close', () => upstream.destroy());
  return { cut };
}

/** Passes a request for a WebSocket to the program, then bytes in both directions. `cut` and `failed` as in `forwardRequest`. */
export function forwardUpgrade(
  request: IncomingMessage,
  { socket, head }: { readonly socket: Duplex; readonly head: Buffer },
  program: Program & { readonly path: string },
  failed: () => void,
): { cut(): void } {
  const upstream = httpRequest({
    host: program.address,
    port: program.port,
    path: program.path,
    headers: [...requestHeaders(request, program), 'Connection', 'Upgrade', 'Upgrade', 'websocket'],
    agent: false,
    setHost: false,
  });
  upstream.setNoDelay(true);
  let isAnswered = false;
  const cut = (): void => {
    upstream.destroy();
    socket.destroy();
  };
  upstream.on('error', () => {
    if (isAnswered || socket.destroyed) socket.destroy();
    else failed();
  });
  upstream.on('upgrade', (answer, other, first) => {
    isAnswered = true;
    socket.write(
      headOf(answer, [...answerHeaders(answer, program), 'Connection', 'Upgrade', 'Upgrade', 'websocket']),
      'latin1',
    );
    if (first.length > 0) socket.write(first);
    if (head.length > 0) other.write(head);
    other.on('error', () => socket.destroy());
    other.on('close', () => socket.destroy());
    socket.on('close', () => other.destroy());
    other.pipe(socket);
    socket.pipe(other);
  });
  upstream.on('response', (answer) => {
    isAnswered = true;
    socket.write(headOf(answer, [...answerHeaders(answer, program), 'Connection', 'close']), 'latin1');
    answer.on('error', () => socket.destroy());
    answer.pipe(socket);
  });
  socket.on('close', () => upstream.destroy());
  upstream.end();
  return { cut };
}

function headOf(answer: IncomingMessage, headers: readonly string[]): string {
  const { statusCode = 502 } = answer;
  const lines = [`HTTP/1.1 ${statusCode} ${reasonOf(answer) || (STATUS_CODES[statusCode] ?? '')}`];
  for (let index = 0; index + 1 < headers.length; index += 2)
    lines.push(`${headers[index]}: ${headers[index + 1]}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
}
