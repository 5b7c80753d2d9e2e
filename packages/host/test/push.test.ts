import type { PushDevice, StateAction } from '@agenthost/protocol';
import { approved, turnStarted } from '@agenthost/testkit';
import { describe, expect, test } from 'vitest';
import type { TokenIdentity } from '../src/auth/access-tokens.ts';
import { type FixtureOptions, type HostFixture, ROOT, SESSION, startHost } from './host-fixture.ts';
import { arrived, PushService, type ReceivedPush, testPush, vapidClaims } from './push-service.ts';
import type { RawClient } from './raw-client.ts';

const WORKER: TokenIdentity = { tokenHash: 'worker', scope: 'interact' };

/** A host with a session and a subscribed device. */
async function stage(options: FixtureOptions = {}) {
  const service = await PushService.start();
  const host = await startHost({ push: { allowLoopback: true }, ...options });
  const client = await host.client('cli');
  const { chat } = await host.session(client);
  const device = await subscribe(service, client, '/phone');
  return { service, host, client, chat, device };
}

async function subscribe(
  service: PushService,
  client: RawClient,
  path: string,
  more: { locale?: string } = {},
): Promise<string> {
  const { subscription } = service.browsers.get(path) ?? service.browser(path);
  const params = { channel: ROOT, subscription, device: `Browser ${path}`, ...more } as const;
  return (await client.request('x-subscribePush', params)).id;
}

async function list(client: RawClient): Promise<PushDevice[]> {
  return (await client.request('x-listPush', { channel: ROOT })).items;
}

async function begin(host: HostFixture, client: RawClient, chat: string, turnId = 't1'): Promise<void> {
  await client.act(chat, turnStarted(turnId));
  await host.run();
}

async function endTurn(host: HostFixture, text = 'All done.\nMore.'): Promise<void> {
  void host.agent.turn.output.markdown(text);
  host.agent.turn.complete();
  await host.run();
}

/** The agent asks for permission. */
async function ask(host: HostFixture, toolCallId = 'call'): Promise<void> {
  const call = host.agent.turn.output.toolCall({ toolCallId, toolName: 'shell', displayName: 'Shell' });
  void call.confirm({ invocationMessage: 'Run `npm test`', toolInput: '{}' });
  await host.run();
}

/** The pushes when this time has passed. A test that is sent then arrives behind all others. */
async function after(
  { host, service, client }: { host: HostFixture; service: PushService; client: RawClient },
  ms = 60_000,
): Promise<readonly ReceivedPush[]> {
  await host.advance(ms);
  const [device] = await list(client);
  await testPush(host, client, device?.id ?? '');
  return arrived(host, service, 0);
}

