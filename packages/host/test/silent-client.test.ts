import { once } from 'node:events';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { JournalError } from '../src/journal/journal.ts';
import { MemoryJournal } from '../src/journal/memory/memory-journal.ts';
import { createHost } from '../src/main/create-host.ts';
import { ROOT, startHost } from './host-fixture.ts';
import { PuppetAgent } from './puppet-agent.ts';

test('a client that is silent for two minutes is disconnected, and one that sometimes sends a frame is not', async () => {
  const host = await startHost();
  const [silent, sleepy] = [await host.client('silent'), await host.client('sleepy')];
  let checks = 0;
  Object.assign(silent.link.host, { probe: () => false });
  Object.assign(sleepy.link.host, { probe: () => (checks += 1) % 8 === 0 });
  await host.advance(115_000);
  expect(silent.closed).toBeUndefined();
  expect(host.host.core.hub.clients.inMemory('silent')).toBeDefined();
  await host.advance(10_000);
  expect(silent.closed).toBeDefined();
  expect(host.host.core.hub.clients.inMemory('silent')).toBeUndefined();
  expect(host.logged).toContain('a client gives no sign of life; its connection is closed');
  await host.advance(600_000);
  expect(sleepy.closed).toBeUndefined();
  expect(checks).toBeGreaterThan(40);
});

test('a connection without a handshake within 30 s is closed, whatever else it sends; its next attempt is accepted', async () => {
  const host = await startHost();
  const [strange, refused, arriving] = [
    host.connect('strange'),
    host.connect('refused'),
    host.connect('arriving'),
  ];
  refused.ask('reconnect', { clientId: '', lastSeenServerSeq: 0, subscriptions: [] });
  await host.run();
  const gate = Promise.withResolvers<void>();
  host.journal.gates.afterRead = () => gate.promise;
  const asked = arriving.ask('initialize', {
    channel: ROOT,
    protocolVersions: ['1.0.0'],
    clientId: 'arriving',
  });
  await host.advance(29_000);
  expect(strange.closed).toBeUndefined();
  const ping = strange.ask('ping', { channel: ROOT });
  await host.advance(17_000);
  expect(strange.answerTo(ping)).toBeDefined();
  for (const each of [strange, refused]) {
    expect(each.closed).toEqual({ code: 4004, reason: 'no initialize or reconnect within 30 seconds' });
  }
  await host.advance(60_000);
  gate.resolve();
  await host.run();
  expect(arriving.answerTo(asked)).toBeDefined();
  expect(arriving.closed).toBeUndefined();
  expect((await host.client('strange')).closed).toBeUndefined();
});

test('a connection whose handshake waits for a database that does not answer is not blamed, and learns the reason', async () => {
  const host = await startHost();
  const working = await host.client();
  const commit = Promise.withResolvers<void>();
  host.journal.gates.beforeCommit = () => commit.promise;
  working.ask('createSession', { channel: 'ahp-session:/s', provider: 'puppet' });
  await host.run();
  host.journal.gates.afterRead = () => {
    throw new JournalError('unreachable', 'no answer from PostgreSQL at 10.0.0.1:5432');
  };
  const params = { channel: ROOT, protocolVersions: ['1.0.0'], clientId: 'arriving' };
  const arriving = host.connect('arriving');
  const asked = arriving.ask('initialize', params);
  await host.run();
  const message =
    'The database of the host does not answer; the host keeps trying to reach it: try again later';
  expect(arriving.answerTo(asked)).toMatchObject({ error: { code: -32603, message } });
  expect(host.logged).toContain('a request failed inside the host');
  // An answer that is not sent at once waits for the commit.
  const refused = host.connect('refused');
  refused.ask('reconnect', { clientId: '', lastSeenServerSeq: 0, subscriptions: [] });
  await host.advance(60_000);
  expect(refused.closed).toBeUndefined();
  commit.resolve();
});

test('over a real socket, a client that never reads is closed in the end, and an idle client stays', async () => {
  // Timers a hundred times as fast.
  const after = (delayMs: number, callback: () => void): (() => void) => {
    const timer = setTimeout(callback, delayMs / 100);
    return () => clearTimeout(timer);
  };
  const cut = Promise.withResolvers<object>();
  const host = createHost({
    log: {
      debug: () => undefined,
      info: () => undefined,
      error: () => undefined,
      warn: (fields) => cut.resolve(fields),
    },
    journal: new MemoryJournal(),
    agents: [() => new PuppetAgent()],
    timers: { after, immediate: (callback) => void setImmediate(callback) },
    listen: { port: 0, token: 'a-token-that-is-long-enough' },
  });
  const address = await host.start();
  const open = async (clientId: string): Promise<WebSocket> => {
    const socket = new WebSocket(`${address?.wsUrl}?token=${address?.token}`);
    await once(socket, 'open');
    const params = { channel: 'ahp-root://', protocolVersions: ['1.0.0'], clientId };
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }));
    await once(socket, 'message');
    return socket;
  };
  const [idle, deaf] = [await open('idle'), await open('deaf')];
  deaf.on('error', () => undefined); // Followed by 'close'.
  deaf.pause();
  await expect(cut.promise).resolves.toEqual({ client: 'deaf' });
  expect(idle.readyState).toBe(WebSocket.OPEN);
  deaf.terminate();
  await host.stop();
  if (idle.readyState !== WebSocket.CLOSED) await once(idle, 'close');
});
