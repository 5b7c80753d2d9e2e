import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { RefusalDetails } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';

/**
 * Node's HTTP. An `import` would read all exports of the module, among them the WebSocket of browsers, for which Node loads an HTTP client
 * of some 5 MB that a host does not use.
 */
export const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http');

/** Content type of plain answers. */
export const PLAIN = { 'content-type': 'text/plain; charset=utf-8' };

/** Methods that only read. Lists of methods have the form of the `Allow` header. */
export const READS = 'GET, HEAD';

/** Whether a list contains the method of a request. */
export const hasMethod = ({ method = '' }: IncomingMessage, allow: string): boolean =>
  allow.split(', ').includes(method);

/** The text of a 405. The `Allow` header has the same list (RFC 9110, 15.5.6). */
export const onlyMethods = (allow: string): string => `the methods of this path are ${allow}`;

/** The path of a request. The target may be an absolute URL (RFC 9112, 3.2.2). */
export const pathOf = ({ url = '' }: IncomingMessage): string =>
  url.replace(/^https?:\/\/[^/?]*/i, '').split('?', 1)[0] || '/';

/** A one-line answer to a request. */
export interface PlainAnswer {
  readonly status: number;
  readonly reason: string;
  /** Sent as `Retry-After`, in ms. 0 or absent: no such header. */
  readonly waitMs?: number;
  /** With status 405: the methods that the path has. */
  readonly allow?: string;
  /** The reason as data, for clients that build their own sentence. */
  readonly refusal?: RefusalDetails;
}

/** The answer to a method that the path does not have. */
export const methodRefusal = (allow: string): PlainAnswer => ({
  status: 405,
  reason: onlyMethods(allow),
  allow,
});

/** Whether a request has two `Host` headers. Node keeps only the first in `headers`; `rawHeaders` lists names and values alternately. */
export const hasSecondHost = ({ rawHeaders }: IncomingMessage): boolean =>
  rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length > 1;

/** Whether a request has a body. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';

function headersOf({ status, reason, waitMs = 0, allow, refusal }: PlainAnswer): Record<string, string> {
  return {
    ...PLAIN,
    'content-length': String(Buffer.byteLength(`${reason}\n`)),
    ...(waitMs > 0 ? { 'retry-after': String(Math.ceil(waitMs / 1_000)) } : {}),
    ...defined({ allow, 'x-refusal': refusal && headerText(refusal) }),
    ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
  };
}

/** A header takes ASCII alone. */
const headerText = (refusal: RefusalDetails): string =>
  JSON.stringify(refusal).replace(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** Answers a request. */
export function answer(response: ServerResponse, told: PlainAnswer): void {
  response.writeHead(told.status, headersOf(told)).end(`${told.reason}\n`);
}

/** Answers a refused WebSocket upgrade and closes its socket. */
export function refuse(socket: Duplex, told: PlainAnswer): void {
  const { status, reason } = told;
  const headers = Object.entries(headersOf(told)).map(([name, value]) => `${name}: ${value}`);
  const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, 'connection: close', ...headers];
  // Does not wait until the other end closes.
  socket.once('finish', () => socket.destroy());
  socket.end(`${head.join('\r\n')}\r\n\r\n${reason}\n`);
}
