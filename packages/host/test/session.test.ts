import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type SessionState, SessionStatus } from '@agenthost/protocol';
import { approved, turnStarted } from '@agenthost/testkit';
import { afterEach, describe, expect, test } from 'vitest';
import { ROOT, SESSION, startHost } from './host-fixture.ts';
import type { RawClient } from './raw-client.ts';

const GUEST = { tokenHash: 'guest', scope: 'interact' as const };
const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'agenthost-session-'));
  folders.push(folder);
  return folder;
}

async function stateOf(client: RawClient, uri = SESSION): Promise<SessionState> {
  const { state } = await client.subscribe(uri);
  if (!('activeClients' in state)) throw new Error(`${uri} is no session`);
  return state;
}

describe('creation', () => {
  test('[SESS-1] a URI in use, an unknown provider, a foreign active client and unknown config are refused', async () => {
    const host = await startHost();
    const client = await host.client();
    await client.request('createSession', { channel: SESSION });
    const create = (params: object): Promise<unknown> =>
      client.raw('createSession', { channel: 'ahp-session:/other', ...params });
    await expect(create({ channel: SESSION })).rejects.toMatchObject({ code: -32003 });
    await expect(create({ provider: 'none' })).rejects.toMatchObject({ code: -32002 });
    await expect(create({ channel: 'ahp-chat:/x' })).rejects.toMatchObject({ code: -32602 });
    await expect(create({ channel: `ahp-session:/${'x'.repeat(512)}` })).rejects.toMatchObject({
      code: -32602,
    });
    await expect(create({ channel: 'ahp-session:/x/annotations' })).rejects.toMatchObject({ code: -32602 });
    await expect(create({ activeClient: { clientId: 'else', tools: [] } })).rejects.toMatchObject({
      code: -32602,
    });
    await expect(create({ config: { noSuchKey: 1 } })).rejects.toMatchObject({ code: -32602 });
    await create({ channel: 'puppet:/0d5c', activeClient: { clientId: client.clientId, tools: [] } });
  });

  test('[SESS-1] the repository that a session works in is its project, in its state and in the catalogue', async () => {
    const root = realpathSync(temporaryFolder());
    mkdirSync(join(root, 'repo', 'src'), { recursive: true });
    mkdirSync(join(root, 'repo', '.git'));
    writeFileSync(join(root, 'repo', '.git', 'HEAD'), 'ref: refs/heads/main\n');
    const host = await startHost({ roots: [root], defaultDirectory: root });
    const client = await host.client();
    const workingDirectory = pathToFileURL(join(root, 'repo', 'src')).href;
    await client.request('createSession', { channel: SESSION, workingDirectories: [workingDirectory] });
    await client.request('createSession', { channel: 'ahp-session:/outside' });
    const project = { uri: pathToFileURL(join(root, 'repo')).href, displayName: 'repo' };
    expect((await stateOf(client)).project).toEqual(project);
    expect(await stateOf(client, 'ahp-session:/outside')).not.toHaveProperty('project');
    const { items } = await client.request('listSessions', { channel: ROOT });
    expect(items.map((item) => item.project).toSorted()).toEqual([project, undefined]);
  });

  test('[SESS-1] working directories are checked: not a file URI, missing, no directory, outside the roots, in this order', async () => {
    const root = temporaryFolder();
    const outside = temporaryFolder();
    writeFileSync(join(root, 'file'), 'x');
    const host = await startHost({ roots: [root], defaultDirectory: root });
    const admin = await host.client();
    const guest = await host.client('guest', {}, GUEST);
    let count = 0;
    const create = (client: RawClient, workingDirectory: string): Promise<unknown> => {
      count += 1;
      return client.request('createSession', {
        channel: `ahp-session:/${count}`,
        workingDirectories: [workingDirectory],
      });
    };
    await expect(create(guest, 'https://example.org/')).rejects.toMatchObject({ code: -32602 });
    await expect(create(guest, pathToFileURL(join(outside, 'none')).href)).rejects.toMatchObject({
      code: -32008,
    });
    await expect(create(guest, pathToFileURL(join(root, 'file')).href)).rejects.toMatchObject({
      code: -32008,
    });
    await expect(create(guest, pathToFileURL(outside).href)).rejects.toMatchObject({ code: -32009 });
    await create(guest, pathToFileURL(root).href);
    await create(admin, pathToFileURL(outside).href);
    await guest.request('createSession', { channel: SESSION });
    expect((await stateOf(guest)).workingDirectories).toStrictEqual([pathToFileURL(root).href]);
  });

  test('[SESS-2] it exists in the state creating, with its default chat, when the answer is sent; then it becomes ready', async () => {
    const host = await startHost();
    let open: () => void = () => undefined;
    host.agent.opening = new Promise((resolve) => {
      open = resolve;
    });
    const watcher = await host.client('watcher', { initialSubscriptions: [ROOT] });
    const client = await host.client();
    await client.request('createSession', { channel: SESSION });
    const created = await stateOf(client);
    expect(created).toMatchObject({ lifecycle: 'creating', provider: 'puppet', activeClients: [] });
    expect(created.chats.map(({ resource }) => resource)).toEqual([created.defaultChat]);
    expect(watcher.notifications('root/sessionAdded')).toHaveLength(1);
    const chat = created.defaultChat ?? '';
    expect((await client.act(chat, turnStarted('t1')))?.rejectionReason).toBeUndefined();
    await client.request('createChat', { channel: SESSION, chat: 'ahp-chat:/early' });
    await host.run();
    expect(host.agent.turns).toHaveLength(0);
    open();
    await host.run();
    expect((await stateOf(client)).lifecycle).toBe('ready');
    expect(host.agent.turn.input.turnId).toBe('t1');
    expect(client.types(SESSION)).toContain('session/ready');
  });

  test('[SESS-2] [CHAT-3] when it fails, a waiting turn ends with the error and later ones are rejected', async () => {
    const host = await startHost();
    let refuse: (error: Error) => void = () => undefined;
    host.agent.opening = new Promise((_, reject) => {
      refuse = reject;
    });
    const client = await host.client();
    await client.request('createSession', { channel: SESSION });
    const { defaultChat = '' } = await stateOf(client);
    await client.act(defaultChat, turnStarted('t1'));
    refuse(new Error('no such agent'));
    await host.run();
    expect(await stateOf(client)).toMatchObject({
      lifecycle: 'failed',
      creationError: { message: 'no such agent' },
    });
    const { state } = await client.subscribe(defaultChat);
    expect(state).toMatchObject({
      turns: [
        { id: 't1', state: 'error', responseParts: [{ kind: 'error', error: { message: 'no such agent' } }] },
      ],
    });
    expect((await client.act(defaultChat, turnStarted('t2')))?.rejectionReason).toMatch(/^creationFailed: /);
  });

  test('[SESS-3] disposal cancels turns, removes chats, notifies root subscribers and ends subscriptions, in this order, and deletes everything', async () => {
    const host = await startHost();
    const client = await host.client('one', { initialSubscriptions: [ROOT] });
    const { session, chat } = await host.session(client);
    await client.request('createChat', { channel: session, chat: 'ahp-chat:/second' });
    await client.subscribe('ahp-chat:/second');
    await client.act(chat, turnStarted('t1'));
    await host.run();
    client.clear();
    await client.request('disposeSession', { channel: session });
    const heard = client.frames.map(({ method, params }) =>
      method === 'action' ? params?.action.type : method,
    );
    const order = ['chat/turnCancelled', 'session/chatRemoved', 'root/sessionRemoved'];
    expect(order.map((type) => heard.lastIndexOf(type))).toEqual(
      order.map((type) => heard.lastIndexOf(type)).toSorted((a, b) => a - b),
    );
    expect(order.every((type) => heard.includes(type))).toBe(true);
    expect(heard.indexOf('session/chatRemoved')).toBeGreaterThan(heard.indexOf('chat/turnCancelled'));
    await host.run();
    expect(host.agent.turn.signal.aborted).toBe(true);
    for (const uri of [session, chat, 'ahp-chat:/second']) {
      await expect(client.subscribe(uri)).rejects.toMatchObject({ code: uri === session ? -32001 : -32008 });
    }
    await expect(client.request('disposeSession', { channel: session })).rejects.toMatchObject({
      code: -32001,
    });
    await host.restart();
    const again = await host.client();
    await expect(again.subscribe(session)).rejects.toMatchObject({ code: -32001 });
    expect((await again.request('listSessions', { channel: ROOT })).items).toEqual([]);
  });
});

