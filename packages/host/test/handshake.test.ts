import { type ChatState, chatReducer } from '@agenthost/protocol';
import { markdownOf, turnStarted } from '@agenthost/testkit';
import { describe, expect, test } from 'vitest';
import { ROOT, SESSION, startHost } from './host-fixture.ts';

describe('initialize', () => {
  test.each([
    [['1.0.0', '0.5.1'], '1.0.0'],
    [['0.5.0', '0.5.1'], '0.5.1'],
    [['0.5.0'], '0.5.0'],
    [['rubbish', '0.4.0', '0.5.1', '9.0.0'], '0.5.1'],
  ])('[CONN-1] of %j the host picks the highest supported version', async (protocolVersions, version) => {
    const host = await startHost();
    const result = await host.connect().initialize({ protocolVersions });
    expect(result.protocolVersion).toBe(version);
    // Earlier versions do not know the field [CONN-9].
    expect(result.serverInfo?.name).toBe(version === '1.0.0' ? 'agenthost' : undefined);
    expect(result.snapshots).toEqual([]);
  });

  test.each([[[]], [['rubbish', '']]])(
    '[CONN-1] %j is -32602, and another try may follow',
    async (protocolVersions) => {
      const host = await startHost();
      const client = host.connect();
      await expect(client.initialize({ protocolVersions })).rejects.toMatchObject({ code: -32602 });
      await client.initialize();
    },
  );

  test.each([
    [{ clientId: 'x'.repeat(257) }],
    [{ clientId: 'half \ud800' }],
    [{ clientId: '\udc00 half' }],
    [{ clientId: 'turned round \ude00\ud83d' }],
    [{ clientId: '' }],
    [{ clientId: 'nul\0' }],
    [{ 'x-epoch': 'x'.repeat(257) }],
    [{ 'x-epoch': 'half \ud800' }],
  ])('[WIRE-3] params for the journal, %j, are refused if too long or no text', async (params) => {
    const host = await startHost();
    const client = host.connect();
    await expect(client.initialize(params)).rejects.toMatchObject({ code: -32602 });
    await expect(
      client.raw('reconnect', {
        channel: ROOT,
        clientId: 'fit',
        lastSeenServerSeq: 0,
        subscriptions: [],
        ...params,
      }),
    ).rejects.toMatchObject({ code: -32602 });
    await client.initialize({ 'x-epoch': 'x'.repeat(256) });
  });

  test('[CONN-1] without a common version the answer is -32005 with the supported versions, then the connection ends', async () => {
    const host = await startHost();
    const client = host.connect();
    await expect(client.initialize({ protocolVersions: ['0.3.0', '2.0.0'] })).rejects.toMatchObject({
      code: -32005,
      data: { supportedVersions: expect.arrayContaining(['^1.0.0', '^0.9.0', '^0.4.0']) },
    });
    await host.run();
    expect(client.closed?.code).toBe(4005);
  });

  test('[CONN-2] there is one snapshot for each existing URI, and later envelopes have higher numbers', async () => {
    const host = await startHost();
    const first = await host.client();
    const { session, chat } = await host.session(first);
    const second = host.connect();
    const { snapshots, serverSeq } = await second.initialize({
      initialSubscriptions: [session, 'ahp-session:/none', chat, ROOT, session],
    });
    expect(snapshots.map(({ resource }) => resource)).toEqual([session, chat, ROOT]);
    expect(snapshots.every(({ fromSeq }) => fromSeq === serverSeq)).toBe(true);
    second.clear();
    await first.act(session, { type: 'session/titleChanged', title: 'after' });
    await host.run();
    const [envelope] = second.envelopes(session);
    expect(envelope?.serverSeq).toBeGreaterThan(serverSeq);
  });

  test('[CONN-2] nothing is lost or repeated between a snapshot and the stream, at any moment of a running turn', async () => {
    const host = await startHost();
    const first = await host.client();
    const { chat } = await host.session(first);
    await first.act(chat, turnStarted('t1'));
    await host.run();
    const late = await host.client('late');
    // One tick is open and another one is being committed when the subscription arrives.
    const id = late.ask('subscribe', { channel: chat });
    late.link.toHost.deliver();
    for (const text of ['a', 'b', 'c', 'd']) {
      void host.agent.turn.output.markdown(text);
      host.clock.runImmediates();
      late.link.deliverAll();
    }
    const { snapshot } = await late.answered<{ snapshot: { state: ChatState; fromSeq: number } }>(id);
    await host.run();
    const at = late.frames.findIndex((frame) => frame.id === id);
    expect(late.frames.slice(0, at).filter(({ method }) => method === 'action')).toEqual([]);
    const envelopes = late.envelopes(chat);
    expect(envelopes.every(({ serverSeq }) => serverSeq > snapshot.fromSeq)).toBe(true);
    const state = envelopes.reduce((before, { action }) => chatReducer(before, action), snapshot.state);
    expect(markdownOf(state.activeTurn)).toBe('abcd');
  });
});

