import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { WEBSOCKET_SERVER_OPTIONS, wrapServerSocket } from '@agenthost/rpc/websocket-server';
import { afterEach, expect, test, vi } from 'vitest';
import { WebSocketServer } from 'ws';
import { chatState, FakeHost } from '../../test/fake-host.ts';
import { connect } from './connect.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Where the token of a request is. */
const placesOf = ({ url = '', headers }: IncomingMessage): string => `${url} ${headers.authorization ?? '-'}`;
const isAllowed = (request: IncomingMessage): boolean => placesOf(request).includes('secret');

/** A real HTTP server with the fake host behind a token. `requests`: path and header of each. */
async function serve(
  host: FakeHost,
  port = 0,
): Promise<{ port: number; http: Server; sockets: WebSocketServer; requests: string[] }> {
  const requests: string[] = [];
  const sockets = new WebSocketServer({ ...WEBSOCKET_SERVER_OPTIONS, noServer: true });
  const http = createServer((request, response) => {
    requests.push(placesOf(request));
    const status = request.url === '/readyz' ? 200 : isAllowed(request) ? 426 : 401;
    response
      .writeHead(status, { 'content-type': 'text/plain', 'content-length': 17 })
      .end('the token is off\n');
  });
  http.on('upgrade', (request, socket, head) => {
    requests.push(placesOf(request));
    if (!isAllowed(request)) {
      socket.end('HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n');
      return;
    }
    sockets.handleUpgrade(request, socket, head, (accepted) => host.accept(wrapServerSocket(accepted)));
  });
  http.listen(port, '127.0.0.1');
  await once(http, 'listening');
  const address = http.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  cleanups.push(async () => {
    for (const socket of sockets.clients) socket.terminate();
    if (!http.listening) return;
    http.close();
    http.closeAllConnections();
    await once(http, 'close');
  });
  return { port: address.port, http, sockets, requests };
}

test('connects over a real WebSocket with a token, mirrors a channel, and reconnects after a restart of the host', async () => {
  const host = new FakeHost();
  host.states.set('ahp-chat:/a', chatState('ahp-chat:/a'));
  const first = await serve(host);
  const client = await connect(`http://127.0.0.1:${first.port}`, {
    token: 'secret',
    backoff: { minMs: 5, maxMs: 20 },
  });
  cleanups.push(() => client.close());
  expect(first.requests).toEqual(['/ahp Bearer secret']);
  expect(client.host).toMatchObject({ protocolVersion: '1.0.0', serverInfo: { name: 'fake' } });
  const mirror = await client.subscribe('ahp-chat:/a');
  await expect(
    mirror.dispatch({ type: 'chat/draftChanged', draft: { text: 'd', origin: { kind: 'user' } } }),
  ).resolves.toMatchObject({
    outcome: 'accepted',
  });

  for (const socket of first.sockets.clients) socket.terminate();
  first.http.close();
  first.http.closeAllConnections();
  await once(first.http, 'close');
  const offline = mirror.dispatch({ type: 'chat/draftChanged' });
  host.emit('ahp-chat:/a', { type: 'chat/activityChanged', activity: 'while away' });
  await serve(host, first.port);
  await expect(offline).resolves.toMatchObject({ outcome: 'accepted' });
  expect(mirror.state).toMatchObject({ activity: 'while away' });
  expect(mirror.state.draft).toBeUndefined();
});

test('[AUTH-1] a refusal and an unreachable host are different errors; the token is in neither, and in no address', async () => {
  const { port, requests } = await serve(new FakeHost());
  const refused = await connect(`ws://127.0.0.1:${port}/`, { token: 'wrong-token' }).catch(
    (error: unknown) => error,
  );
  expect(refused).toMatchObject({
    name: 'Unauthorized',
    refusal: { status: 401, reason: 'the token is off' },
  });
  expect(refused instanceof Error && refused.message).not.toContain('wrong-token');
  expect(new Set(requests)).toEqual(new Set(['/ahp Bearer wrong-token']));
  for (const cleanup of cleanups.splice(0)) await cleanup();
  const absent = await connect(`ws://127.0.0.1:${port}/ahp`, { token: 'secret-token' }).catch(
    (error: unknown) => error,
  );
  expect(absent).toMatchObject({ name: 'CannotConnect' });
  expect(absent instanceof Error && absent.message).not.toContain('secret-token');
});

test('[AUTH-1] a browser sends the token in the address, and Node one that no header can hold', async () => {
  const { port, requests } = await serve(new FakeHost());
  const refused = { name: 'Unauthorized' };
  await expect(connect(`http://127.0.0.1:${port}/?token=none%20ü`)).rejects.toMatchObject(refused);
  vi.stubGlobal('document', {});
  try {
    await expect(connect(`http://127.0.0.1:${port}`, { token: 'none' })).rejects.toMatchObject(refused);
  } finally {
    vi.unstubAllGlobals();
  }
  expect(new Set(requests)).toEqual(new Set(['/ahp?token=none%20%C3%BC -', '/ahp?token=none -']));
});

test('an invalid URL rejects', async () => {
  await expect(connect('not a url')).rejects.toThrow(TypeError);
});
