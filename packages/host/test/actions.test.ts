import { approved, turnStarted } from '@agenthost/testkit';
import { describe, expect, test } from 'vitest';
import { ROOT, SESSION, startHost } from './host-fixture.ts';

const title = (text: string) => ({ type: 'session/titleChanged', title: text });

describe('dispatch', () => {
  test('[ACT-1] [ACT-2] an action goes numbered and stamped to every subscriber and, subscribed or not, to its dispatcher', async () => {
    const host = await startHost();
    const viewer = await host.client();
    const { session } = await host.session(viewer);
    const stranger = await host.client();
    viewer.clear();
    const echo = await stranger.act(session, title('x'));
    await host.run();
    expect(echo).toEqual({
      channel: session,
      action: title('x'),
      serverSeq: expect.any(Number),
      origin: { clientId: stranger.clientId, clientSeq: 1 },
      'x-time': host.clock.now(),
    });
    expect(viewer.envelopes(session)).toEqual([echo]);
  });

  test('[ACT-1] envelopes of the host’s own have no origin', async () => {
    const host = await startHost();
    const client = await host.client();
    const { chat } = await host.session(client);
    await client.act(chat, turnStarted('t1'));
    await host.run();
    void host.agent.turn.output.markdown('x');
    await host.run();
    const part = client.envelopes(chat).find(({ action }) => action.type === 'chat/responsePart');
    expect(part).toBeDefined();
    expect(part).not.toHaveProperty('origin');
  });

  test.each([
    [
      'the host’s own action',
      { type: 'chat/delta', turnId: 't', partId: 'p', content: 'x' },
      'notDispatchable',
    ],
    ['an action of another family', title('x'), 'wrongChannel'],
    ['an unknown type', { type: 'chat/noSuchThing', x: 1 }, 'invalidAction'],
    ['a payload that fails the schema', { type: 'chat/turnStarted', turnId: 5 }, 'invalidAction'],
    ['no action at all', { nothing: true }, 'invalidAction'],
  ])(
    '[ACT-3] [ACT-7] %s is echoed to its dispatcher alone, rejected, and not reduced',
    async (_, action, code) => {
      const host = await startHost();
      const viewer = await host.client();
      const { chat } = await host.session(viewer);
      const client = await host.client();
      const before = await viewer.subscribe(chat);
      viewer.clear();
      const echo = await client.act(chat, action);
      expect(echo?.rejectionReason).toMatch(new RegExp(`^${code}: .+`));
      expect(echo?.action).toEqual(action);
      await host.run();
      expect(viewer.envelopes()).toEqual([]);
      expect((await viewer.subscribe(chat)).state).toEqual(before.state);
      const journaled = host.journal.disk.envelopes.map(({ seq }) => seq);
      expect(journaled).not.toContain(echo?.serverSeq);
    },
  );

  test.each([
    ['channel', { clientSeq: 1, action: title('x') }],
    ['clientSeq', { channel: SESSION, action: title('x') }],
    ['usable clientSeq', { channel: SESSION, clientSeq: 'one', action: title('x') }],
  ])('[ACT-3] a dispatch without a %s is dropped and logged', async (_, params) => {
    const host = await startHost();
    const client = await host.client();
    await host.session(client);
    client.clear();
    client.send({ jsonrpc: '2.0', method: 'dispatchAction', params });
    await client.ping();
    expect(client.envelopes()).toEqual([]);
    expect(host.logged).toContain('a dispatch was dropped');
  });

  test('[ACT-4] an action on a channel that does not exist is ignored without an echo', async () => {
    const host = await startHost();
    const client = await host.client();
    expect(await client.act('ahp-session:/none', title('x'))).toBeUndefined();
    expect(await client.act('ahp-chat:/none', approved('t', 'c'))).toBeUndefined();
    expect(client.envelopes()).toEqual([]);
  });

  test('[ACT-2] an action whose channel cannot be read is rejected as unavailable, and does not count as ignored', async () => {
    const host = await startHost({ unloadAfterMs: 10_000 });
    const client = await host.client();
    const { session } = await host.session(client);
    client.link.cut();
    await host.advance(60_000);
    const again = await host.client('again', { 'x-epoch': 'e' });
    host.journal.gates.afterRead = () => {
      throw new Error('a test made this read fail');
    };
    const clientSeq = again.dispatch(session, title('x'));
    await again.ping();
    expect(again.echoOf(clientSeq)?.rejectionReason).toMatch(/^unavailable: /);
    host.journal.gates.afterRead = undefined;
    expect((await again.act(session, title('y')))?.rejectionReason).toBeUndefined();
  });

  test('[ACT-6] time stamps never go back, even if the clock does', async () => {
    const host = await startHost();
    let now = 5_000;
    const odd = await startHost({ clock: { now: () => now } });
    const client = await odd.client();
    const { session } = await odd.session(client);
    const first = await client.act(session, title('a'));
    now = 1_000;
    const second = await client.act(session, title('b'));
    now = 9_000;
    const third = await client.act(session, title('c'));
    expect([first, second, third].map((echo) => echo?.['x-time'])).toEqual([5_000, 5_000, 9_000]);
    await host.run();
  });

  test('[ACT-8] nothing is sent before the journal contains its changes', async () => {
    const host = await startHost();
    const client = await host.client();
    const viewer = await host.client();
    const { session } = await host.session(viewer);
    viewer.clear();
    client.clear();
    let release: () => void = () => undefined;
    host.journal.gates.beforeCommit = () =>
      new Promise((resolve) => {
        release = resolve;
      });
    client.dispatch(session, title('x'));
    const listed = client.ask('listSessions', { channel: ROOT });
    const subscribed = client.ask('subscribe', { channel: session });
    await host.run();
    expect([viewer.frames, client.frames]).toEqual([[], []]);
    host.journal.gates.beforeCommit = undefined;
    release();
    await host.run();
    expect(viewer.types(session)).toEqual(['session/titleChanged']);
    expect(client.frames[0]?.params?.action.type).toBe('session/titleChanged');
    const answers = client.frames.slice(1).map(({ id }) => id);
    expect(new Set(answers)).toEqual(new Set([listed, subscribed]));
  });
});

