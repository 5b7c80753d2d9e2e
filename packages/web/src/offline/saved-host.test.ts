import { createClient, RpcError } from '@agenthost/client';
import { ROOT_URI, SessionStatus } from '@agenthost/protocol';
import { expect, test } from 'vitest';
import { savedHostTransport } from './saved-host.ts';
import type { SavedChannel, SavedHost } from './saved-states.ts';

const chat = 'ahp-chat:/1';
const chatState = {
  resource: chat,
  title: 'Bread',
  status: SessionStatus.Idle,
  modifiedAt: '2026-01-01T00:00:00.000Z',
  turns: [],
};

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
  const client = await connected({ uri: chat, state: chatState, savedAt: 0 });
  expect(client.scope).toBe('observe');
  const { items } = await client.request('listSessions', { channel: ROOT_URI });
  expect(items.map(({ title }) => title)).toEqual(['Bread']);
  const mirror = await client.subscribe(chat, { kind: 'chat' });
  expect(mirror.state).toEqual(chatState);
  client.close();
});

test('a message that waits to be sent shows on the saved state, and is not sent', async () => {
  const action = {
    type: 'chat/turnStarted',
    turnId: 't1',
    startedAt: '2026-01-01T00:00:00.000Z',
    message: { text: 'Knead it', origin: { kind: 'user' } },
  };
  const life = {
    version: 1,
    clientId: 'c',
    epoch: 'e',
    nextClientSeq: 2,
    pending: [{ channel: chat, clientSeq: 1, at: Date.now(), action }],
  };
  const saved: string[] = [];
  const transport = savedHost({ sessions: [], savedAt: 0 }, [{ uri: chat, state: chatState, savedAt: 0 }]);
  const sent: string[] = [];
  const client = createClient({
    memory: { load: () => JSON.stringify(life), save: (text) => saved.push(text) },
    holdsActions: true,
    transport: () =>
      Promise.resolve({
        ...transport,
        send: (frame: string) => {
          sent.push(frame);
          transport.send(frame);
        },
      }),
  });
  await client.connect();
  const mirror = await client.subscribe(chat, { kind: 'chat' });
  expect(mirror.state.activeTurn?.message.text).toBe('Knead it');
  expect(mirror.confirmed.activeTurn).toBeUndefined();
  client.close();
  expect(sent.join('')).not.toContain('Knead');
  expect(saved).toEqual([]);
});

test('channels without a copy and requests that change something are refused', async () => {
  const client = await connected();
  await expect(client.subscribe(chat, { kind: 'chat' })).rejects.toThrow('no copy');
  await expect(client.sessions.dispose('ahp-session:/1')).rejects.toBeInstanceOf(RpcError);
  client.close();
});
