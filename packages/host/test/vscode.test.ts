import { describe, expect, test } from 'vitest';
import { HostFixture, ROOT } from './host-fixture.ts';
import type { RawClient } from './raw-client.ts';

const WINDOW = { name: 'vscode-editor-window', title: 'VS Code' };
const META = { 'vscode.telemetryLevel': 'off' };
const OFFER = ['0.9.0', '0.7.0', '0.6.0', '0.5.2', '0.5.1'];
const SESSION = 'puppet:/21dbb5ab';

const encoded = (uri: string): string => Buffer.from(uri).toString('base64url');
const defaultChat = `ahp-chat://default/${encoded(SESSION)}`;

const start = (): Promise<HostFixture> => new HostFixture().start();

/** A window of VS Code, as it opens. */
async function open(host: HostFixture, params: object = {}): Promise<RawClient> {
  const window = host.connect('window');
  const initialize = {
    protocolVersions: OFFER,
    clientInfo: WINDOW,
    _meta: META,
    initialSubscriptions: [ROOT],
  };
  await window.initialize({ ...initialize, ...params });
  return window;
}

async function openSession(window: RawClient): Promise<void> {
  const config = { isolation: 'folder', autoApprove: 'default', mode: 'interactive' };
  await window.raw('createSession', { channel: SESSION, provider: 'puppet', config });
  await window.subscribe(SESSION);
  await window.subscribe(defaultChat);
}

const textOf = (value: unknown): string => JSON.stringify(value);

