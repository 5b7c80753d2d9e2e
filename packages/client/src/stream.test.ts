import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Duplex } from 'node:stream';
import { WEBSOCKET_SERVER_OPTIONS, wrapServerSocket } from '@agenthost/rpc/websocket-server';
import { afterEach, expect, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { chatState, FakeHost } from '../test/fake-host.ts';
import { CannotConnect, Unauthorized } from './errors.ts';
import { connectStream, type HostStream, openHostSocket } from './stream.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** An HTTP server with the fake host behind the token `secret`. */
async function serve(host: FakeHost): Promise<string> {
  const sockets = new WebSocketServer({ ...WEBSOCKET_SERVER_OPTIONS, noServer: true });
  const http = createServer();
  http.on('upgrade', (request, socket, head) => {
    if (request.headers.authorization === 'Bearer secret' && request.url === '/base/ahp')
      sockets.handleUpgrade(request, socket, head, (accepted) => host.accept(wrapServerSocket(accepted)));
    else
      socket.end(
        'HTTP/1.1 401 Unauthorized\r\nContent-Type: text/plain\r\nContent-Length: 17\r\n\r\nthe token is off\n',
      );
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  cleanups.push(async () => {
    for (const socket of sockets.clients) socket.terminate();
    http.close();
    http.closeAllConnections();
    await once(http, 'close');
  });
  const address = http.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return `http://127.0.0.1:${address.port}/base/ahp`;
}

test('[CONN-8] connects over a stream that is opened anew for every attempt, and reads what it missed', async () => {
  const host = new FakeHost();
  host.states.set('ahp-chat:/a', chatState('ahp-chat:/a'));
  const url = await serve(host);
  const streams: Duplex[] = [];
  const open = async (): Promise<HostStream> => {
    const stream = await openHostSocket({ url });
    streams.push(stream);
    return { stream, url, token: 'secret' };
  };
  const client = await connectStream({ open, backoff: { minMs: 5, maxMs: 20 } });
  cleanups.push(() => client.close());
  const mirror = await client.subscribe('ahp-chat:/a');
  const lost = new Promise<void>((resolve) => {
    client.onStatus(({ state }) => state === 'waiting' && resolve());
  });
  streams[0]?.destroy();
  await lost;
  host.emit('ahp-chat:/a', { type: 'chat/activityChanged', activity: 'while away' });
  await expect.poll(() => mirror.state, { timeout: 60_000 }).toMatchObject({ activity: 'while away' });
  expect(streams).toHaveLength(2);
});

test('[AUTH-1] a refused token ends all attempts with the reason of the host; so does a signal, with its own', async () => {
  const url = await serve(new FakeHost());
  const refused = connectStream({
    open: async () => ({ stream: await openHostSocket({ url }), url, token: 'wrong' }),
  });
  await expect(refused).rejects.toThrow(Unauthorized);
  await expect(refused).rejects.toMatchObject({ refusal: { status: 401, reason: 'the token is off' } });
  const failed = connectStream({ open: () => Promise.reject(new CannotConnect('no program ssh')) });
  await expect(failed).rejects.toThrow('no program ssh');
  const giveUp = new AbortController();
  const never = connectStream({ open: () => new Promise(() => undefined), signal: giveUp.signal });
  giveUp.abort(new Error('too slow'));
  await expect(never).rejects.toThrow('too slow');
});
