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
    expect(textOf((await window.subscribe(SESSION)).state)).not.toContain('isolation');
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

  test('[VSC-14] its extension methods are unknown', async () => {
    const host = await start();
    const window = await open(host);
    await expect(window.raw('vscode/getFile', { channel: ROOT })).rejects.toMatchObject({ code: -32601 });
    await expect(window.raw('shutdown', { channel: ROOT })).rejects.toMatchObject({ code: -32601 });
  });
});