describe('a question', () => {
  test('that still waits after a second is pushed, with its answers', async () => {
    const { service, host, client, chat } = await stage();
    await client.act(SESSION, { type: 'session/titleChanged', title: 'Tests' });
    await begin(host, client, chat);
    await ask(host);
    await host.advance(999);
    expect(service.received).toEqual([]);
    await host.advance(1);
    const [push] = await arrived(host, service, 1);
    const id = `${chat}#call/call`;
    expect(push?.payload).toEqual({
      kind: 'inputNeeded',
      host: expect.any(String),
      session: SESSION,
      chat,
      title: 'Tests',
      body: 'Run npm test',
      tag: expect.stringMatching(/^[\w-]{32}$/),
      url: `/s/${encodeURIComponent(SESSION)}?chat=${encodeURIComponent(chat)}&ask=${encodeURIComponent(id)}`,
      actions: [
        { action: 'allow', title: 'Allow' },
        { action: 'deny', title: 'Deny' },
      ],
      ticket: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect(push?.headers).toMatchObject({ ttl: '86400', urgency: 'high', topic: push?.payload.tag });
    const { publicKey } = await client.request('x-pushKey', { channel: ROOT });
    expect(push && vapidClaims(push, publicKey)).toMatchObject({ aud: service.url });
  });

  test('answered within a second is not pushed', async () => {
    const { service, host, client, chat } = await stage();
    await begin(host, client, chat);
    await ask(host);
    await host.advance(500);
    await client.act(chat, approved('t1', 'call'));
    expect(await after({ host, service, client })).toEqual([]);
  });

  test('that the policy answers is not pushed', async () => {
    const { service, host, client, chat } = await stage();
    await client.act(SESSION, { type: 'session/configChanged', config: { approvals: 'all' } });
    await begin(host, client, chat);
    await ask(host);
    expect(await after({ host, service, client })).toEqual([]);
  });

  test('is pushed once, whatever drafts of its answer change', async () => {
    const { service, host, client, chat } = await stage();
    await begin(host, client, chat);
    const questions = [{ kind: 'text' as const, id: 'q', message: '**Which** colour?' }];
    void host.agent.turn.output.ask({ requestId: 'r', questions });
    await host.run();
    const draft: StateAction = {
      type: 'chat/inputAnswerChanged',
      requestId: 'r',
      questionId: 'q',
      answer: { state: 'draft', value: { kind: 'text', value: 'gr' } },
    };
    await host.advance(1_000);
    const [push] = await arrived(host, service, 1);
    expect(push?.payload).toMatchObject({ kind: 'inputNeeded', body: 'Which colour?' });
    expect(push?.payload).not.toHaveProperty('actions');
    expect(await client.act(chat, draft)).not.toHaveProperty('rejectionReason');
    expect(await after({ host, service, client })).toHaveLength(1);
  });

  test('a token that may only look gets no answers', async () => {
    const { service, host, client, chat, device } = await stage();
    await client.request('x-revokePush', { channel: ROOT, id: device });
    const observer = await host.client('o', {}, { tokenHash: 'o', scope: 'observe' });
    await subscribe(service, observer, '/observer');
    await begin(host, client, chat);
    await ask(host);
    await host.advance(1_000);
    const [push] = await arrived(host, service, 1);
    expect(push?.payload.kind).toBe('inputNeeded');
    expect(push?.payload).not.toHaveProperty('ticket');
  });
});

describe('the end of a turn', () => {
  test('is pushed with the first line of the answer', async () => {
    const { service, host, client, chat } = await stage();
    await begin(host, client, chat);
    await endTurn(host, '## Fixed\u202e it\n\nThe rest.');
    await host.advance(1_000);
    const [push] = await arrived(host, service, 1);
    expect(push?.payload).toMatchObject({ kind: 'turnEnded', body: 'Fixed it', chat });
    expect(push?.payload).not.toHaveProperty('actions');
    const [device] = await list(client);
    expect(device).toMatchObject({ lastSentAt: new Date(host.clock.now()).toISOString() });
  });

  test('by an error is pushed with the error', async () => {
    const { service, host, client, chat } = await stage();
    await begin(host, client, chat);
    host.agent.turn.fail(new Error('No credits left'));
    await host.advance(1_000);
    const [push] = await arrived(host, service, 1);
    expect(push?.payload).toMatchObject({
      kind: 'turnEnded',
      body: expect.stringContaining('No credits left'),
    });
  });

  test('by a person is not pushed', async () => {
    const { service, host, client, chat } = await stage();
    await begin(host, client, chat);
    await client.act(chat, { type: 'chat/turnCancelled', turnId: 't1', duration: 1 });
    expect(await after({ host, service, client })).toEqual([]);
  });

  test('is not pushed when a queued message follows at once', async () => {
    const { service, host, client, chat } = await stage();
    await begin(host, client, chat);
    const message = { text: 'next', origin: { kind: 'user' as const } };
    await client.act(chat, { type: 'chat/pendingMessageSet', kind: 'queued', id: 'm', message });
    await endTurn(host);
    expect(await after({ host, service, client })).toEqual([]);
  });

  test('of a worker chat is not pushed, and a question of it is', async () => {
    const { service, host, client, chat } = await stage();
    await begin(host, client, chat);
    const { output } = host.agent.turn;
    const call = output.toolCall({ toolCallId: 'w', toolName: 'task', displayName: 'Task' });
    call.run({ invocationMessage: 'Works', toolInput: '{}' });
    const worker = output.spawnChat({ toolCallId: 'w', title: 'Worker' });
    const turn = worker.turn('Do it');
    const inner = turn.output.toolCall({ toolCallId: 'x', toolName: 'shell', displayName: 'Shell' });
    void inner.confirm({ invocationMessage: 'Run it', toolInput: '{}' });
    await host.advance(1_000);
    const [push] = await arrived(host, service, 1);
    expect(push?.payload).toMatchObject({ kind: 'inputNeeded', chat: worker.uri });
    turn.end();
    expect(await after({ host, service, client })).toHaveLength(1);
  });
});

describe('no push', () => {
  test.each(['session', 'chat'])('while a visible client shows the %s', async (kind) => {
    const { service, host, client, chat } = await stage();
    const page = await host.client('page', {}, WORKER);
    const showing = [kind === 'session' ? SESSION : chat];
    await page.request('x-setPresence', { channel: ROOT, isVisible: true, showing });
    await begin(host, client, chat);
    await ask(host);
    expect(await after({ host, service, client })).toEqual([]);
    await page.request('x-setPresence', { channel: ROOT, isVisible: false, showing });
    await client.act(chat, approved('t1', 'call'));
    await endTurn(host);
    await host.advance(1_000);
    expect(await arrived(host, service, 1)).toHaveLength(1);
  });

  test('in quiet hours of the device', async () => {
    const { service, host, client, chat, device } = await stage();
    const quietHours = { from: '23:30', to: '00:30', timeZone: 'UTC' };
    await client.request('x-updatePush', { channel: ROOT, id: device, quietHours });
    await begin(host, client, chat);
    await endTurn(host);
    expect(await after({ host, service, client }, 1_800_000)).toEqual([]);
    await begin(host, client, chat, 't2');
    await endTurn(host);
    await host.advance(1_000);
    expect(await arrived(host, service, 1)).toHaveLength(1);
  });

  test('of a muted session, or of an event that the device does not want', async () => {
    const { service, host, client, chat, device } = await stage();
    const id = { channel: ROOT, id: device } as const;
    await client.request('x-updatePush', { ...id, mutedSessions: [SESSION] });
    await begin(host, client, chat);
    await endTurn(host);
    expect(await after({ host, service, client })).toEqual([]);
    await client.request('x-updatePush', {
      ...id,
      mutedSessions: [],
      events: { inputNeeded: true, turnEnded: false },
    });
    await begin(host, client, chat, 't2');
    await endTurn(host);
    expect(await after({ host, service, client })).toEqual([]);
    expect(await list(client)).toMatchObject([{ mutedSessions: [], events: { turnEnded: false } }]);
  });
});

describe('a restart', () => {
  test('pushes nothing again, and a turn that it ended once', async () => {
    const { service, host, client, chat } = await stage();
    await begin(host, client, chat);
    await endTurn(host);
    await host.advance(1_000);
    await arrived(host, service, 1);
    await begin(host, client, chat, 't2');
    await ask(host);
    await host.restart();
    await host.advance(60_000);
    const [, push] = await arrived(host, service, 2);
    expect(push?.payload).toMatchObject({ kind: 'turnEnded', body: expect.stringContaining('restarted') });
    await host.restart();
    expect(await after({ host, service, client: await host.client('again') })).toHaveLength(2);
  });

  test('after an orderly stop pushes the turn that the stop ended', async () => {
    const { service, host, client, chat } = await stage();
    await begin(host, client, chat);
    await host.stop();
    await host.start();
    await host.advance(14_999);
    expect(service.received).toEqual([]);
    await host.advance(1);
    const [push] = await arrived(host, service, 1);
    expect(push?.payload).toMatchObject({ kind: 'turnEnded', session: SESSION, chat });
    await host.stop();
    await host.start();
    expect(await after({ host, service, client: await host.client('again') })).toHaveLength(1);
  });

  test('keeps devices and the key', async () => {
    const { host, client, device } = await stage();
    const before = await client.request('x-pushKey', { channel: ROOT });
    await host.restart();
    const again = await host.client('again');
    expect(await again.request('x-pushKey', { channel: ROOT })).toEqual(before);
    expect(await list(again)).toMatchObject([{ id: device, isMine: true }]);
  });
});

describe('a failure', () => {
  test.each([404, 410])('with status %i removes the device', async (status) => {
    const { service, host, client, chat } = await stage();
    service.statuses.push(status);
    await begin(host, client, chat);
    await endTurn(host);
    await host.advance(1_000);
    await arrived(host, service, 1);
    expect(await list(client)).toEqual([]);
  });

  test('that may pass is told and tried again, after the time that the service names', async () => {
    const { service, host, client, chat } = await stage();
    service.statuses.push(429, 503);
    service.answerHeaders = { 'retry-after': '20' };
    service.answerText = 'slow down\n';
    await begin(host, client, chat);
    await endTurn(host);
    await host.advance(1_000);
    await arrived(host, service, 1);
    expect(await list(client)).toMatchObject([
      { lastFailure: { status: 429, reason: 'the push service answered with status 429: slow down' } },
    ]);
    await host.advance(19_999);
    expect(service.received).toHaveLength(1);
    await host.advance(1);
    await arrived(host, service, 2);
    await host.advance(30_000);
    await arrived(host, service, 3);
    const [device] = await list(client);
    expect(device).toHaveProperty('lastSentAt');
    expect(device).not.toHaveProperty('lastFailure');
    expect(host.logged).toContain('a push was not delivered');
  });

  test('that will not pass is told and not tried again', async () => {
    const { service, host, client, chat } = await stage();
    service.statuses.push(403);
    await begin(host, client, chat);
    await endTurn(host);
    await host.advance(1_000);
    await arrived(host, service, 1);
    expect(await list(client)).toMatchObject([{ lastFailure: { status: 403 } }]);
    expect(await after({ host, service, client }, 3_600_000)).toHaveLength(1);
    expect((await list(client))[0]).not.toHaveProperty('lastFailure');
  });

  test('is not tried again for a question that was answered meanwhile', async () => {
    const { service, host, client, chat } = await stage();
    service.statuses.push(500);
    await begin(host, client, chat);
    await ask(host);
    await host.advance(1_000);
    await arrived(host, service, 1);
    await client.act(chat, approved('t1', 'call'));
    expect(await after({ host, service, client }, 600_000)).toHaveLength(1);
  });
});
