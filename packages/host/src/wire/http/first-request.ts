import type { Socket } from 'node:net';

/** Node's limit for the head of a request. Its parser refuses longer ones. */
const MAX_HEAD_BYTES = 16 * 1024;

/** A body up to this length belongs to the first request. Longer ones are not read. */
export const MAX_SMALL_BODY_BYTES = 4 * 1024;

const END_OF_HEAD = '\r\n\r\n';

const CR = 13;
const LF = 10;

/** The bytes that came behind the first request, by connection. */
const rests = new WeakMap<object, Buffer>();

/**
 * Waits for the head of a connection's first request and for its body if that is small, leaves only these bytes to be read, and calls `pass`.
 * Destroys the socket if they are not complete after `limitMs`. The reason: Node's parser handles all requests of one read at once. A read of 64 KiB may
 * hold 1,600 requests, so a few hundred connections could block the event loop.
 */
export function awaitFirstRequest(socket: Socket, limitMs: number, pass: () => void): void {
  let head: Buffer = Buffer.alloc(0);
  let found = -1;
  const cut = (): void => void socket.destroy();
  const limit = setTimeout(cut, limitMs);
  const stop = (): void => clearTimeout(limit);
  const leave = (): void => {
    stop();
    socket.off('close', stop);
    socket.off('error', cut);
    socket.off('end', cut);
    socket.off('readable', read);
  };
  const read = (): void => {
    const chunk: unknown = socket.read();
    if (!Buffer.isBuffer(chunk)) return;
    const before = head.length;
    head = withoutEmptyLines(Buffer.concat([head, chunk]));
    if (found < 0) found = head.indexOf(END_OF_HEAD, Math.max(0, before - END_OF_HEAD.length));
    if (found < 0 && head.length < MAX_HEAD_BYTES && isRequest(head)) return;
    const end = found < 0 ? head.length : found + END_OF_HEAD.length + smallBodyLength(head, found);
    if (head.length < end) return;
    leave();
    rests.set(socket, head.subarray(end));
    socket.unshift(head.subarray(0, end));
    pass();
  };
  socket.on('close', stop);
  socket.on('error', cut);
  socket.on('end', cut);
  socket.on('readable', read);
}

/** The length of the body of a request whose head ends at `end`; 0 for bodies that are not small. The parser refuses a head with both fields. */
function smallBodyLength(bytes: Buffer, end: number): number {
  const head = bytes.toString('latin1', 0, end);
  if (/\r\ntransfer-encoding:/i.test(head)) return 0;
  const length = Number(/\r\ncontent-length:[ \t]*(\d+)[ \t]*(?:\r\n|$)/i.exec(head)?.[1]);
  return length <= MAX_SMALL_BODY_BYTES ? length : 0;
}

/** Returns the bytes that followed the head of the first request. A second call returns none. */
export function takeRest(socket: object): Buffer {
  const rest = rests.get(socket);
  rests.delete(socket);
  return rest ?? Buffer.alloc(0);
}

/** Whether bytes may begin a request: a method consists of letters. A TLS record fails by its first byte. */
const isRequest = ([first]: Buffer): boolean =>
  first === undefined || /[A-Za-z]/.test(String.fromCharCode(first));

/** A request may have empty lines before it (RFC 9112, 2.2). */
function withoutEmptyLines(bytes: Buffer): Buffer {
  let start = 0;
  while (bytes[start] === CR || bytes[start] === LF) start += 1;
  return bytes.subarray(start);
}