describe('one client, several connections', () => {
  test('[CONN-3] a second handshake on one connection answers -32600', async () => {
    const host = await startHost();
    const client = await host.client();
    await expect(client.initialize()).rejects.toMatchObject({ code: -32600 });
    await expect(client.reconnect(0, [])).rejects.toMatchObject({ code: -32600 });
    await client.ping();
  });

  test('[CONN-3] a second connection of a client takes over: the first is closed as replaced and no longer read', async () => {
    const host = await startHost();
    const older = await host.client('same');
    const { session } = await host.session(older);
    // In progress when the other connection takes over.
    const newer = host.connect('same');
    await newer.initialize({ initialSubscriptions: [session] });
    older.dispatch(session, { type: 'session/titleChanged', title: 'too late' });
    await host.run();
    expect(older.closed?.code).toBe(4001);
    expect((await newer.subscribe(session)).state).toMatchObject({ title: '' });
    expect(
      (await newer.act(session, { type: 'session/titleChanged', title: 'new' }))?.rejectionReason,
    ).toBeUndefined();
  });

  test('[CONN-3] a connection that was closed while its handshake waited does not take over', async () => {
    const host = await startHost();
    await host.client('same');
    let release: () => void = () => undefined;
    host.journal.gates.afterRead = () =>
      new Promise((resolve) => {
        release = resolve;
      });
    const given = host.connect('other');
    given.ask('initialize', { channel: ROOT, protocolVersions: ['1.0.0'], clientId: 'other' });
    given.link.toHost.deliver();
    await host.clock.settle();
    const finish = release;
    given.link.cut();
    host.journal.gates.afterRead = undefined;
    const heir = await host.client('other');
    finish();
    await host.run();
    expect(heir.closed).toBeUndefined();
    await heir.ping();
  });

  test('[CONN-3] after a reconnect that failed the connection is still uninitialised, and initialize may follow', async () => {
    const host = await startHost();
    const first = await host.client('same');
    const { session } = await host.session(first);
    const { serverSeq } = (await first.act(session, { type: 'session/titleChanged', title: 'x' })) ?? {};
    first.link.cut();
    await host.run();
    const again = host.connect('same');
    let readCount = 0;
    host.journal.gates.afterRead = () => {
      readCount += 1;
      // The read of the client's row succeeds, that of the envelopes fails.
      if (readCount > 1) throw new Error('a test made this read fail');
    };
    await expect(again.reconnect(serverSeq ?? 0, [session])).rejects.toMatchObject({ code: -32603 });
    host.journal.gates.afterRead = undefined;
    const { snapshots } = await again.initialize({ initialSubscriptions: [session] });
    expect(snapshots[0]?.state).toMatchObject({ title: 'x' });
  });
});

