// The baseline of the dispatch benchmark: a bare `ws` server that answers each frame with one frame.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import { serve } from './process.ts';

const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false });
const listening = once(server, 'listening');
/** As long as an echo of the host. */
let frame = '';

server.on('connection', (socket) => socket.on('message', () => socket.send(frame)));

async function answer(request: { frame: string }): Promise<unknown> {
  frame = request.frame;
  await listening;
  return { url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

serve(answer, () => server.close());
