import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type * as stream from '@agenthost/client/stream';
import { expect, onTestFinished, test, vi } from 'vitest';
import { FakeContext } from '../../test/fake-context.ts';
import { announceHost } from '../host-link/discovery.ts';
import { hostsFolder } from '../process/files.ts';
import { Screen } from '../render/screen.ts';
import { linkHost, portArguments } from './link-host.ts';

// Holds back what is written until the end, as a send buffer that is full does.
vi.mock('@agenthost/client/stream', async (importOriginal) => {
  const original = await importOriginal<typeof stream>();
  return {
    ...original,
    openHostSocket: async (...args: Parameters<typeof original.openHostSocket>) => {
      const socket = await original.openHostSocket(...args);
      socket.cork();
      return socket;
    },
  };
});

test('input that is not sent yet when the input ends reaches the host', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'link-host-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const server = createServer();
  const connected = once(server, 'connection');
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const url = `http://127.0.0.1:${address.port}`;
  const context = new FakeContext();
  context.env['XDG_STATE_HOME'] = folder;
  await announceHost(hostsFolder(context), {
    url,
    wsUrl: `${url}/ahp`,
    token: 'own',
    dataDir: folder,
    version: '1.2.3',
    startedAt: '2026-01-01T00:00:00Z',
  });
  const linked = linkHost(context, new Screen(context), {});
  const [socket] = await connected;
  const received = text(socket);
  await vi.waitUntil(() => context.out.includes('\n'), { timeout: 60_000 });
  context.stdin.end('last words');
  expect(await linked).toBe(0);
  expect(await received).toBe('last words');
});

test('a host over ssh takes a free port if another program has the default one', async () => {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  expect(await portArguments({}, port)).toEqual(['--port', '0']);
  expect(await portArguments({ AGENTHOST_PORT: '4790' }, port)).toEqual([]);
  server.close();
  // The system picks a port that is free.
  expect(await portArguments({}, 0)).toEqual([]);
});
