import { approved, turnStarted } from '@agenthost/testkit';
import { describe, expect, test } from 'vitest';
import { ROOT, startHost } from './host-fixture.ts';
import { chatOf, DONE, inTurn, READY } from './in-turn.ts';

const message = (text: string) => ({ text, origin: { kind: 'user' as const } });

describe('a person', () => {
  test('[AUTH-1] what a person does has the name of the person, over what the client wrote', async () => {
    const { host, client, chat, call, callOf } = await inTurn();
    const { token, secret } = await client.request('x-createToken', {
      channel: ROOT,
      person: 'Ada Lovelace',
      scope: 'interact',
    });
    expect(token).toMatchObject({ person: 'Ada Lovelace' });
    const identity = host.host.core.accessTokens.identify(secret);
    const ada = await host.client('page', { clientInfo: { name: 'web' } }, identity);
    await ada.subscribe(chat);
    const by = { clientId: 'page', name: 'web', person: 'Ada Lovelace' };
    const forged = { clientId: 'x', name: 'x', person: 'Charles Babbage' };

    const handle = call('c1');
    const answer = handle.confirm(READY);
    await host.run();
    await ada.act(chat, { ...approved('t1', 'c1'), 'x-by': forged });
    await answer;
    await handle.complete(DONE);
    expect(await callOf('c1')).toMatchObject({ 'x-answeredBy': by });

    const set = {
      type: 'chat/pendingMessageSet',
      kind: 'queued',
      id: 'm',
      message: message('next'),
    } as const;
    await ada.act(chat, { ...set, 'x-by': forged });
    expect((await chatOf(client, chat)).queuedMessages).toMatchObject([{ 'x-by': by }]);
    const withdrawn = await ada.act(chat, { type: 'chat/pendingMessageRemoved', kind: 'queued', id: 'm' });
    expect(withdrawn?.action).toMatchObject({ 'x-by': by });

    const cancelled = { type: 'chat/turnCancelled', turnId: 't1', duration: 1, 'x-by': forged } as const;
    await ada.act(chat, cancelled);
    expect((await chatOf(client, chat)).turns[0]).toMatchObject({ state: 'cancelled', 'x-cancelledBy': by });
    await host.run();
    await ada.act(chat, turnStarted('t2'));
    expect((await chatOf(client, chat)).activeTurn).toMatchObject({ 'x-by': by });

    // The names are durable.
    await host.restart();
    const again = await host.client('again');
    await again.subscribe(chat);
    expect((await chatOf(again, chat)).turns).toMatchObject([
      { 'x-cancelledBy': by },
      { id: 't2', 'x-by': by },
    ]);
    expect((await again.request('x-listTokens', { channel: ROOT })).items).toMatchObject([
      { id: token.id, person: 'Ada Lovelace' },
    ]);
    await again.request('x-revokeToken', { channel: ROOT, id: token.id });
    expect(await host.journal.readMeta('people')).not.toContain('Ada');
  });

  test('the first message of a new chat has its author, and presence shows the person', async () => {
    const host = await startHost();
    const client = await host.client('owner');
    const { session } = await host.session(client);
    const params = { channel: ROOT, person: 'Ada', scope: 'interact' } as const;
    const { secret } = await client.request('x-createToken', params);
    const ada = await host.client('page', {}, host.host.core.accessTokens.identify(secret));
    await ada.request('createChat', {
      channel: session,
      chat: 'ahp-chat:/new',
      initialMessage: message('go'),
    });
    expect((await chatOf(client, 'ahp-chat:/new')).activeTurn).toMatchObject({
      'x-by': { clientId: 'page', person: 'Ada' },
    });
    await client.request('x-setPresence', { channel: ROOT, isVisible: true });
    await host.advance(1_000);
    const shown = client.notifications('x-presenceChanged').at(-1);
    expect(shown).toMatchObject({ clients: [{ clientId: 'owner' }, { clientId: 'page', person: 'Ada' }] });
    expect(JSON.stringify(shown)).not.toContain('"person":null');
  });

  test.each(['', ' Ada', 'Ada  Lovelace', 'A\u0308da', 'Ada\u202e', 'Ada\n', 'x'.repeat(101), 'A\u00a0B'])(
    'a token cannot belong to %j',
    async (person) => {
      const host = await startHost();
      const client = await host.client();
      await expect(client.request('x-createToken', { channel: ROOT, person })).rejects.toMatchObject({
        code: -32602,
        message: expect.stringContaining('person'),
      });
    },
  );
});
