import { turnStarted } from '@agenthost/testkit';
import { expect, test } from 'vitest';
import { ROOT, startHost } from './host-fixture.ts';

const title = (text: string) => ({ type: 'session/titleChanged', title: text });
const session = (name: string): string => `ahp-session:/${name}`;

test('[ROOT-1] root state has the agents, the number of sessions and the build, and follows changes', async () => {
  const host = await startHost({ serverInfo: { name: 'tested', version: '1.2.3' } });
  const client = await host.client('one', { initialSubscriptions: [ROOT] });
  const { state } = await client.subscribe(ROOT);
  expect(state).toMatchObject({
    agents: [{ provider: 'puppet', displayName: 'Puppet' }],
    activeSessions: 0,
    terminals: [],
    _meta: { hostBuild: 'tested 1.2.3' },
  });
  client.clear();
  await client.request('createSession', { channel: session('a') });
  await client.request('createSession', { channel: session('b') });
  await client.request('disposeSession', { channel: session('a') });
  await host.run();
  const counts = client
    .envelopes(ROOT)
    .flatMap(({ action }) => (action.type === 'root/activeSessionsChanged' ? [action.activeSessions] : []));
  expect(counts).toEqual([1, 2, 1]);
  await host.restart();
  const again = await host.client();
  expect((await again.subscribe(ROOT)).state).toMatchObject({ activeSessions: 1 });
});

test('[ROOT-2] sessions are listed newest first: all at once or page by page, after restarts too', async () => {
  const host = await startHost();
  const client = await host.client();
  for (const name of ['a', 'b', 'c', 'd', 'e']) {
    await client.request('createSession', { channel: session(name) });
    await host.advance(1_000);
  }
  const { defaultChat } = JSON.parse(JSON.stringify((await client.subscribe(session('b'))).state));
  const startedAt = new Date(host.clock.now()).toISOString();
  await client.act(defaultChat, { ...turnStarted('t1'), startedAt });
  await host.run();
  const newestFirst = ['b', 'e', 'd', 'c', 'a'].map(session);
  const all = await client.request('listSessions', { channel: ROOT });
  expect(all.items.map(({ resource }) => resource)).toEqual(newestFirst);
  expect(all).not.toHaveProperty('nextCursor');
  const first = await client.request('listSessions', { channel: ROOT, limit: 2 });
  await host.restart();
  const again = await host.client();
  const pages = [first.items];
  for (let cursor = first.nextCursor; cursor !== undefined; ) {
    const page = await again.request('listSessions', { channel: ROOT, limit: 2, cursor });
    pages.push(page.items);
    cursor = page.nextCursor;
  }
  // The restart ended the turn of b, which still is the newest.
  expect(pages.flat().map(({ resource }) => resource)).toEqual(newestFirst);
  expect(pages.map((page) => page.length)).toEqual([2, 2, 1]);
  await expect(again.request('listSessions', { channel: ROOT, cursor: 'rubbish' })).rejects.toMatchObject({
    code: -32602,
  });
});

test('[ROOT-3] root subscribers get added, changed and removed sessions; no other client does', async () => {
  const host = await startHost();
  const watcher = await host.client('watcher', { initialSubscriptions: [ROOT] });
  const client = await host.client();
  const made = await host.session(client, session('a'));
  const [added] = watcher.notifications('root/sessionAdded');
  expect(added).toMatchObject({
    channel: ROOT,
    summary: { resource: made.session, provider: 'puppet', title: '', status: 1 },
  });
  watcher.clear();
  await client.act(made.session, title('named'));
  await client.act(made.session, { type: 'session/isReadChanged', isRead: true });
  await host.run();
  await client.act(made.chat, turnStarted('t1'));
  await host.run();
  host.agent.turn.output.activity('thinking');
  await host.run();
  host.agent.turn.output.activity(undefined);
  await host.run();
  const changes = watcher
    .notifications('root/sessionSummaryChanged')
    .map((params) => JSON.parse(JSON.stringify(params)).changes);
  expect(changes).toContainEqual({ title: 'named' });
  expect(changes).toContainEqual({ activity: 'thinking' });
  expect(changes).toContainEqual({ activity: '' });
  for (const each of changes) {
    expect(Object.keys(each).filter((key) => ['resource', 'provider', 'createdAt'].includes(key))).toEqual(
      [],
    );
  }
  watcher.clear();
  await client.request('disposeSession', { channel: made.session });
  await host.run();
  expect(watcher.notifications('root/sessionRemoved')).toEqual([{ channel: ROOT, session: made.session }]);
  expect(client.frames.filter(({ method }) => method?.startsWith('root/'))).toEqual([]);
});

test('[ROOT-3] the notifications about a session add up to its entry in the list', async () => {
  const host = await startHost();
  const watcher = await host.client('watcher', { initialSubscriptions: [ROOT] });
  const client = await host.client();
  const { chat } = await host.session(client, session('a'));
  for (const turn of ['t1', 't2']) {
    await client.act(chat, turnStarted(turn));
    await host.advance(100);
    host.agent.turn.output.activity(turn);
    await host.advance(100);
    host.agent.turn.complete();
    await host.advance(100);
  }
  const told = watcher.frames.reduce<Record<string, unknown>>((summary, { method, params }) => {
    const { summary: added, changes } = JSON.parse(JSON.stringify(params ?? {}));
    if (method === 'root/sessionAdded') return added;
    return method === 'root/sessionSummaryChanged' ? { ...summary, ...changes } : summary;
  }, {});
  const { items } = await client.request('listSessions', { channel: ROOT });
  const { activity, ...rest } = told;
  expect(items[0]).toEqual({ ...rest, ...(activity === '' ? {} : { activity }) });
});