describe('reconnect', () => {
  /** A client that saw a session and disconnected, and the last number that it saw. */
  async function gone(options: Parameters<typeof startHost>[0] = {}) {
    const host = await startHost(options);
    const other = await host.client('other');
    const { session, chat } = await host.session(other);
    const client = await host.client('gone', { 'x-epoch': 'e' });
    await client.subscribe(session);
    await client.subscribe(chat);
    await client.act(session, { type: 'session/titleChanged', title: 'seen' });
    await host.run();
    const lastSeen = Math.max(...client.envelopes().map(({ serverSeq }) => serverSeq));
    client.link.cut();
    await host.run();
    return { host, other, session, chat, lastSeen };
  }

  test('[CONN-5] missed envelopes come inside the answer, before later actions, and missing names removed channels', async () => {
    const { host, other, session, chat, lastSeen } = await gone();
    await other.act(session, { type: 'session/titleChanged', title: 'missed' });
    await other.act(chat, { type: 'chat/draftChanged', draft: { text: 'd', origin: { kind: 'user' } } });
    const client = host.connect('gone');
    const result = await client.reconnect(lastSeen, [session, chat, 'ahp-chat:/none']);
    if (result.type !== 'replay') throw new Error('expected a replay');
    expect(result.actions.map(({ action }) => action.type)).toEqual([
      'session/titleChanged',
      'chat/draftChanged',
    ]);
    expect(result.missing).toEqual(['ahp-chat:/none']);
    client.clear();
    await other.act(session, { type: 'session/titleChanged', title: 'live' });
    await host.run();
    expect(client.types()).toEqual(['session/titleChanged']);
  });

  test('[CONN-5] [ACT-7] a private envelope may be the last that a client saw: it still gets a replay', async () => {
    const host = await startHost();
    const client = await host.client('gone', { 'x-epoch': 'e' });
    const { session, chat } = await host.session(client);
    const rejection = await client.act(chat, { type: 'chat/turnCancelled', turnId: 'none', duration: 0 });
    expect(rejection?.rejectionReason).toMatch(/^noSuchTurn: /);
    client.link.cut();
    await host.run();
    const result = await host.connect('gone').reconnect(rejection?.serverSeq ?? 0, [session, chat]);
    expect(result).toEqual({ type: 'replay', actions: [], missing: [] });
  });

  test('[CONN-5] a number beyond the host’s own, or a channel without a subscription at that time, leads to snapshots', async () => {
    const { host, session, chat, lastSeen } = await gone();
    const beyond = await host.connect('gone').reconnect(lastSeen + 1_000_000, [session]);
    expect(beyond.type).toBe('snapshot');
    const later = host.connect('gone');
    // This connection subscribes to the chat after `lastSeen`.
    await later.initialize({ initialSubscriptions: [session] });
    await later.act(session, { type: 'session/titleChanged', title: 'x' });
    await later.subscribe(chat);
    later.link.cut();
    await host.run();
    const result = await host.connect('gone').reconnect(lastSeen, [session, chat, 'ahp-chat:/none']);
    if (result.type !== 'snapshot') throw new Error('expected snapshots');
    expect(result.snapshots.map(({ resource }) => resource)).toEqual([session, chat]);
  });

  test('[CONN-5] a number outside of the replay window leads to snapshots', async () => {
    const { host, other, session, chat, lastSeen } = await gone({ replayWindow: { maxAgeMs: 60_000 } });
    await other.act(session, { type: 'session/titleChanged', title: 'missed' });
    await host.advance(600_000);
    const result = await host.connect('gone').reconnect(lastSeen, [session, chat]);
    if (result.type !== 'snapshot') throw new Error('expected snapshots');
    expect(result.snapshots[0]?.state).toMatchObject({ title: 'missed' });
  });

  test('[CONN-6] [CONN-8] after a kill clients get a replay, and open turns have ended with hostRestarted', async () => {
    const { host, other, session, chat, lastSeen } = await gone();
    await other.act(chat, turnStarted('t1'));
    await host.run();
    void host.agent.turn.output.markdown('partial');
    await host.run();
    await host.restart();
    const client = host.connect('gone');
    const result = await client.reconnect(lastSeen, [session, chat]);
    if (result.type !== 'replay') throw new Error('expected a replay');
    const types = result.actions.filter(({ channel }) => channel === chat).map(({ action }) => action.type);
    expect(types).toEqual(['chat/turnStarted', 'chat/responsePart', 'chat/delta', 'chat/error']);
    const { state } = await client.subscribe(chat);
    if (!('turns' in state)) throw new Error('expected a chat');
    expect(state.activeTurn).toBeUndefined();
    expect(state.turns).toMatchObject([
      {
        state: 'error',
        responseParts: [{ content: 'partial' }, { kind: 'error', error: { errorType: 'hostRestarted' } }],
      },
    ]);
  });

  test('[CONN-8] a session that was being created when the host was killed has failed', async () => {
    const host = await startHost();
    const client = await host.client();
    host.agent.opening = new Promise(() => undefined);
    await client.request('createSession', { channel: SESSION });
    expect((await client.subscribe(SESSION)).state).toMatchObject({ lifecycle: 'creating' });
    await host.restart();
    const again = await host.client();
    expect((await again.subscribe(SESSION)).state).toMatchObject({
      lifecycle: 'failed',
      creationError: { errorType: 'hostRestarted' },
    });
  });

  test('[CONN-4] after a kill numbers continue above all sent ones, private ones included', async () => {
    const { host, other, session, chat } = await gone();
    const rejection = await other.act(chat, { type: 'chat/turnCancelled', turnId: 'none', duration: 0 });
    await host.restart();
    const client = await host.client();
    const echo = await client.act(session, { type: 'session/titleChanged', title: 'x' });
    expect(echo?.serverSeq).toBeGreaterThan(rejection?.serverSeq ?? Number.POSITIVE_INFINITY);
  });

  test('[CONN-7] [NEG-7] an unknown client is answered -32008, and may initialize on the same connection', async () => {
    const { host, session, lastSeen } = await gone();
    const client = host.connect('stranger');
    await expect(client.reconnect(lastSeen, [session])).rejects.toMatchObject({
      code: -32008,
      message: expect.stringContaining('initialize'),
    });
    expect(client.closed).toBeUndefined();
    const result = await client.initialize({ protocolVersions: ['0.9.0'], initialSubscriptions: [session] });
    expect(result.protocolVersion).toBe('0.9.0');
    expect(result.snapshots[0]?.resource).toBe(session);
  });

  test('[CONN-7] version, view and delivery of a client persist over a reconnect and a restart', async () => {
    const host = await startHost();
    const client = await host.client('old', { protocolVersions: ['0.5.0'] });
    const { session, chat } = await host.session(client);
    for (const turn of ['t1', 't2', 't3']) {
      await client.act(chat, turnStarted(turn));
      await host.run();
      host.agent.turn.complete();
      await host.run();
    }
    await client.subscribe(chat, { view: { turns: 1 } });
    await host.restart();
    const again = host.connect('old');
    const result = await again.reconnect(0, [session, chat]);
    if (result.type !== 'snapshot') throw new Error('expected snapshots');
    const state = result.snapshots.find(({ resource }) => resource === chat)?.state;
    expect(state).toMatchObject({ turns: [{ id: 't3' }] });
    // 0.5.0 has no cursors and no inputNeeded.
    expect(state).not.toHaveProperty('turnsNextCursor');
    again.clear();
    await again.act(chat, turnStarted('t4'));
    await host.run();
    void host.agent.turn.output
      .toolCall({ toolName: 'x', displayName: 'X' })
      .confirm({ invocationMessage: 'x' });
    await host.run();
    expect(again.types(chat)).toContain('chat/toolCallReady');
    expect(again.types(session).filter((type) => type.startsWith('session/inputNeeded'))).toEqual([]);
  });

  test('[CONN-9] [SESS-7] features newer than the version of a connection are neither in its stream nor in its snapshots', async () => {
    const host = await startHost();
    const modern = await host.client();
    const { session, chat } = await host.session(modern);
    const old = await host.client('old', {
      protocolVersions: ['0.5.0'],
      initialSubscriptions: [session, chat],
    });
    await modern.act(chat, turnStarted('t1'));
    await host.run();
    void host.agent.turn.output
      .toolCall({ toolName: 'x', displayName: 'X' })
      .confirm({ invocationMessage: 'x' });
    await host.run();
    expect(modern.types(session)).toContain('session/inputNeededSet');
    expect(old.types(session)).not.toContain('session/inputNeededSet');
    expect((await modern.subscribe(session)).state).toHaveProperty('inputNeeded');
    expect((await old.subscribe(session)).state).not.toHaveProperty('inputNeeded');
  });
});

test('[AUTH-1] a client id belongs to the token that used it first, after restarts too', async () => {
  const host = await startHost();
  await host.client('mine');
  await host.run();
  await host.restart();
  const thief = host.connect('mine', { tokenHash: 'another', scope: 'interact' as const });
  await expect(thief.initialize()).rejects.toMatchObject({ code: -32009 });
  await expect(thief.reconnect(0, [])).rejects.toMatchObject({ code: -32009 });
  await host.client('mine');
});
