import type { PresenceChangedParams, SetPresenceParams } from '@agenthost/protocol';
import { expect, test } from 'vitest';
import { type HostFixture, ROOT, SESSION, startHost } from './host-fixture.ts';
import type { RawClient } from './raw-client.ts';

const told = (client: RawClient): PresenceChangedParams[] =>
  JSON.parse(JSON.stringify(client.notifications('x-presenceChanged')));

const namesIn = (params: PresenceChangedParams | undefined): string[] =>
  (params?.clients ?? []).map(({ clientId }) => clientId);

async function set(
  host: HostFixture,
  client: RawClient,
  params: Omit<SetPresenceParams, 'channel'>,
): Promise<void> {
  await client.request('x-setPresence', { channel: ROOT, ...params });
  await host.run();
}

test('a client that reports its presence gets the list at once, itself included', async () => {
  const host = await startHost();
  const page = await host.client('page', { clientInfo: { name: 'web', title: 'Web page' } });
  await set(host, page, { isVisible: true, showing: [SESSION], device: 'Chrome on Android' });
  expect(told(page)).toEqual([
    {
      channel: ROOT,
      clients: [
        {
          clientId: 'page',
          name: 'Web page',
          device: 'Chrome on Android',
          scope: 'admin',
          showing: [SESSION],
          isVisible: true,
          connectedAt: new Date(host.clock.now()).toISOString(),
        },
      ],
    },
  ]);
});

test('a client without a report is listed with its subscriptions and gets nothing', async () => {
  const host = await startHost();
  const cli = await host.client('cli');
  const { chat } = await host.session(cli);
  const page = await host.client('page');
  await set(host, page, { isVisible: false });
  const [list] = told(page);
  expect(list?.clients.find(({ clientId }) => clientId === 'cli')).toMatchObject({
    name: 'client',
    showing: [SESSION, chat],
    isVisible: false,
  });
  expect(namesIn(list)).toEqual(['page', 'cli']);
  await host.advance(10_000);
  expect(told(cli)).toEqual([]);
});

test('changes within 250 ms are sent together, the first one at once', async () => {
  const host = await startHost();
  const page = await host.client('page');
  await set(host, page, { isVisible: true });
  await host.advance(1_000);
  page.clear();
  const others = await Promise.all(['a', 'b', 'c'].map((id) => host.client(id)));
  await host.run();
  expect(told(page)).toHaveLength(1);
  others[0]?.link.cut();
  others[1]?.link.cut();
  await host.advance(249);
  expect(told(page)).toHaveLength(1);
  await host.advance(1);
  expect(told(page)).toHaveLength(2);
  expect(namesIn(told(page)[1])).toEqual(['page', 'c']);
  await host.advance(10_000);
  expect(told(page)).toHaveLength(2);
});

test('a report that does not change the list is not sent', async () => {
  const host = await startHost();
  const page = await host.client('page');
  await set(host, page, { isVisible: true });
  await host.advance(1_000);
  await set(host, page, { isVisible: true });
  await host.advance(1_000);
  expect(told(page)).toHaveLength(1);
});

test('the place where a person types is sent, until the client reports another', async () => {
  const host = await startHost();
  const page = await host.client('page');
  await set(host, page, { isVisible: true });
  const phone = await host.client('phone');
  const typing = { chat: 'ahp-chat:/x', requestId: 'r', questionId: 'q' };
  await set(host, phone, { isVisible: true, typing });
  await host.advance(250);
  expect(told(page).at(-1)?.clients[1]).toMatchObject({ clientId: 'phone', typing });
  await set(host, phone, { isVisible: true });
  await host.advance(250);
  expect(told(page).at(-1)?.clients[1]).not.toHaveProperty('typing');
});

test('a new connection of a client has to report its presence again', async () => {
  const host = await startHost();
  const first = await host.client('page');
  await set(host, first, { isVisible: true, showing: [SESSION] });
  const watcher = await host.client('watcher');
  await set(host, watcher, { isVisible: false });
  const second = await host.client('page');
  await host.advance(1_000);
  const seen = told(watcher)
    .at(-1)
    ?.clients.find(({ clientId }) => clientId === 'page');
  expect(seen).toMatchObject({ showing: [], isVisible: false });
  expect(told(second)).toEqual([]);
});

test('a list names at most 256 clients, those with a report first, and counts the others', async () => {
  const host = await startHost();
  for (let index = 0; index < 260; index += 1) await host.client(`c${index}`);
  const page = await host.client('page');
  await set(host, page, { isVisible: true });
  const [list] = told(page);
  expect(list?.clients).toHaveLength(256);
  expect(list?.clients[0]?.clientId).toBe('page');
  expect(list?.more).toBe(5);
});

test('a seventeenth channel and a name of a device with other characters than text', async () => {
  const host = await startHost();
  const page = await host.client('page');
  const showing = Array.from({ length: 17 }, (_, index) => `ahp-session:/${index}`);
  await expect(
    page.request('x-setPresence', { channel: ROOT, isVisible: true, showing }),
  ).rejects.toMatchObject({ code: -32602 });
  await set(host, page, { isVisible: true, device: 'Chrome\u202e\n on Android' });
  expect(told(page)[0]?.clients[0]?.device).toBe('Chrome on Android');
});