describe('VS Code', () => {
  test('[VSC-2] gets version 0.9, and may ping before that is answered', async () => {
    const host = await start();
    const window = host.connect('window');
    const ping = window.ask('ping', { channel: ROOT });
    const { protocolVersion } = await window.initialize({ protocolVersions: OFFER, clientInfo: WINDOW });
    expect(protocolVersion).toBe('0.9.0');
    await expect(window.answered(ping)).resolves.toBeNull();
  });

  test('[VSC-7] names sessions by their provider, in every answer', async () => {
    const host = await start();
    const cli = await host.client('cli');
    const { session } = await host.session(cli);
    expect(session).toBe('ahp-session:/one');
    const window = await open(host);
    const list = await window.raw<{ items: { resource: string }[] }>('listSessions', { channel: ROOT });
    expect(list.items.map(({ resource }) => resource)).toEqual(['puppet:/one']);
    const { resource } = await window.subscribe('puppet:/one');
    expect(resource).toBe('puppet:/one');
    await cli.act(session, { type: 'session/titleChanged', title: 'by the CLI' });
    await host.run();
    expect(window.envelopes('puppet:/one').map(({ action }) => action.type)).toContain(
      'session/titleChanged',
    );
    expect(textOf(window.frames)).not.toContain('ahp-session:');
    const echo = await window.act('puppet:/one', { type: 'session/titleChanged', title: 'by the editor' });
    expect(echo).toMatchObject({ channel: 'puppet:/one', origin: { clientId: 'window', clientSeq: 1 } });
    expect(echo?.rejectionReason).toBeUndefined();
    expect(cli.envelopes(session).at(-1)?.action).toMatchObject({ title: 'by the editor' });
  });

  test('[VSC-7] names them by their id where both sides say so', async () => {
    const host = await start();
    const cli = await host.client('cli');
    await host.session(cli);
    const window = host.connect('window');
    const result = await window.initialize({
      protocolVersions: ['1.0.0'],
      clientInfo: WINDOW,
      ...{ _meta: { 'vscode.ahpSessionUris': true } },
    });
    expect(result).toMatchObject({ _meta: { 'vscode.ahpSessionUris': true } });
    const { resource } = await window.subscribe('ahp-session:/one');
    expect(resource).toBe('ahp-session:/one');
    const chat = `ahp-chat://default/${encoded('ahp-session:/one')}`;
    await expect(window.subscribe(chat)).resolves.toMatchObject({ resource: chat });
  });

  test('[VSC-8] opens the default chat by the name that it computes, and other chats by theirs', async () => {
    const host = await start();
    const window = await open(host);
    await openSession(window);
    const { state } = await window.subscribe(SESSION);
    expect(state).toMatchObject({ defaultChat, chats: [{ resource: defaultChat }] });
    const other = `ahp-chat://9ff1a0f1/${encoded(SESSION)}`;
    await window.raw('createChat', { channel: SESSION, chat: other });
    const after = await window.subscribe(SESSION);
    expect(after.state).toMatchObject({ chats: [{ resource: defaultChat }, { resource: other }] });
    await expect(window.subscribe(other)).resolves.toMatchObject({
      resource: other,
      state: { resource: other },
    });
    // Other clients see the host's own names.
    const cli = await host.client('cli');
    const own = await cli.subscribe('ahp-session:/21dbb5ab');
    expect(own.state).toMatchObject({ chats: [{}, { resource: 'ahp-chat:/9ff1a0f1' }] });
  });

  test('[VSC-9] [SESS-1] creates sessions with settings that the host does not have', async () => {
    const host = await start();
    const window = await open(host);
    await openSession(window);
    const { state } = await window.subscribe(SESSION);
    expect(textOf(state)).not.toContain('autoApprove');
    expect(textOf(state)).not.toContain('interactive');
  });

  test('[VSC-9] [ROOT-2] its session is listed from its first message', async () => {
    const host = await start();
    const cli = await host.client('cli');
    await cli.subscribe(ROOT);
    const window = await open(host);
    const listed = async () => (await cli.raw<{ items: object[] }>('listSessions', { channel: ROOT })).items;
    const told = () => cli.frames.filter(({ method }) => method?.startsWith('root/session') === true);
    await openSession(window);
    await window.act(SESSION, { type: 'session/titleChanged', title: 'not yet' });
    expect(await listed()).toEqual([]);
    expect(told()).toEqual([]);
    const message = { text: 'go', origin: { kind: 'user' } };
    await window.act(defaultChat, {
      type: 'chat/turnStarted',
      turnId: 't1',
      startedAt: new Date().toISOString(),
      message,
    });
    await host.run();
    expect(await listed()).toMatchObject([{ resource: 'ahp-session:/21dbb5ab', title: 'not yet' }]);
    expect(told()[0]).toMatchObject({
      method: 'root/sessionAdded',
      params: { summary: { resource: 'ahp-session:/21dbb5ab' } },
    });
    await window.raw('disposeSession', { channel: SESSION });
    await cli.ping();
    expect(textOf(cli.frames)).toContain('root/sessionRemoved');
  });

  test.each(['is away for too long', 'does not come back after a restart'])(
    'its session without a message ends when it %s',
    async (how) => {
      const host = await start();
      const window = await open(host);
      await openSession(window);
      const cli = await host.client('cli');
      await expect(cli.subscribe('ahp-session:/21dbb5ab')).resolves.toBeDefined();
      window.link.cut();
      if (how.includes('restart')) await host.restart();
      await host.advance(3_600_000);
      const after = await host.client('after');
      await expect(after.subscribe('ahp-session:/21dbb5ab')).rejects.toMatchObject({ code: -32001 });
      expect(textOf(after.frames)).not.toContain('sessionRemoved');
    },
  );

  test('disposes of a session twice', async () => {
    const host = await start();
    const window = await open(host);
    await openSession(window);
    await expect(window.raw('disposeSession', { channel: SESSION })).resolves.toBeNull();
    await expect(window.raw('disposeSession', { channel: SESSION })).resolves.toBeNull();
    const cli = await host.client('cli');
    await expect(cli.raw('disposeSession', { channel: 'ahp-session:/21dbb5ab' })).rejects.toMatchObject({
      code: -32001,
    });
  });

  test('[VSC-3] [NEG-7] reconnects without a channel, and is known again', async () => {
    const host = await start();
    const window = await open(host);
    await openSession(window);
    const { fromSeq: lastSeenServerSeq } = await window.subscribe(ROOT);
    window.link.cut();
    await host.run();
    const cli = await host.client('cli');
    await cli.act('ahp-session:/21dbb5ab', { type: 'session/titleChanged', title: 'meanwhile' });
    const again = host.connect('window');
    const result = await again.raw<{ type: string; actions: { channel: string }[]; missing: string[] }>(
      'reconnect',
      {
        clientId: 'window',
        lastSeenServerSeq,
        subscriptions: [ROOT, SESSION, defaultChat, 'puppet:/none'],
        _meta: META,
      },
    );
    expect(result).toMatchObject({ type: 'replay', missing: ['puppet:/none'] });
    expect(result.actions.map(({ channel }) => channel)).toContain(SESSION);
    expect(textOf(result.actions)).not.toContain('ahp-session:');
  });

  test('[VSC-5] the number 0 comes many times, and others again after a reconnect', async () => {
    const host = await start();
    const window = await open(host);
    await openSession(window);
    const title = (text: string) => ({ type: 'session/titleChanged', title: text });
    const settled = async (text: string, clientSeq: number): Promise<void> => {
      window.dispatch(SESSION, title(text), clientSeq);
      await window.ping();
    };
    await settled('first', 0);
    await settled('second', 0);
    await settled('third', 1);
    const { state } = await window.subscribe(SESSION);
    expect(state).toMatchObject({ title: 'third' });
    expect(
      window.envelopes(SESSION).filter(({ action }) => action.type === 'session/titleChanged'),
    ).toHaveLength(3);
    await settled('fourth', 2);
    window.clear();
    // Sent again: answered as before, and not applied once more.
    await settled('third', 1);
    expect(window.echoOf(1)?.action).toMatchObject({ title: 'third' });
    expect((await window.subscribe(SESSION)).state).toMatchObject({ title: 'fourth' });
  });

  test('[VSC-6] its own settings and notifications change nothing and are not logged', async () => {
    const host = await start();
    const window = await open(host);
    window.dispatch(ROOT, { type: 'root/configChanged', config: { telemetryLevel: 'off' } }, 0);
    window.send({
      jsonrpc: '2.0',
      method: 'setClientManagedSettingsPermissions',
      params: { permissions: {} },
    });
    await window.ping();
    expect(window.echoOf(0)?.rejectionReason).toMatch(/^invalidConfig: /);
    expect(host.logged).toEqual([]);
  });

  test('[VSC-10] its entry among the active clients is kept as it was sent', async () => {
    const host = await start();
    const window = await open(host);
    await openSession(window);
    const activeClient = { clientId: 'window', tools: [], customizations: [], 'x-more': { deep: [1] } };
    await window.act(SESSION, { type: 'session/activeClientSet', activeClient });
    expect((await window.subscribe(SESSION)).state).toMatchObject({ activeClients: [activeClient] });
  });

  test('[VSC-11] names a chat on its channel, and the session with its default chat', async () => {
    const host = await start();
    const window = await open(host);
    await openSession(window);
    const other = `ahp-chat://9ff1a0f1/${encoded(SESSION)}`;
    await window.raw('createChat', { channel: SESSION, chat: other });
    const settled = async (chat: string, title: string): Promise<object> => {
      window.dispatch(chat, { type: 'session/titleChanged', title });
      await window.ping();
      return (await window.subscribe(SESSION)).state;
    };
    expect(await settled(defaultChat, 'whole')).toMatchObject({
      title: 'whole',
      chats: [{ title: 'whole' }, { title: '' }],
    });
    expect(await settled(other, 'part')).toMatchObject({
      title: 'whole',
      chats: [{ title: 'whole' }, { title: 'part' }],
    });
    await settled(`ahp-chat://none/${encoded(SESSION)}`, 'nowhere');
    expect(window.envelopes(SESSION).at(-1)?.rejectionReason).toMatch(/^unknownChat: /);
  });

  const started = (turnId: string, text = 'go') => ({
    type: 'chat/turnStarted',
    turnId,
    startedAt: '2026-03-04T05:06:07.000Z',
    message: { text, origin: { kind: 'user' } },
  });

  test('[VSC-12] starts a turn at its time, cancels it with its duration, and sends an edited message again', async () => {
    const host = await start();
    const window = await open(host);
    await openSession(window);
    await window.act(defaultChat, started('t1'));
    await host.run();
    await window.act(defaultChat, { type: 'chat/turnCancelled', turnId: 't1', duration: 1_500 });
    const { state } = await window.subscribe(defaultChat);
    expect(state).toMatchObject({
      turns: [{ id: 't1', state: 'cancelled', startedAt: '2026-03-04T05:06:07.000Z', duration: 1_500 }],
    });
    await window.act(defaultChat, { type: 'chat/truncated' });
    await window.act(defaultChat, started('t2', 'go on'));
    await host.run();
    const after = await window.subscribe(defaultChat);
    expect(after.state).toMatchObject({ turns: [], activeTurn: { id: 't2', message: { text: 'go on' } } });
  });

  test('[VSC-15] finds the default chat by its name in the state, and chats in summaries', async () => {
    const host = await start();
    const window = await open(host);
    await openSession(window);
    await window.act(defaultChat, started('t1'));
    await host.run();
    const { state } = await window.subscribe(SESSION);
    expect(state).toMatchObject({ defaultChat, chats: [{ resource: defaultChat, status: 8 }] });
    // Summaries list chats from version 1.0 on.
    const newer = await open(host, { clientId: 'newer', protocolVersions: ['1.0.0', ...OFFER] });
    const { items } = await newer.raw<{ items: object[] }>('listSessions', { channel: ROOT });
    expect(items).toMatchObject([{ resource: SESSION, chats: [{ resource: defaultChat, status: 8 }] }]);
  });

  test('[VSC-16] no automations are announced, and a failed turn is tried again when its agent can', async () => {
    const host = new HostFixture();
    host.agent.resumesTurns = true;
    await host.start();
    const window = host.connect('window');
    const result = await window.initialize({ protocolVersions: OFFER, clientInfo: WINDOW });
    expect(textOf(result)).not.toMatch(/automations/i);
    await openSession(window);
    await window.act(defaultChat, started('t1'));
    await host.run();
    host.agent.turn.fail(new Error('broken'));
    await host.run();
    const { state } = await window.subscribe(defaultChat);
    expect(state).toMatchObject({ turns: [{ responseParts: [{ kind: 'error', resumable: true }] }] });
    const echo = await window.act(defaultChat, { type: 'chat/turnResume', turnId: 't1' });
    expect(echo?.rejectionReason).toBeUndefined();
    await host.run();
    expect(host.agent.turn.isResumed).toBe(true);
  });

  test('[VSC-14] its extension methods are unknown', async () => {
    const host = await start();
    const window = await open(host);
    await expect(window.raw('vscode/getFile', { channel: ROOT })).rejects.toMatchObject({ code: -32601 });
    await expect(window.raw('shutdown', { channel: ROOT })).rejects.toMatchObject({ code: -32601 });
  });
});

