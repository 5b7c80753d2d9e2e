import type { PresentClient } from '@agenthost/protocol';
import { methodNotFound } from '@agenthost/protocol';
import { RpcError } from '@agenthost/rpc';
import { expect, test } from 'vitest';
import { Harness } from '../../test/harness.ts';

const PHONE: PresentClient = {
  clientId: 'phone',
  name: 'Web',
  scope: 'interact',
  showing: [],
  isVisible: true,
  connectedAt: '2026-01-01T00:00:00.000Z',
};

function harness(): Harness {
  const made = new Harness();
  made.host.answers.set('x-setPresence', () => null);
  return made;
}

const told = ({ host }: Harness): unknown[] =>
  host.requests
    .filter(({ method }) => method === 'x-setPresence')
    .map(({ params }) => JSON.parse(JSON.stringify(params)).showing);

test('the first presence is sent at once, later ones together after 250 ms', async () => {
  const at = await harness().online();
  for (const uri of ['a', 'b', 'c']) at.client.presence.set({ isVisible: true, showing: [uri] });
  await at.settle();
  expect(told(at)).toEqual([['a']]);
  at.clock.advance(250);
  await at.settle();
  expect(told(at)).toEqual([['a'], ['c']]);
  at.clock.advance(1_000);
  at.client.presence.set({ isVisible: true, showing: ['c'] });
  await at.settle();
  expect(told(at)).toHaveLength(2);
});

test('the present presence is sent again after a reconnect, and one set while offline with it', async () => {
  const at = await harness().online();
  at.client.presence.set({ isVisible: true, showing: ['a'] });
  await at.settle();
  await at.cut();
  await at.comeBack();
  expect(told(at)).toEqual([['a'], ['a']]);
  await at.cut();
  at.client.presence.set({ isVisible: true, showing: ['b'] });
  await at.comeBack();
  expect(told(at)).toEqual([['a'], ['a'], ['b']]);
});

test('the list follows the host and is empty without a connection', async () => {
  const at = await harness().online();
  const seen: number[] = [];
  at.client.presence.onChange((clients) => seen.push(clients.length));
  at.host.connections[0]?.peer.notify('x-presenceChanged', {
    channel: 'ahp-root://',
    clients: [PHONE],
    more: 2,
  });
  await at.settle();
  expect(at.client.presence.clients).toEqual([PHONE]);
  expect(at.client.presence.more).toBe(2);
  await at.cut();
  expect(at.client.presence.clients).toEqual([]);
  expect(seen).toEqual([1, 0]);
});

test('a host without presence is no error; another refusal is reported', async () => {
  const at = await harness().online();
  const { code, message } = methodNotFound('x-setPresence');
  at.host.refuse = (method) => (method === 'x-setPresence' ? new RpcError(code, message) : undefined);
  at.client.presence.set({ isVisible: true });
  await at.settle();
  expect(at.errors).toEqual([]);
  at.host.refuse = (method) => (method === 'x-setPresence' ? new RpcError(-32602, 'no') : undefined);
  at.clock.advance(250);
  at.client.presence.set({ isVisible: false });
  await at.settle();
  expect(at.errors).toHaveLength(1);
});
