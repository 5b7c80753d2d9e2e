import type { Snapshot } from '@agenthost/protocol';
import { turnStarted } from '@agenthost/testkit';
import { describe, expect, test } from 'vitest';
import { ROOT, startHost } from './host-fixture.ts';
import { runTurns } from './turns.ts';

const ids = (count: number): string[] => Array.from({ length: count }, (_, index) => `more-${index}`);

const title = (text: string) => ({ type: 'session/titleChanged', title: text });

/** A client that subscribes to a chat with a window of one turn and is disconnected, and the last number that it saw. */
async function cutOff() {
  const host = await startHost();
  const other = await host.client('other');
  const { session, chat } = await host.session(other);
  await runTurns(host, other, chat, ['t1', 't2', 't3']);
  const client = await host.client('gone', { initialSubscriptions: [ROOT, session] });
  await client.subscribe(chat, { view: { turns: 1 } });
  const { serverSeq: lastSeen = 0 } = (await client.act(session, title('seen'))) ?? {};
  const cut = async (): Promise<void> => {
    client.link.cut();
    await host.run();
  };
  return { host, other, session, chat, client, lastSeen, cut };
}

describe('a client that reconnects', () => {
  test('[CONN-5] gets snapshots when it has renewed a subscription after the number that it names', async () => {
    const { host, session, chat, client, lastSeen, cut } = await cutOff();
    await client.act(session, title('later'));
    await client.subscribe(chat, { view: { turns: 2 } });
    await cut();
    const renewed = await host.connect('gone').reconnect(lastSeen, [session, chat]);
    expect(renewed.type).toBe('snapshot');
    const kept = await cutOff();
    await kept.client.act(kept.session, title('later'));
    await kept.client.subscribe(kept.chat, { view: { turns: 2 } });
    await kept.cut();
    const replay = await kept.host.connect('gone').reconnect(kept.lastSeen, [kept.session]);
    expect(replay, 'that channel is not among those asked for').toMatchObject({ type: 'replay' });
  });

  test.each(['subscribe', 'initialize', 'reconnect'] as const)(
    '[CONN-5] gets snapshots when the answer to its %s was lost, even without changes since its last number',
    async (lost) => {
      const { host, session, chat, client, lastSeen, cut } = await cutOff();
      if (lost === 'subscribe') client.ask('subscribe', { channel: chat, view: { turns: 3 } });
      await host.run();
      await cut();
      const again = host.connect('gone');
      if (lost === 'initialize') await again.initialize({ initialSubscriptions: [session, chat] });
      // The number is far too old, so the answer has snapshots.
      if (lost === 'reconnect') await again.reconnect(1, [session, chat]);
      again.link.cut();
      await host.run();
      const back = host.connect('gone');
      const result = await back.reconnect(lastSeen, [session, chat]);
      if (result.type !== 'snapshot') throw new Error('expected snapshots');
      const fromSeq = Math.max(...result.snapshots.map((snapshot) => snapshot.fromSeq));
      back.link.cut();
      await host.run();
      expect(
        await host.connect('gone').reconnect(fromSeq, [session, chat]),
        'that answer came',
      ).toMatchObject({
        type: 'replay',
        actions: [],
      });
    },
  );

  test('[CONN-5] [CHAT-6] gets snapshots of its own window when that window cannot reduce a truncation', async () => {
    const { host, other, session, chat, lastSeen, cut } = await cutOff();
    await cut();
    await other.act(chat, { type: 'chat/truncated', turnId: 't1' });
    const result = await host.connect('gone').reconnect(lastSeen, [session, chat, 'ahp-chat:/none']);
    if (result.type !== 'snapshot') throw new Error('expected snapshots');
    expect(result.snapshots.map(({ resource }) => resource)).toEqual([session, chat]);
    expect(result.snapshots[1]?.state).toMatchObject({ turns: [{ id: 't1' }] });
  });

  test('[CONN-5] [CHAT-6] gets a replay of a truncation of everything, which any window can reduce', async () => {
    const { host, other, session, chat, lastSeen, cut } = await cutOff();
    await cut();
    await other.act(chat, { type: 'chat/truncated' });
    const result = await host.connect('gone').reconnect(lastSeen, [session, chat]);
    expect(result).toMatchObject({ type: 'replay', missing: [] });
  });

  test('[CONN-5] gets snapshots in place of a replay of more than 16 MiB', async () => {
    const { host, other, session, chat, lastSeen, cut } = await cutOff();
    await cut();
    await other.act(chat, turnStarted('big'));
    await host.run();
    for (let count = 0; count < 17; count += 1) {
      void host.agent.turn.output.markdown('x'.repeat(1024 * 1024));
      await host.run();
    }
    const before = await host.connect('gone').reconnect(lastSeen, [session]);
    expect(before, 'the other channel’s gap is short').toMatchObject({ type: 'replay' });
    const result = await host.connect('gone').reconnect(lastSeen, [session, chat]);
    expect(result.type).toBe('snapshot');
  });

  test('[CONN-5] [ROOT-3] gets no missed notification, only later ones', async () => {
    const { host, other, session, lastSeen, cut } = await cutOff();
    await cut();
    await other.request('createSession', { channel: 'ahp-session:/meanwhile' });
    await host.run();
    const client = host.connect('gone');
    const result = await client.reconnect(lastSeen, [ROOT, session]);
    if (result.type !== 'replay') throw new Error('expected a replay');
    expect(new Set(result.actions.map(({ channel }) => channel))).toEqual(new Set([ROOT]));
    expect(client.notifications('root/sessionAdded')).toEqual([]);
    await other.request('createSession', { channel: 'ahp-session:/next' });
    await host.run();
    expect(client.notifications('root/sessionAdded')).toMatchObject([
      { summary: { resource: 'ahp-session:/next' } },
    ]);
  });

  test('[CONN-5] gets a channel that was removed meanwhile as missing, and not among snapshots', async () => {
    const { host, other, session, chat, lastSeen, cut } = await cutOff();
    await other.request('createChat', { channel: session, chat: 'ahp-chat:/second' });
    await cut();
    await other.request('disposeChat', { channel: chat });
    const result = await host.connect('gone').reconnect(lastSeen, [session, chat]);
    expect(result).toMatchObject({ type: 'replay', missing: [chat] });
    const anew = await host.connect('gone').reconnect(0, [session, chat]);
    if (anew.type !== 'snapshot') throw new Error('expected snapshots');
    expect(anew.snapshots.map(({ resource }) => resource)).toEqual([session]);
  });

  test('[CONN-6] gets a replay after a kill when its last number is that of a private envelope', async () => {
    const { host, session, chat, client } = await cutOff();
    const refused = await client.act(session, { type: 'session/titleChanged', title: 7 });
    expect(refused?.rejectionReason).toMatch(/^invalidAction: /);
    const lastSeen = refused?.serverSeq ?? 0;
    await host.restart();
    await (await host.client()).act(chat, {
      type: 'chat/draftChanged',
      draft: { text: 'later', origin: { kind: 'user' } },
    });
    const result = await host.connect('gone').reconnect(lastSeen, [session, chat]);
    expect(result).toMatchObject({ type: 'replay', actions: [{ action: { type: 'chat/draftChanged' } }] });
  });

  test('[CONN-5] [CONN-6] gets snapshots after a kill when the journal failed at its last window, and a replay when that was written later', async () => {
    for (const hasRecovered of [false, true]) {
      const { host, session, chat, client } = await cutOff();
      host.journal.failNextCommits(2);
      await client.subscribe(chat, { view: { turns: 2 } });
      // After the recovery it sees a later number.
      if (hasRecovered) await host.advance(5_000);
      const { serverSeq: lastSeen = 0 } = (await client.act(session, title('last'))) ?? {};
      await host.restart();
      const result = await host.connect('gone').reconnect(lastSeen, [session, chat]);
      expect(result.type).toBe(hasRecovered ? 'replay' : 'snapshot');
    }
  });

  test('[CONN-2] [CONN-5] gets each envelope once when the journal begins to fail between a snapshot and the record of its window', async () => {
    const { host, session, chat, client, other } = await cutOff();
    const reading = Promise.withResolvers<void>();
    await runTurns(host, other, chat, ids(60));
    host.journal.gates.afterRead = () => reading.promise;
    const id = client.ask('subscribe', { channel: chat });
    await host.run();
    host.journal.gates.afterRead = undefined;
    // It is delivered after the boundary of the first attempt, and the write of the window fails.
    await other.act(chat, { type: 'chat/draftChanged', draft: { text: 'one', origin: { kind: 'user' } } });
    await other.act(session, title('held'));
    host.journal.failNextCommits(2);
    client.clear();
    reading.resolve();
    const { snapshot } = await client.answered<{ snapshot: Snapshot }>(id);
    await host.run();
    expect(snapshot.state).toMatchObject({ draft: { text: 'one' } });
    expect(client.types()).toEqual(['session/titleChanged']);
    // In the order of their numbers, wherever the connection breaks.
    const [held] = client.envelopes(session);
    expect(held?.serverSeq).toBeLessThan(snapshot.fromSeq);
    expect(client.frames.map((frame) => frame.id)).toEqual([undefined, undefined, id]);
    await host.restart();
    const back = await host.connect('gone').reconnect(snapshot.fromSeq, [session, chat]);
    expect(back.type).toBe('snapshot');
  });
});
