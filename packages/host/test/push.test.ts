import type { StateAction } from '@agenthost/protocol';
import { approved } from '@agenthost/testkit';
import { describe, expect, test } from 'vitest';
import type { TokenIdentity } from '../src/auth/access-tokens.ts';
import { ROOT, SESSION } from './host-fixture.ts';
import { arrived, vapidClaims } from './push-service.ts';
import { after, ask, begin, endTurn, list, stage, subscribe } from './push-stage.ts';

const WORKER: TokenIdentity = { tokenHash: 'worker', scope: 'interact' };

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

  test('is pushed once, also when drafts of its answer change', async () => {
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

  test('a token with the scope observe gets no answers', async () => {
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

  test('until a client that seemed visible turns out to be lost', async () => {
    const { service, host, client, chat } = await stage();
    const page = await host.client('page', {}, WORKER);
    await page.request('x-setPresence', { channel: ROOT, isVisible: true, showing: [SESSION] });
    await begin(host, client, chat);
    await ask(host);
    await host.advance(1_000);
    page.link.cut();
    await host.advance(44_999);
    expect(service.received).toEqual([]);
    await host.advance(1);
    expect(await arrived(host, service, 1)).toMatchObject([{ payload: { kind: 'inputNeeded' } }]);
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
