import { approved } from '@agenthost/testkit';
import { expect, test } from 'vitest';
import type { ToolCallAnswer, ToolCallQuestion } from '../src/agents/tool-call.ts';
import type { HttpAnswer } from '../src/handler-port/http-route.ts';
import { type HostFixture, ROOT } from './host-fixture.ts';
import { inTurn } from './in-turn.ts';
import { arrived, PushService } from './push-service.ts';

/** A device that was asked, with the ticket that it got. */
async function asked(question: Partial<ToolCallQuestion> = {}) {
  const service = await PushService.start();
  const at = await inTurn({ push: { allowLoopback: true } });
  const { host, client } = at;
  const { subscription } = service.browser('/phone');
  const worker = await host.client('phone', {}, { tokenHash: 'phone', scope: 'interact' });
  const params = { channel: ROOT, subscription, device: 'Phone' } as const;
  const { id } = await worker.request('x-subscribePush', params);
  let answer: ToolCallAnswer | undefined;
  void at
    .call('c')
    .confirm({ invocationMessage: 'Run it', toolInput: '{"a":1}', ...question })
    .then((given) => {
      answer = given;
    });
  await host.run();
  await host.advance(1_000);
  const [push] = await arrived(host, service, 1);
  const { ticket = '', actions = [] } = push?.payload ?? {};
  client.clear();
  return { ...at, id, worker, ticket, actions, answer: () => answer };
}

async function post(host: HostFixture, body: unknown): Promise<HttpAnswer> {
  const route = host.host.core.features.routes['/push-answer'];
  if (route === undefined) throw new Error('there is no route');
  const answering = route(typeof body === 'string' ? body : JSON.stringify(body));
  await host.clock.runUntilSettled(answering);
  return answering;
}

test('allow approves the call once, in the name of the device', async () => {
  const { host, client, chat, ticket, id, answer } = await asked();
  expect(await post(host, { ticket, action: 'allow' })).toEqual({ status: 200, body: { ok: true } });
  await host.run();
  expect(answer()).toMatchObject({ approved: true });
  const confirmed = client.envelopes(chat).find(({ action }) => action.type === 'chat/toolCallConfirmed');
  expect(confirmed?.action).toMatchObject({
    approved: true,
    confirmed: 'user-action',
    selectedOptionId: 'allow',
    'x-by': { clientId: `push-${id}`, name: 'Phone' },
  });
  expect(await client.request('x-listApprovals', { channel: ROOT })).toEqual({ items: [] });
});

test('deny denies it', async () => {
  const { host, ticket, answer } = await asked();
  expect(await post(host, { ticket, action: 'deny' })).toMatchObject({ status: 200 });
  await host.run();
  expect(answer()).toMatchObject({ approved: false, reason: 'denied' });
});

test('a ticket answers once', async () => {
  const { host, ticket } = await asked();
  await post(host, { ticket, action: 'allow' });
  expect(await post(host, { ticket, action: 'deny' })).toMatchObject({ status: 409, body: { ok: false } });
});

test('a call that was answered elsewhere is a conflict', async () => {
  const { host, client, chat, ticket, answer } = await asked();
  await client.act(chat, approved('t1', 'c'));
  expect(await post(host, { ticket, action: 'deny' })).toMatchObject({ status: 409 });
  expect(answer()).toMatchObject({ approved: true });
});

test('a ticket ends after an hour, with its device, and with the host', async () => {
  const first = await asked();
  await first.host.advance(3_600_000);
  expect(await post(first.host, { ticket: first.ticket, action: 'allow' })).toMatchObject({ status: 410 });
  const second = await asked();
  await second.worker.request('x-revokePush', { channel: ROOT, id: second.id });
  expect(await post(second.host, { ticket: second.ticket, action: 'allow' })).toMatchObject({ status: 410 });
  expect(second.answer()).toBeUndefined();
  const third = await asked();
  await third.host.restart();
  expect(await post(third.host, { ticket: third.ticket, action: 'allow' })).toMatchObject({ status: 410 });
});

test('a call with permanent options alone can be denied, not allowed', async () => {
  const option = { id: 'always', label: 'Always', kind: 'approve' as const };
  const { host, ticket, actions, answer } = await asked({ options: [option], alwaysOptions: ['always'] });
  expect(actions).toEqual([{ action: 'deny', title: 'Deny' }]);
  expect(await post(host, { ticket, action: 'allow' })).toMatchObject({ status: 409 });
  expect(answer()).toBeUndefined();
});

test('while the journal cannot be written the ticket stays valid', async () => {
  const { host, ticket } = await asked();
  host.journal.failNextCommits(1);
  expect(await post(host, { ticket, action: 'allow' })).toMatchObject({ status: 503 });
  await host.advance(5_000);
  expect(await post(host, { ticket, action: 'allow' })).toMatchObject({ status: 200 });
});

test.each(['', '[]', '{"ticket":1,"action":"allow"}', '{"ticket":"x","action":"always"}'])(
  'the body %j is refused',
  async (body) => {
    const { host } = await inTurn();
    expect(await post(host, body)).toMatchObject({ status: 400 });
  },
);

test('an unknown ticket has expired', async () => {
  const { host } = await inTurn();
  expect(await post(host, { ticket: 'x', action: 'allow' })).toMatchObject({ status: 410 });
});