describe('attachments of VS Code', () => {
  const REMOTE = 'vscode-remote://127.0.0.1+8000/home/me/notes.md';
  const OTHER_HOST = 'vscode-agent-host://elsewhere/etc/motd';
  const reference = (uri: string) => ({ type: 'resource', label: 'notes.md', uri, sizeHint: 6 });

  /** Sends a message with these attachments, and answers what the host asks the window meanwhile. Resolves with the methods that it asked. */
  async function send(
    host: HostFixture,
    window: RawClient,
    {
      uris,
      answer,
    }: { uris: readonly string[]; answer: (method: string, uri: string) => object | undefined },
  ): Promise<string[]> {
    const message = { text: 'go', origin: { kind: 'user' }, attachments: uris.map(reference) };
    window.dispatch(defaultChat, {
      type: 'chat/turnStarted',
      turnId: 't1',
      startedAt: new Date().toISOString(),
      message,
    });
    const asked: string[] = [];
    for (let round = 0; round < 12; round += 1) {
      await host.run();
      const requests = window.frames.filter(({ id, method }) => id !== undefined && method !== undefined);
      const next = requests[asked.length];
      if (next === undefined) {
        await host.advance(1_000);
        continue;
      }
      const { uri } = next.params as unknown as { uri: string };
      asked.push(`${next.method} ${uri}`);
      const answered = answer(next.method ?? '', uri);
      if (answered !== undefined) window.send({ jsonrpc: '2.0', id: next.id, ...answered });
    }
    return asked;
  }

  const attached = async (window: RawClient): Promise<unknown> => {
    const { state } = await window.subscribe(defaultChat);
    return (state as { activeTurn?: { message: { attachments?: unknown } } }).activeTurn?.message.attachments;
  };

  const file = (size: number) => ({ result: { uri: REMOTE, type: 'file', size } });
  const data = { result: { data: Buffer.from('# Rye\n').toString('base64'), encoding: 'base64' } };
  const refusal = { error: { code: -32009, message: 'Permission denied', data: { request: {} } } };

  test('[VSC-13] files that only the window has are read from it before the turn begins', async () => {
    const host = await start();
    const window = await open(host);
    await openSession(window);
    const asked = await send(host, window, {
      uris: [REMOTE, 'file:///tmp/x', OTHER_HOST],
      answer: (method) => (method === 'resourceResolve' ? file(6) : data),
    });
    expect(asked).toEqual([
      `resourceResolve ${REMOTE}`,
      `resourceRead ${REMOTE}`,
      `resourceResolve ${OTHER_HOST}`,
      `resourceRead ${OTHER_HOST}`,
    ]);
    const embedded = { type: 'embeddedResource', label: 'notes.md', data: data.result.data };
    const all = [
      { ...embedded, contentType: 'text/markdown' },
      reference('file:///tmp/x'),
      { ...embedded, contentType: 'text/plain' },
    ];
    expect(await attached(window)).toEqual(all);
    expect(host.agent.turn.input.message.attachments).toEqual(all);
  });

  test.each([
    ['refuses', () => refusal, 1],
    ['has a folder there', () => ({ result: { uri: REMOTE, type: 'directory' } }), 1],
    ['does not know the size', () => ({ result: { uri: REMOTE, type: 'file' } }), 1],
    ['has too large a file', () => file(4 * 1024 * 1024 + 1), 1],
    [
      'has a file that grows',
      (method: string) =>
        method === 'resourceRead' ? { result: { data: 'A'.repeat(6_000_000), encoding: 'base64' } } : file(6),
      2,
    ],
    ['answers nonsense', (method: string) => (method === 'resourceRead' ? { result: null } : file(6)), 2],
    ['does not answer', () => undefined, 1],
  ] as const)(
    '[VSC-13] a window that %s keeps the reference, and the turn begins',
    async (_, answer, count) => {
      const host = await start();
      const window = await open(host);
      await openSession(window);
      const asked = await send(host, window, { uris: [REMOTE], answer });
      expect(asked).toHaveLength(count);
      expect(await attached(window)).toEqual([reference(REMOTE)]);
    },
  );

  test('[VSC-13] [ACT-5] a message whose files are being read when the connection ends is not taken, and can be sent again', async () => {
    const host = await start();
    const window = await open(host);
    await openSession(window);
    const message = { text: 'go', origin: { kind: 'user' }, attachments: [reference(REMOTE)] };
    const begin = { type: 'chat/turnStarted', turnId: 't1', startedAt: new Date().toISOString(), message };
    window.dispatch(defaultChat, begin, 7);
    await host.run();
    expect(window.frames.at(-1)?.method).toBe('resourceResolve');
    window.link.cut();
    await host.advance(10_000);
    expect(host.agent.turns).toEqual([]);
    const again = host.connect('window');
    await again.raw('reconnect', {
      clientId: 'window',
      lastSeenServerSeq: 0,
      subscriptions: [],
      _meta: META,
    });
    again.dispatch(defaultChat, { ...begin, message: { ...message, attachments: [] } }, 7);
    await again.ping();
    await host.run();
    expect(host.agent.turns).toHaveLength(1);
  });

  test('[VSC-4] [VSC-13] pings are answered while the host waits for the window, and nothing more is asked of a silent one', async () => {
    const host = await start();
    const window = await open(host);
    await openSession(window);
    const begun = send(host, window, { uris: [REMOTE, OTHER_HOST], answer: () => undefined });
    const ping = window.ask('ping', { channel: ROOT });
    expect(await begun).toEqual([`resourceResolve ${REMOTE}`]);
    await expect(window.answered(ping)).resolves.toBeNull();
    expect(await attached(window)).toEqual([REMOTE, OTHER_HOST].map(reference));
  });
});
