import { describe, expect, it } from 'vitest';
import { dialectOf } from '../chain.ts';

const old = dialectOf('0.4.0');
const look = { channel: 'ahp-session:/s', clientId: 'me' };
const clients = [
  { clientId: 'other', tools: [] },
  { clientId: 'me', tools: [{ name: 't' }] },
];
const session = {
  provider: 'p',
  title: 'Bread',
  status: 1,
  lifecycle: 'ready',
  workingDirectories: ['file:///w', 'file:///x'],
  activeClients: clients,
  inputNeeded: [],
  chats: [
    { resource: 'c', title: '', status: 1, modifiedAt: '1970-01-01T00:00:02.000Z' },
    { resource: 'd', title: '', status: 1, modifiedAt: '1970-01-01T00:00:01.000Z' },
  ],
};

describe('[DIA-1] step H, sessions', () => {
  it('[DIA-2] a state has a summary with times in milliseconds, and one active client', () => {
    expect(old.stateDown('session', session, look)).toStrictEqual({
      summary: {
        resource: 'ahp-session:/s',
        provider: 'p',
        title: 'Bread',
        status: 1,
        workingDirectory: 'file:///w',
        createdAt: 1_000,
        modifiedAt: 2_000,
      },
      lifecycle: 'ready',
      activeClient: clients[1],
      chats: session.chats,
    });
    const stranger = old.stateDown('session', session, { ...look, clientId: 'x' });
    expect(stranger).toMatchObject({ activeClient: clients[0] });
    expect(old.stateUp('session', old.stateDown('session', session, look), look)).toMatchObject({
      provider: 'p',
      title: 'Bread',
      workingDirectories: ['file:///w'],
      activeClients: [clients[1]],
    });
  });

  it('[DIA-2] a state’s summary has the time of the session’s creation, where it is known', () => {
    const createdAt = () => '1970-01-01T00:00:00.500Z';
    expect(old.stateDown('session', session, { ...look, createdAt })).toMatchObject({
      summary: { createdAt: 500, modifiedAt: 2_000 },
    });
    expect(old.stateDown('session', { ...session, chats: [] }, { ...look, createdAt })).toMatchObject({
      summary: { createdAt: 500, modifiedAt: 500 },
    });
  });

  it('[DIA-2] catalogue entries have times in milliseconds, in lists and in notifications', () => {
    const createdAt = '1970-01-01T00:00:05.000Z';
    expect(old.resultDown('listSessions', { items: [{ resource: 's', createdAt }] }, look)).toStrictEqual({
      items: [{ resource: 's', createdAt: 5_000 }],
    });
    const changes = { modifiedAt: createdAt };
    expect(old.notificationDown('root/sessionSummaryChanged', { changes }, look)).toStrictEqual({
      changes: { modifiedAt: 5_000 },
    });
    expect(old.notificationDown('root/progress', { progressToken: 'p' }, look)).toBeUndefined();
  });

  it('[DIA-1] joining and leaving change the active client that this client sees', () => {
    const set = { type: 'session/activeClientSet', activeClient: clients[0] };
    const changed = 'session/activeClientChanged';
    expect(old.actionDown(set, { ...look, after: session })).toStrictEqual([
      { type: changed, activeClient: clients[1] },
    ]);
    const removed = { type: 'session/activeClientRemoved', clientId: 'other' };
    expect(old.actionDown(removed, { ...look, after: { activeClients: [] } })).toStrictEqual([
      { type: changed, activeClient: null },
    ]);
    expect(() => old.actionDown(set, look)).toThrow('the state of this moment');
    expect(old.actionUp({ type: changed, activeClient: clients[1] }, look)).toStrictEqual({
      type: 'session/activeClientSet',
      activeClient: clients[1],
    });
    expect(old.actionUp({ type: changed, activeClient: null }, look)).toStrictEqual({
      type: 'session/activeClientRemoved',
      clientId: 'me',
    });
    const tools = [{ name: 'u' }];
    expect(
      old.actionUp({ type: 'session/activeClientToolsChanged', tools }, { ...look, before: session }),
    ).toStrictEqual({ type: 'session/activeClientSet', activeClient: { clientId: 'me', tools } });
  });
});

