import { approved } from '@agenthost/testkit';
import { describe, expect, test } from 'vitest';
import { ROOT, SESSION } from './host-fixture.ts';
import { arrived } from './push-service.ts';
import { after, ask, begin, endTurn, list, stage } from './push-stage.ts';

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

  test('that may pass is reported and retried after the time that the service names', async () => {
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

  test('that will not pass is reported and not retried', async () => {
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

  test('is not retried for a question that was answered meanwhile', async () => {
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
