import type { PushDevice } from '@agenthost/protocol';
import { turnStarted } from '@agenthost/testkit';
import { type FixtureOptions, type HostFixture, ROOT, startHost } from './host-fixture.ts';
import { arrived, PushService, type ReceivedPush, testPush } from './push-service.ts';
import type { RawClient } from './raw-client.ts';

/** A host with a session and a subscribed device. */
export async function stage(options: FixtureOptions = {}) {
  const service = await PushService.start();
  const host = await startHost({ push: { allowLoopback: true }, ...options });
  const client = await host.client('cli');
  const { chat } = await host.session(client);
  const device = await subscribe(service, client, '/phone');
  return { service, host, client, chat, device };
}

/** Subscribes a browser; resolves with the id of the device. */
export async function subscribe(
  service: PushService,
  client: RawClient,
  path: string,
  more: { locale?: string } = {},
): Promise<string> {
  const { subscription } = service.browsers.get(path) ?? service.browser(path);
  const params = { channel: ROOT, subscription, device: `Browser ${path}`, ...more } as const;
  return (await client.request('x-subscribePush', params)).id;
}

/** The devices that a client sees. */
export async function list(client: RawClient): Promise<PushDevice[]> {
  return (await client.request('x-listPush', { channel: ROOT })).items;
}

/** Starts a turn. */
export async function begin(
  host: HostFixture,
  client: RawClient,
  chat: string,
  turnId = 't1',
): Promise<void> {
  await client.act(chat, turnStarted(turnId));
  await host.run();
}

/** Completes the turn with this answer. */
export async function endTurn(host: HostFixture, text = 'All done.\nMore.'): Promise<void> {
  void host.agent.turn.output.markdown(text);
  host.agent.turn.complete();
  await host.run();
}

/** The agent asks for permission. */
export async function ask(host: HostFixture, toolCallId = 'call'): Promise<void> {
  const call = host.agent.turn.output.toolCall({ toolCallId, toolName: 'shell', displayName: 'Shell' });
  void call.confirm({ invocationMessage: 'Run `npm test`', toolInput: '{}' });
  await host.run();
}

/** The pushes when this time has passed. A test that is sent then arrives behind all others. */
export async function after(
  { host, service, client }: { host: HostFixture; service: PushService; client: RawClient },
  ms = 60_000,
): Promise<readonly ReceivedPush[]> {
  await host.advance(ms);
  const [device] = await list(client);
  await testPush(host, client, device?.id ?? '');
  return arrived(host, service, 0);
}
