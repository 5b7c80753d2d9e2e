import { createClient, RpcError } from '@agenthost/client';
import { ROOT_URI, SessionStatus } from '@agenthost/protocol';
import { expect, test } from 'vitest';
import { savedHostTransport } from './saved-host.ts';
import type { SavedChannel, SavedHost } from './saved-states.ts';

const chat = 'ahp-chat:/1';

function savedHost(host: SavedHost | undefined, channels: readonly SavedChannel[]) {
  return savedHostTransport({
    host: () => Promise.resolve(host),
    channel: (uri) => Promise.resolve(channels.find((each) => each.uri === uri)),
  });
}

async function connected(...channels: readonly SavedChannel[]) {
  const summary = {
    resource: 'ahp-session:/1',
    provider: 'demo',
    title: 'Bread',
    status: SessionStatus.Idle,
    createdAt: '2026-01-01T00:00:00.000Z',
    modifiedAt: '2026-01-01T00:00:00.000Z',
  };
  const client = createClient({
    transport: () => Promise.resolve(savedHost({ sessions: [summary], savedAt: 0 }, channels)),
  });
  await client.connect();
  return client;
}

test('a client reads the saved list and the saved states, with the scope observe', async () => {
  const state = {
    resource: chat,
    title: 'Bread',
    status: SessionStatus.Idle,
    modifiedAt: '2026-01-01T00:00:00.000Z',
    turns: [],
  };
  const client = await connected({ uri: chat, state, savedAt: 0 });
  expect(client.scope).toBe('observe');
  const { items } = await client.request('listSessions', { channel: ROOT_URI });
  expect(items.map(({ title }) => title)).toEqual(['Bread']);
  const mirror = await client.subscribe(chat, { kind: 'chat' });
  expect(mirror.state).toEqual(state);
  client.close();
});

test('channels without a copy and requests that change something are refused', async () => {
  const client = await connected();
  await expect(client.subscribe(chat, { kind: 'chat' })).rejects.toThrow('no copy');
  await expect(client.sessions.dispose('ahp-session:/1')).rejects.toBeInstanceOf(RpcError);
  client.close();
});
