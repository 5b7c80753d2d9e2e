// Clients in one process that send prepared messages again and again, and read everything without parsing it.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { serve } from '../../bench/process.ts';

/** One client of the crowd. */
export interface HeavyClient {
  readonly url: string;
  readonly clientId: string;
  /** Requests sent once, after `initialize`. */
  readonly first: readonly { readonly method: string; readonly params: object }[];
  /** Messages that the client sends one after another, without end. Requests get new ids. */
  readonly messages: readonly {
    readonly method: string;
    readonly params: object;
    readonly isRequest?: true;
  }[];
}

export interface HeavyFlood {
  readonly kind: 'flood';
  readonly clients: readonly HeavyClient[];
  /** Time between two messages of one client, ms. */
  readonly everyMs: number;
  /** Messages in a row each time. */
  readonly atOnce: number;
}

type Request = HeavyFlood | { readonly kind: 'count' } | { readonly kind: 'end' };

/** A client pauses while this many bytes wait for its system. */
const MOST_UNSENT_BYTES = 4 * 1024 * 1024;

const sockets = new Set<Socket>();
const timers = new Set<NodeJS.Timeout>();
const counts = { sent: 0, sentBytes: 0, receivedBytes: 0, closed: 0 };

async function answer(request: Request): Promise<unknown> {
  switch (request.kind) {
    case 'flood':
      await Promise.all(request.clients.map((client) => join(request, client)));
      return {};
    case 'count':
      return counts;
    case 'end':
      end();
      return {};
    default:
      return request satisfies never;
  }
}

async function join(
  { everyMs, atOnce }: HeavyFlood,
  { url, clientId, first, messages }: HeavyClient,
): Promise<void> {
  const { hostname, port, pathname, search } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  sockets.add(socket);
  socket.on('error', () => socket.destroy());
  socket.on('close', () => {
    counts.closed += 1;
  });
  await once(socket, 'connect');
  socket.on('data', (data) => {
    counts.receivedBytes += data.length;
  });
  const lines = [
    `GET ${pathname}${search} HTTP/1.1`,
    `Host: ${hostname}:${port}`,
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  const initialize = { channel: 'ahp-root://', protocolVersions: ['1.0.0'], clientId };
  const opening = [{ method: 'initialize', params: initialize }, ...first];
  for (const [index, { method, params }] of opening.entries())
    socket.write(frameOf({ jsonrpc: '2.0', id: index + 1, method, params }));
  // Encodes each message once; the host accepts numbers of dispatches that do not grow.
  const frames = messages.map(({ method, params, isRequest }, index) =>
    frameOf({ jsonrpc: '2.0', method, params, ...(isRequest === true ? { id: `${index}` } : {}) }),
  );
  if (frames.length === 0) return;
  let next = 0;
  const timer = setInterval(() => {
    if (socket.destroyed || socket.writableLength > MOST_UNSENT_BYTES) return;
    const batch = Array.from({ length: atOnce }, (_, index) => frames[(next + index) % frames.length] ?? '');
    next += atOnce;
    socket.cork();
    for (const frame of batch) {
      counts.sent += 1;
      counts.sentBytes += frame.length;
      socket.write(frame);
    }
    socket.uncork();
  }, everyMs);
  timers.add(timer);
}

/** A masked text frame with a mask of zeros. */
function frameOf(message: object): Buffer {
  const body = Buffer.from(JSON.stringify(message));
  const head = Buffer.alloc(14);
  head[0] = 0x81;
  head[1] = 0x80 | 127;
  head.writeBigUInt64BE(BigInt(body.length), 2);
  return Buffer.concat([head, body]);
}

function end(): void {
  for (const timer of timers) clearInterval(timer);
  for (const socket of sockets) socket.destroy();
}

serve(answer, end);
