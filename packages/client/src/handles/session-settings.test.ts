import { type ProgressParams, SessionStatus } from '@agenthost/protocol';
import { expect, test } from 'vitest';
import { Harness } from '../../test/harness.ts';

test('[SESS-9] [SESS-10] title, read, archived and config each have a method, whose effect shows at once', async () => {
  const it = await new Harness().online();
  const session = await it.run(it.client.sessions.create());
  const state = it.host.states.get(session.uri);
  if (state === undefined || !('activeClients' in state)) throw new Error('no session');
  it.host.states.set(session.uri, {
    ...state,
    config: { schema: { type: 'object', properties: {} }, values: { mode: 'ask' } },
  });
  await it.cut();
  it.host.isSnapshotOnly = true;
  await it.comeBack();
  const { mirror } = session;
  const outcomes = [
    session.rename('Named'),
    session.setRead(true),
    session.setArchived(true),
    session.configure({ approvals: 'all' }),
    session.setMetadata({ team: 'red' }),
  ];
  expect(mirror.state).toMatchObject({
    title: 'Named',
    status: SessionStatus.Idle | SessionStatus.IsRead | SessionStatus.IsArchived,
    config: { values: { mode: 'ask', approvals: 'all', metadata: { team: 'red' } } },
  });
  expect(await it.run(Promise.all(outcomes))).toMatchObject(outcomes.map(() => ({ outcome: 'accepted' })));
  const undone = it.run(Promise.all([session.setRead(false), session.setArchived(false)]));
  await undone;
  expect(mirror.state.status).toBe(SessionStatus.Idle);
});

test('[SESS-5] [SESS-11] title, read and archived can be changed without opening the session', async () => {
  const it = await new Harness().online();
  const session = await it.run(it.client.sessions.create());
  const { uri } = session;
  session.dispose();
  const { sessions } = it.client;
  const outcomes = [
    sessions.rename(uri, 'Named'),
    sessions.setRead(uri, true),
    sessions.setArchived(uri, true),
  ];
  expect(await it.run(Promise.all(outcomes))).toMatchObject(outcomes.map(() => ({ outcome: 'accepted' })));
  expect(it.host.states.get(uri)).toMatchObject({
    title: 'Named',
    status: SessionStatus.Idle | SessionStatus.IsRead | SessionStatus.IsArchived,
  });
});

test('[CHAT-42] [SESS-29] reading, archiving and moving a chat each have a method', async () => {
  const it = await new Harness().online();
  const session = await it.run(it.client.sessions.create());
  const { chat } = session;
  const outcomes = [chat.setRead(true), chat.setArchived(true)];
  expect(chat.mirror.state.status).toBe(SessionStatus.Idle | SessionStatus.IsRead | SessionStatus.IsArchived);
  expect(await it.run(Promise.all(outcomes))).toMatchObject(outcomes.map(() => ({ outcome: 'accepted' })));
  const moving = session.moveChat(chat.mirror.uri, { kind: 'session', session: 'ahp-session:/other' });
  await expect(it.run(moving)).rejects.toMatchObject({ code: -32601 });
  expect(it.host.requests.find(({ method }) => method === 'moveChat')?.params).toMatchObject({
    channel: chat.mirror.uri,
    destination: { kind: 'session', session: 'ahp-session:/other' },
  });
});

test('[ROOT-3] the creator of a session gets the progress of that session until its end', async () => {
  const it = await new Harness().online();
  const heard: string[] = [];
  const onProgress = ({ progress, message }: ProgressParams): void =>
    void heard.push(`${progress} ${message}`);
  await it.run(it.client.sessions.create({ onProgress }));
  const { params } = it.host.requests.find(({ method }) => method === 'createSession') ?? {};
  const { progressToken } = JSON.parse(JSON.stringify(params));
  const tell = (progress: number, message: string, token = progressToken): void =>
    it.host.notifyAll('root/progress', {
      channel: 'ahp-root://',
      progressToken: token,
      progress,
      total: 2,
      message,
    });
  tell(0, 'begins');
  tell(1, 'of another', 'else');
  tell(2, 'done');
  tell(2, 'again');
  await it.settle();
  expect(heard).toEqual(['0 begins', '2 done']);
});

test('[ROOT-3] without a listener no progress is requested', async () => {
  const it = await new Harness().online();
  await it.run(it.client.sessions.create());
  const { params } = it.host.requests.find(({ method }) => method === 'createSession') ?? {};
  expect(params).not.toHaveProperty('progressToken');
});