describe('[DIA-1] step H, models', () => {
  it('[DIA-2] the chat has the model and agent of its last message, and messages have none', () => {
    const message = {
      text: 'x',
      origin: { kind: 'user' },
      model: { id: 'm', config: { depth: 3, fast: true } },
      agent: { uri: 'a' },
    };
    const { model: _, agent: __, ...plain } = message;
    const state = { turns: [{ id: 't', message, responseParts: [], state: 'complete' }], draft: message };
    expect(old.stateDown('chat', state, look)).toMatchObject({
      turns: [{ id: 't', message: plain }],
      model: { id: 'm', config: { depth: '3', fast: 'true' } },
      agent: { uri: 'a' },
    });
    expect(old.stateDown('chat', state, look)).not.toHaveProperty('draft');
    expect(old.actionDown({ type: 'chat/draftChanged', draft: message }, look)).toStrictEqual([]);
  });

  it('[DIA-1] chats and catalogue entries have the model that was chosen for them, else that of their last message', () => {
    const last = { model: { id: 'l' }, agent: { uri: 'l' } };
    const choices = (uri: string) =>
      uri === 'x' ? undefined : { chosen: { model: { id: 'm', config: { depth: 3 } } }, last };
    const shown = { model: { id: 'm', config: { depth: '3' } }, agent: last.agent };
    const entry = (resource: string) => ({ resource, title: '', status: 1 });
    const items = old.resultDown('listSessions', { items: [entry('s'), entry('x')] }, { ...look, choices });
    expect(items).toStrictEqual({ items: [{ ...entry('s'), ...shown }, entry('x')] });
    const state = { ...session, chats: [entry('c'), entry('x')] };
    expect(old.stateDown('session', state, { ...look, choices })).toMatchObject({
      summary: shown,
      chats: [{ ...entry('c'), ...shown }, entry('x')],
    });
    expect(old.stateDown('chat', { turns: [] }, { ...look, choices })).toStrictEqual({
      turns: [],
      model: shown.model,
    });
  });

  it('[DIA-1] messages get the model that was chosen for their chat, unless they name one', () => {
    const choices = () => ({ chosen: { model: { id: 'm' } }, last: { model: { id: 'l' } } });
    const started = (message: object) =>
      old.actionUp({ type: 'chat/turnStarted', turnId: 't', startedAt: '', message }, { ...look, choices });
    expect(started({ text: 'x' })).toMatchObject({ message: { text: 'x', model: { id: 'm' } } });
    expect(started({ text: 'x', model: { id: 'n' } })).toMatchObject({ message: { model: { id: 'n' } } });
    const first = { initialMessage: { text: 'x' }, model: { id: 'n' } };
    expect(old.paramsUp('createChat', first, look)).toMatchObject({
      initialMessage: { text: 'x', model: { id: 'n' } },
    });
  });

  it('[DIA-2] models have one limit of tokens', () => {
    const model = { id: 'm', maxContextWindow: 3, maxOutputTokens: 1, maxPromptTokens: 2 };
    expect(old.stateDown('root', { agents: [{ provider: 'p', models: [model] }] }, look)).toStrictEqual({
      agents: [{ provider: 'p', models: [{ id: 'm', maxContextWindow: 3 }] }],
    });
  });

  it('[DIA-2] choices of settings are texts', () => {
    const schema = { type: 'object', properties: { a: { type: 'string', enum: ['x', 1, null] } } };
    const models = [{ id: 'm', configSchema: schema }];
    expect(
      old.stateDown('root', { agents: [{ provider: 'p', models }], config: { schema, values: {} } }, look),
    ).toMatchObject({
      agents: [{ models: [{ configSchema: { properties: { a: { enum: ['x'] } } } }] }],
      config: { schema: { properties: { a: { enum: ['x'] } } } },
    });
  });
});
