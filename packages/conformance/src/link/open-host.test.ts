import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { openHost } from './open-host.ts';

let server: WebSocketServer;
afterEach(() => {
  for (const socket of server.clients) socket.terminate();
  server.close();
});

test('[AUTH-1] the token is sent in a header, except for one that no header can hold', async () => {
  server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  const seen: (string | undefined)[][] = [];
  server.on('connection', (_, { url, headers }: IncomingMessage) => {
    seen.push([url, headers.authorization]);
  });
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const url = `http://127.0.0.1:${address.port}`;
  for (const host of [
    { url, token: 'secret' },
    { url: `${url}/h/one/ahp?token=typed&x=1` },
    { url, token: 'two words' },
    { url: `${url}?tkn=code` },
  ]) {
    const transport = await openHost(host, AbortSignal.timeout(60_000));
    transport.close();
  }
  expect(seen).toEqual([
    ['/ahp', 'Bearer secret'],
    ['/h/one/ahp?x=1', 'Bearer typed'],
    ['/ahp?token=two+words', undefined],
    ['/ahp?tkn=code', undefined],
  ]);
});
