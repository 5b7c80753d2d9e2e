// The baseline of the fan-out benchmark: a bare `ws` server.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { serve } from './process.ts';

type Request =
  | { kind: 'start' }
  | { kind: 'load'; frames: Uint8Array[]; batches: number[] }
  | { kind: 'broadcast' };

const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false });
const listening = once(server, 'listening');
let frames: Uint8Array[] = [];
let batches: number[] = [];

async function answer(request: Request): Promise<unknown> {
  if (request.kind === 'start') {
    await listening;
    return { url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}` };
  }
  if (request.kind === 'load') {
    frames = request.frames.map((frame) => Buffer.from(frame));
    batches = request.batches;
    const sum = batches.reduce((total, size) => total + size, 0);
    if (sum !== frames.length) throw new Error(`${frames.length} frames in batches of ${sum} together`);
    return {};
  }
  broadcast(0, 0);
  return {};
}

/** Sends one batch in each event-loop iteration, as the host sends one tick. */
function broadcast(batch: number, from: number): void {
  const size = batches[batch];
  if (size === undefined) return;
  for (const client of server.clients) {
    const socket = streamOf(client);
    socket.cork();
    for (let index = from; index < from + size; index += 1)
      client.send(frames[index] ?? '', { binary: false });
    socket.uncork();
  }
  setImmediate(() => broadcast(batch + 1, from + size));
}

function streamOf(client: WebSocket): Duplex {
  const stream: unknown = Reflect.get(client, '_socket');
  if (!(stream instanceof Duplex)) throw new Error('ws has no stream to cork');
  return stream;
}

serve(answer, () => server.close());
