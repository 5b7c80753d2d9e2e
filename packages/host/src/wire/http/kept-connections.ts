import type { IncomingMessage, ServerResponse } from 'node:http';
import { awaitFirstRequest, takeRest } from './first-request.ts';

/** Requests for files that one connection may send. A page load takes about ten. */
const MAX_REQUESTS = 32;

/** Time limit for the head of the next request, in ms. */
const NEXT_REQUEST_MS = 5_000;

/** Requests by connection. */
const counts = new WeakMap<object, number>();

/**
 * Keeps the connection open after this answer, for the next request for a file. The connection stays an unauthenticated socket, so its limits
 * apply. Node's parser gets the head of the next request only when it is complete, for the reason at {@link awaitFirstRequest}. Call it before
 * the head of the answer is written.
 */
export function keepConnection({ socket }: IncomingMessage, response: ServerResponse): void {
  const count = (counts.get(socket) ?? 0) + 1;
  counts.set(socket, count);
  if (count >= MAX_REQUESTS) return;
  response.removeHeader('connection');
  response.once('finish', () => {
    if (!response.shouldKeepAlive || socket.destroyed) return;
    // Without the parser's listeners, the bytes stay in the socket until the head is complete. A pause would stop reading for good.
    const parsers = socket.listeners('data').filter(isDataListener);
    for (const parse of parsers) socket.off('data', parse);
    awaitFirstRequest(socket, NEXT_REQUEST_MS, () => {
      for (const parse of parsers) socket.on('data', parse);
      socket.resume();
    });
    const rest = takeRest(socket);
    if (rest.length > 0) socket.unshift(rest);
  });
}

/** Node declares listeners without the parameters of their event. */
const isDataListener = (listener: unknown): listener is (chunk: Buffer) => void =>
  typeof listener === 'function';