describe('resending', () => {
  const EPOCH = { 'x-epoch': 'life-1' };

  test('[ACT-5] [ACT-7] with x-epoch a processed action is not applied again but answered with its original envelope', async () => {
    const host = await startHost();
    const client = await host.client('resender', EPOCH);
    const { session } = await host.session(client);
    const echo = await client.act(session, title('x'));
    client.link.cut();
    await host.run();
    const again = host.connect('resender');
    await again.reconnect(echo?.serverSeq ?? 0, [session], EPOCH);
    const viewer = await host.client();
    await viewer.subscribe(session);
    viewer.clear();
    again.dispatch(session, title('x'), 1);
    await again.ping();
    expect(again.echoOf(1)).toEqual(echo);
    expect(viewer.envelopes()).toEqual([]);
  });

  test('[ACT-5] [CONN-6] and after a kill of the host too', async () => {
    const host = await startHost();
    const client = await host.client('resender', EPOCH);
    const { session } = await host.session(client);
    const echo = await client.act(session, title('x'));
    await host.restart();
    const again = host.connect('resender');
    await again.reconnect(0, [session], EPOCH);
    again.dispatch(session, title('x'), 1);
    again.dispatch(session, title('y'), 2);
    await again.ping();
    expect(again.echoOf(1)).toEqual(echo);
    expect(again.echoOf(2)?.serverSeq).toBeGreaterThan(echo?.serverSeq ?? 0);
  });

  test('[ACT-5] a rejected action, or one that is no longer stored, is answered outcomeExpired', async () => {
    const host = await startHost();
    const client = await host.client('resender', EPOCH);
    const { session, chat } = await host.session(client);
    await client.act(chat, { type: 'chat/turnCancelled', turnId: 'none', duration: 0 });
    client.link.cut();
    await host.run();
    const again = host.connect('resender');
    await again.reconnect(0, [session], EPOCH);
    again.dispatch(chat, { type: 'chat/turnCancelled', turnId: 'none', duration: 0 }, 1);
    await again.ping();
    expect(again.echoOf(1)?.rejectionReason).toMatch(/^outcomeExpired: /);
  });

  test('[ACT-5] a new epoch, or none, starts again at 1', async () => {
    const host = await startHost();
    const client = await host.client('resender', EPOCH);
    const { session } = await host.session(client);
    await client.act(session, title('x'));
    client.link.cut();
    const second = await host.client('resender', { 'x-epoch': 'life-2' });
    expect((await second.act(session, title('y')))?.rejectionReason).toBeUndefined();
    second.link.cut();
    const foreign = await host.client('resender');
    expect((await foreign.act(session, title('z')))?.serverSeq).toBeGreaterThan(0);
    const { state } = await foreign.subscribe(session);
    expect(state).toMatchObject({ title: 'z' });
  });

  test('[ACT-5] a disconnection during the commit does not make the host forget the processed action', async () => {
    const host = await startHost();
    const client = await host.client('resender', EPOCH);
    const { session } = await host.session(client);
    let release: () => void = () => undefined;
    host.journal.gates.beforeCommit = () =>
      new Promise((resolve) => {
        release = resolve;
      });
    client.dispatch(session, title('once'));
    await host.run();
    client.link.cut();
    const again = host.connect('resender');
    const id = again.ask('reconnect', {
      channel: ROOT,
      clientId: 'resender',
      lastSeenServerSeq: 0,
      subscriptions: [],
      ...EPOCH,
    });
    again.dispatch(session, title('once'), 1);
    await host.run();
    host.journal.gates.beforeCommit = undefined;
    release();
    await again.answered(id);
    await again.ping();
    const titles = host.journal.disk.envelopes.filter(({ json }) => json.includes('"once"'));
    expect(titles).toHaveLength(1);
    expect(again.echoOf(1)?.serverSeq).toBe(titles[0]?.seq);
  });
});