describe('state', () => {
  test('[SESS-4] read and archived are independent of the activity of a session, and ready changes neither', async () => {
    const host = await startHost();
    const client = await host.client();
    const { session, chat } = await host.session(client);
    await client.act(session, { type: 'session/isReadChanged', isRead: true });
    await client.act(session, { type: 'session/isArchivedChanged', isArchived: true });
    const flags = SessionStatus.IsRead | SessionStatus.IsArchived;
    expect((await stateOf(client)).status).toBe(SessionStatus.Idle | flags);
    await client.act(chat, turnStarted('t1'));
    await host.run();
    expect((await stateOf(client)).status).toBe(SessionStatus.InProgress | SessionStatus.IsArchived);
  });

  test('[SESS-5] a session shows the state of its chats: input before error, otherwise the default chat’s activity', async () => {
    const host = await startHost();
    const client = await host.client();
    const { session, chat } = await host.session(client);
    await client.request('createChat', { channel: session, chat: 'ahp-chat:/second' });
    await client.act(session, { type: 'session/isReadChanged', isRead: true });
    await client.act(chat, turnStarted('t1'));
    await host.run();
    expect(client.types(session), 'the host clears IsRead').toContain('session/isReadChanged');
    host.agent.turn.output.activity('reading');
    await host.run();
    expect(await stateOf(client)).toMatchObject({ status: SessionStatus.InProgress, activity: 'reading' });
    const first = host.agent.turn;
    await client.act('ahp-chat:/second', turnStarted('t2'));
    await host.run();
    void host.agent.turn.output
      .toolCall({ toolName: 'x', displayName: 'X' })
      .confirm({ invocationMessage: 'x' });
    await host.run();
    expect((await stateOf(client)).status).toBe(SessionStatus.InputNeeded);
    await client.act('ahp-chat:/second', { type: 'chat/turnCancelled', turnId: 't2', duration: 0 });
    first.fail(new Error('broken'));
    await host.run();
    expect((await stateOf(client)).status).toBe(SessionStatus.Error);
    await client.act(chat, turnStarted('t3'));
    await host.run();
    expect((await stateOf(client)).status).toBe(SessionStatus.InProgress);
  });

  test('[SESS-6] every change of a chat’s summary is in the catalogue; a removed field comes as a whole chatAdded', async () => {
    const host = await startHost();
    const client = await host.client();
    const { session, chat } = await host.session(client);
    client.clear();
    await client.act(chat, turnStarted('t1'));
    await host.run();
    host.agent.turn.output.activity('reading');
    await host.run();
    const summaryOf = async () => (await stateOf(client, session)).chats[0];
    expect(await summaryOf()).toMatchObject({ status: SessionStatus.InProgress, activity: 'reading' });
    host.agent.turn.output.activity(undefined);
    host.agent.turn.complete();
    await host.run();
    const { state } = await client.subscribe(chat);
    const summary = await summaryOf();
    expect(summary).not.toHaveProperty('activity');
    expect(summary).toMatchObject({ status: SessionStatus.Idle });
    expect('turns' in state && state.modifiedAt).toBe(summary?.modifiedAt);
    expect(client.types(session)).toEqual(
      expect.arrayContaining(['session/chatUpdated', 'session/chatAdded']),
    );
  });

  test('[SESS-7] every open question of every chat is in inputNeeded, and can be answered without subscribing', async () => {
    const host = await startHost();
    const asker = await host.client();
    const { session, chat } = await host.session(asker);
    await asker.act(chat, turnStarted('t1'));
    await host.run();
    const call = host.agent.turn.output.toolCall({ toolCallId: 'c1', toolName: 'x', displayName: 'X' });
    const answer = call.confirm({ invocationMessage: 'may I?' });
    await host.run();
    const elsewhere = await host.client('elsewhere', { initialSubscriptions: [session] });
    const { inputNeeded } = await stateOf(elsewhere, session);
    expect(inputNeeded).toMatchObject([
      {
        kind: 'toolConfirmation',
        chat,
        turnId: 't1',
        toolCall: { toolCallId: 'c1', status: 'pending-confirmation' },
      },
    ]);
    const echo = await elsewhere.act(chat, approved('t1', 'c1'));
    expect(echo?.rejectionReason).toBeUndefined();
    expect(await answer).toMatchObject({ approved: true });
    expect(await stateOf(elsewhere, session)).not.toHaveProperty('inputNeeded.0');
    void call.complete({ success: true, pastTenseMessage: 'x' }, { requiresResultConfirmation: true });
    await host.run();
    expect((await stateOf(elsewhere, session)).inputNeeded).toMatchObject([
      { kind: 'toolConfirmation', toolCall: { status: 'pending-result-confirmation' } },
    ]);
    host.agent.turn.complete();
    await host.run();
    expect(await stateOf(elsewhere, session)).not.toHaveProperty('inputNeeded.0');
  });

  test('[SESS-7] open questions survive disconnections: late clients see them, after a reconnect too', async () => {
    const host = await startHost();
    const client = await host.client();
    const { session, chat } = await host.session(client);
    await client.act(chat, turnStarted('t1'));
    await host.run();
    void host.agent.turn.output
      .toolCall({ toolName: 'x', displayName: 'X' })
      .confirm({ invocationMessage: 'x' });
    await host.run();
    const lastSeen = Math.max(...client.envelopes().map(({ serverSeq }) => serverSeq));
    client.link.cut();
    await host.advance(120_000);
    const back = host.connect(client.clientId);
    await back.reconnect(lastSeen, [session, chat]);
    expect((await stateOf(back, session)).inputNeeded).toHaveLength(1);
  });

  test('[SESS-5] [SESS-10] the activity of the session is that of the chat that represents it', async () => {
    const host = await startHost();
    const client = await host.client();
    const { session, chat } = await host.session(client);
    await client.request('createChat', { channel: session, chat: 'ahp-chat:/second' });
    await client.act(chat, turnStarted('t1'));
    await host.run();
    const first = host.agent.turn;
    await client.act('ahp-chat:/second', turnStarted('t2'));
    await host.run();
    client.clear();
    first.output.activity('reading');
    host.agent.turn.output.activity('thinking');
    await host.run();
    void host.agent.turn.output
      .toolCall({ toolName: 'x', displayName: 'X' })
      .confirm({ invocationMessage: 'x' });
    await host.run();
    await client.act('ahp-chat:/second', { type: 'chat/turnCancelled', turnId: 't2', duration: 0 });
    first.output.activity(undefined);
    await host.run();
    const said = client
      .envelopes(session)
      .flatMap(({ action }) => (action.type === 'session/activityChanged' ? [action.activity] : []));
    expect(said).toEqual(['reading', 'thinking', 'reading', undefined]);
    const refused = await client.act(session, { type: 'session/activityChanged', activity: 'mine' });
    expect(refused?.rejectionReason).toBeDefined();
  });

  test('[SESS-5] the session becomes unread when a turn starts or a question is asked, and its time is that of its newest chat', async () => {
    const host = await startHost();
    const client = await host.client();
    const { session, chat } = await host.session(client);
    await client.request('createChat', { channel: session, chat: 'ahp-chat:/second' });
    const isRead = async () => ((await stateOf(client)).status & SessionStatus.IsRead) !== 0;
    const read = () => client.act(session, { type: 'session/isReadChanged', isRead: true });
    const entry = async () => (await client.request('listSessions', { channel: ROOT })).items[0];
    await read();
    await client.act(session, { type: 'session/isArchivedChanged', isArchived: true });
    await host.advance(5_000);
    const startedAt = new Date(host.clock.now()).toISOString();
    await client.act('ahp-chat:/second', { ...turnStarted('t1'), startedAt });
    await host.run();
    expect(await isRead()).toBe(false);
    expect((await stateOf(client)).status & SessionStatus.IsArchived).not.toBe(0);
    const started = (await entry())?.modifiedAt ?? '';
    expect(Date.parse(started)).toBe(host.clock.now());
    await client.act(chat, turnStarted('t2'));
    await read();
    await host.advance(5_000);
    void host.agent.turn.output.ask({ requestId: 'r', message: 'Well?' });
    await host.run();
    expect(await isRead()).toBe(false);
    expect((await entry())?.modifiedAt).toBe(started);
  });

  test('[SESS-11] [SESS-6] a chat is named by its agent unless its creator has named it, and only the default chat names the session', async () => {
    const host = await startHost();
    const client = await host.client();
    const { session, chat } = await host.session(client);
    await client.request('createChat', { channel: session, chat: 'ahp-chat:/second' });
    const titles = async () => {
      const state = await stateOf(client);
      return [state.title, ...state.chats.map(({ title }) => title)];
    };
    await client.act('ahp-chat:/second', turnStarted('t1', 'Beside the point'));
    await client.act(chat, turnStarted('t1', 'To the point'));
    await host.run();
    expect(await titles()).toEqual(['Beside the point', 'To the point', 'Beside the point']);
    const agentOf = (uri: string) => host.agent.opened.find((opened) => opened.chat === uri)?.host;
    agentOf('ahp-chat:/second')?.title('Digression');
    await host.run();
    expect(await titles()).toEqual(['Beside the point', 'To the point', 'Digression']);
    agentOf(chat)?.title('Point');
    agentOf(chat)?.title('  ');
    await host.run();
    expect(await titles()).toEqual(['Point', 'Point', 'Digression']);
  });

  test('[SESS-1] an agent without a required token is refused with the requirement', async () => {
    const host = await startHost();
    const client = await host.client();
    const needed = { resource: 'https://api.example.org' };
    const describe = host.agent.describe.bind(host.agent);
    host.agent.describe = () => ({
      ...describe(),
      protectedResources: [needed, { resource: 'https://extra.example.org', required: false }],
    });
    const refused = client.request('createSession', {
      channel: SESSION,
      workingDirectories: ['https://example.org/'],
    });
    await expect(refused).rejects.toMatchObject({ code: -32007, data: { resources: [needed] } });
  });

  test('[SESS-10] title, read and archived change as dispatched', async () => {
    const host = await startHost();
    const client = await host.client();
    const { session } = await host.session(client);
    const actions = [
      { type: 'session/titleChanged', title: 'Named' },
      { type: 'session/isReadChanged', isRead: true },
      { type: 'session/isArchivedChanged', isArchived: true },
      { type: 'session/isArchivedChanged', isArchived: false },
    ];
    for (const action of actions) expect((await client.act(session, action))?.action).toEqual(action);
    expect(await stateOf(client)).toMatchObject({
      title: 'Named',
      status: SessionStatus.Idle | SessionStatus.IsRead,
    });
  });

  test('[SESS-8] a client sets and removes only itself among the active clients', async () => {
    const host = await startHost();
    const client = await host.client('me');
    const { session } = await host.session(client);
    const join = (clientId: string) => ({
      type: 'session/activeClientSet',
      activeClient: { clientId, tools: [] },
    });
    expect((await client.act(session, join('you')))?.rejectionReason).toMatch(/^notYours: /);
    await client.act(session, join('me'));
    await client.act(session, join('me'));
    expect((await stateOf(client)).activeClients).toEqual([{ clientId: 'me', tools: [] }]);
    const leave = { type: 'session/activeClientRemoved', clientId: 'me' };
    const other = await host.client('you');
    expect((await other.act(session, leave))?.rejectionReason).toMatch(/^notYours: /);
    await client.act(session, leave);
    expect((await stateOf(client)).activeClients).toEqual([]);
  });

  test('[SESS-11] the first user message gives the title, unless a client has set it; a client’s title replaces the agent’s', async () => {
    const host = await startHost();
    const client = await host.client();
    const { session, chat } = await host.session(client);
    await client.act(chat, turnStarted('t1', '\n  Fix the   bug\nplease'));
    await host.run();
    expect((await stateOf(client)).title).toBe('Fix the bug');
    host.agent.opened[0]?.host.title('Bug fixed');
    await host.run();
    expect((await stateOf(client)).title).toBe('Bug fixed');
    await client.act(session, { type: 'session/titleChanged', title: 'Mine' });
    host.agent.opened[0]?.host.title('Not yours');
    await host.run();
    expect((await stateOf(client)).title).toBe('Mine');
    const named = await host.session(client, 'ahp-session:/named');
    await client.act(named.session, { type: 'session/titleChanged', title: 'First' });
    await client.act(named.chat, turnStarted('t1', 'Something'));
    await host.run();
    expect((await stateOf(client, named.session)).title).toBe('First');
  });
});
