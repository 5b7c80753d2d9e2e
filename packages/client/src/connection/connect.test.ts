import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { WEBSOCKET_SERVER_OPTIONS, wrapServerSocket } from '@agenthost/rpc/websocket-server';
import { afterEach, expect, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { chatState, FakeHost } from '../../test/fake-host.ts';
import { connect } from './connect.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** A real HTTP server with the fake host behind a token. */
async function serve(
  host: FakeHost,
  port = 0,
): Promise<{ port: number; http: Server; sockets: WebSocketServer; paths: string[] }> {
  const paths: string[] = [];
  const sockets = new WebSocketServer({ ...WEBSOCKET_SERVER_OPTIONS, noServer: true });
  const http = createServer((request, response) => {
    const status = request.url === '/readyz' ? 200 : request.url?.includes('token=secret') ? 426 : 401;
    response
      .writeHead(status, { 'content-type': 'text/plain', 'content-length': 17 })
      .end('the token is off\n');
  });
  http.on('upgrade', (request, socket, head) => {
    paths.push(request.url ?? '');
    if (!request.url?.includes('token=secret')) {
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
  return { port: address.port, http, sockets, paths };
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
  expect(first.paths).toEqual(['/ahp?token=secret']);
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

test('[AUTH-1] a refusal and an unreachable host are different errors, and neither contains the token', async () => {
  const { port, paths } = await serve(new FakeHost());
  const refused = await connect(`ws://127.0.0.1:${port}/`, { token: 'wrong-token' }).catch(
    (error: unknown) => error,
  );
  expect(refused).toMatchObject({
    name: 'Unauthorized',
    refusal: { status: 401, reason: 'the token is off' },
  });
  expect(refused instanceof Error && refused.message).not.toContain('wrong-token');
  expect(new Set(paths)).toEqual(new Set(['/ahp?token=wrong-token']));
  for (const cleanup of cleanups.splice(0)) await cleanup();
  const absent = await connect(`ws://127.0.0.1:${port}/ahp`, { token: 'secret-token' }).catch(
    (error: unknown) => error,
  );
  expect(absent).toMatchObject({ name: 'CannotConnect' });
  expect(absent instanceof Error && absent.message).not.toContain('secret-token');
});

test('an invalid URL rejects', async () => {
  await expect(connect('not a url')).rejects.toThrow(TypeError);
});
