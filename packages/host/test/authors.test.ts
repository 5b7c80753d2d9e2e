import { approved, turnStarted } from '@agenthost/testkit';
import { describe, expect, test } from 'vitest';
import { startHost } from './host-fixture.ts';
import { chatOf, DONE, inTurn, READY } from './in-turn.ts';

const forged = { clientId: 'somebody', name: 'Somebody Else' };

describe('the author of an answer', () => {
  test('[ACT-2] the host names the client behind an answer, over what the client wrote itself', async () => {
    const { host, client, chat, call, callOf } = await inTurn();
    const phone = await host.client('phone', {
      clientInfo: { name: 'web', title: 'Agent\u202ehost\n page', 'x-device': 'Firefox on Android' },
    });
    await phone.subscribe(chat);
    const handle = call('c1');
    const answer = handle.confirm(READY);
    await host.run();
    const by = { clientId: 'phone', name: 'Agent host page', device: 'Firefox on Android' };
    const echo = await phone.act(chat, { ...approved('t1', 'c1'), 'x-by': forged });
    expect(echo).toMatchObject({ action: { 'x-by': by } });
    expect(echo?.rejectionReason).toBeUndefined();
    await answer;
    await handle.complete(DONE);
    expect(await callOf('c1')).toMatchObject({ status: 'completed', 'x-answeredBy': by });
    await client.act(chat, { type: 'chat/turnCancelled', turnId: 't1', duration: 1 });
    expect((await chatOf(client, chat)).turns[0]).toMatchObject({
      'x-by': { clientId: client.clientId, name: 'client' },
    });
  });

  test.each([forged, 'text', null, 7, { clientId: 1 }])(
    '[ACT-3] a client that writes %j as the author is not refused',
    async (author) => {
      const host = await startHost();
      const client = await host.client('c', { clientInfo: { name: 'x'.repeat(400) } });
      const { chat } = await host.session(client);
      const echo = await client.act(chat, Object.assign({ 'x-by': author }, turnStarted('t1')));
      expect(echo?.rejectionReason).toBeUndefined();
      expect(echo?.action).toMatchObject({ 'x-by': { clientId: 'c', name: 'x'.repeat(100) } });
    },
  );

  test('[CHAT-12] a queued message and the turn that it becomes have its sender', async () => {
    const { host, client, chat } = await inTurn();
    const cli = await host.client('cli', { clientInfo: { name: 'agenthost-cli' } });
    const message = { text: 'next', origin: { kind: 'user' as const } };
    await cli.act(chat, { type: 'chat/pendingMessageSet', kind: 'queued', id: 'm', message });
    const by = { clientId: 'cli', name: 'agenthost-cli' };
    expect((await chatOf(client, chat)).queuedMessages).toMatchObject([{ id: 'm', 'x-by': by }]);
    host.agent.turn.complete();
    await host.run();
    expect((await chatOf(client, chat)).activeTurn).toMatchObject({ message: { text: 'next' }, 'x-by': by });
  });

  test('[CHAT-12] a steering message that becomes a turn keeps its sender', async () => {
    const { host, client, chat } = await inTurn();
    const message = { text: 'also', origin: { kind: 'user' as const } };
    await client.act(chat, { type: 'chat/pendingMessageSet', kind: 'steering', id: 's', message });
    await host.run();
    host.agent.turn.complete();
    await host.run();
    expect((await chatOf(client, chat)).activeTurn).toMatchObject({
      message: { text: 'also' },
      'x-by': { clientId: client.clientId },
    });
  });

  test('[CONN-7] a client keeps its name when it reconnects after a restart of the host', async () => {
    const host = await startHost();
    const first = await host.client('page', { clientInfo: { name: 'web', title: 'Page' } });
    const { chat } = await host.session(first);
    await host.restart();
    const again = host.connect('page');
    await again.reconnect(first.envelopes().at(-1)?.serverSeq ?? 0, [chat]);
    const echo = await again.act(chat, turnStarted('t1'));
    expect(echo?.action).toMatchObject({ 'x-by': { clientId: 'page', name: 'Page' } });
  });
});
