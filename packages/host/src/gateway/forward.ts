import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type PlainAnswer, STATUS_CODES } from '../wire/http/plain-http.ts';
import { DOWN } from './answers.ts';
import { answeredHeaders } from './forwarded-request.ts';
import type { PendingUpgrade } from './pending-upgrade.ts';

/** An `import` would load more; see {@link STATUS_CODES}. */
const { request: httpRequest } = process.getBuiltinModule('node:http');

/** Time limit of a plain request with its answer, so that a slow client does not keep a connection of the host open. */
const EXCHANGE_MS = 60_000;

/** Time in which the last bytes go to one end after the other one has closed. */
const FLUSH_MS = 2_000;

/** A request as it is sent to a host. */
export interface Outgoing {
  /** A connection to the host on which nothing was sent yet. */
  readonly socket: Socket;
  readonly method: string;
  readonly path: string;
  /** Names and values alternately. */
  readonly headers: readonly string[];
  /** Called when the host has begun its answer. */
  answered(): void;
  /** The answer that the client gets in place of that of the host; `undefined`: that of the host. */
  replacement(answer: IncomingMessage): PlainAnswer | undefined;
}

/** The reason phrase of an answer without characters that Node refuses to send. */
const reasonOf = ({ statusMessage = '' }: IncomingMessage): string => statusMessage.replace(/[^\t -~]/g, '');

/**
 * Passes a request with a complete body to a host, and its answer to the client. `refused` is called with another answer if the host ends the
 * connection before it has answered, or if its answer is replaced.
 */
export function forwardRequest(
  { response, body }: { readonly response: ServerResponse; readonly body: Buffer },
  { socket, method, path, headers, answered, replacement }: Outgoing,
  refused: (told: PlainAnswer) => void,
): void {
  const length = body.length > 0 || method === 'POST' ? ['Content-Length', String(body.length)] : [];
  const upstream = httpRequest({
    createConnection: () => socket,
    method,
    path,
    headers: [...headers, ...length, 'Connection', 'close'],
    setHost: false,
  });
  const limit = setTimeout(() => response.destroy(), EXCHANGE_MS);
  response.once('close', () => {
    clearTimeout(limit);
    upstream.destroy();
  });
  upstream.on('error', () => {
    if (response.headersSent || response.destroyed) response.destroy();
    else refused(DOWN);
  });
  upstream.on('response', (answer) => {
    answered();
    const replaced = replacement(answer);
    if (replaced !== undefined) return refused(replaced);
    response.writeHead(answer.statusCode ?? 502, reasonOf(answer), [
      ...answeredHeaders(answer),
      ...['Connection', 'close'],
    ]);
    answer.on('error', () => response.destroy());
    answer.on('aborted', () => response.destroy());
    answer.pipe(response);
  });
  upstream.end(body);
}

/**
 * Passes a request for a WebSocket to a host, then bytes in both directions; each end is read only as fast as the other takes it. `accepted` is
 * called when the host has accepted the WebSocket. The client is refused if the host ends the connection before it has answered.
 */
export function forwardUpgrade(
  client: PendingUpgrade,
  { socket: connection, path, headers, answered, replacement }: Outgoing,
  accepted: () => void,
): void {
  const { socket, signal } = client;
  const upstream = httpRequest({
    createConnection: () => connection,
    path,
    headers: [...headers, 'Connection', 'Upgrade', 'Upgrade', 'websocket'],
    setHost: false,
  });
  let isAnswered = false;
  connection.setNoDelay(true);
  const giveUp = (): void => void connection.destroy();
  signal.addEventListener('abort', giveUp);
  upstream.on('error', () => {
    if (isAnswered || socket.destroyed) socket.destroy();
    else client.refuse(DOWN);
  });
  upstream.on('upgrade', (answer, other: Socket, first) => {
    isAnswered = true;
    answered();
    signal.removeEventListener('abort', giveUp);
    const early = client.accept();
    socket.write(headOf(answer, ['Connection', 'Upgrade', 'Upgrade', 'websocket']), 'latin1');
    if (first.length > 0) socket.write(first);
    if (early.length > 0) other.write(early);
    pipeEnd(other, socket);
    pipeEnd(socket, other);
    accepted();
  });
  upstream.on('response', (answer) => {
    answered();
    const replaced = replacement(answer);
    if (replaced !== undefined) return client.refuse(replaced);
    isAnswered = true;
    client.answering();
    socket.write(headOf(answer, ['Connection', 'close']), 'latin1');
    answer.on('error', () => socket.destroy());
    answer.pipe(socket);
  });
  upstream.end();
}

/** Passes the bytes of one end to the other, also the last ones before it closes. An error of one end destroys the other at once. */
function pipeEnd(from: Duplex, to: Duplex): void {
  from.on('error', () => to.destroy());
  from.on('close', () => {
    if (to.destroyed) return;
    const limit = setTimeout(() => to.destroy(), FLUSH_MS);
    to.once('close', () => clearTimeout(limit));
    // Unread input would turn the close into a reset, and the other end would lose the last bytes.
    to.resume();
    if (to.writableFinished) to.destroy();
    else to.end(() => to.destroy());
  });
  from.pipe(to);
}

function headOf(answer: IncomingMessage, own: readonly string[]): string {
  const { statusCode = 502 } = answer;
  const headers = [...answeredHeaders(answer), ...own];
  const lines = [`HTTP/1.1 ${statusCode} ${reasonOf(answer) || (STATUS_CODES[statusCode] ?? '')}`];
  for (let index = 0; index + 1 < headers.length; index += 2)
    lines.push(`${headers[index]}: ${headers[index + 1]}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
}
