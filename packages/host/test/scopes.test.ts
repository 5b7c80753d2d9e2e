import { expect, test } from 'vitest';
import type { TokenIdentity } from '../src/auth/access-tokens.ts';
import { AskingSession } from './approvals-fixture.ts';
import { type HostFixture, ROOT, startHost } from './host-fixture.ts';
import type { RawClient } from './raw-client.ts';
import { runTurns } from './turns.ts';

const OBSERVER: TokenIdentity = { tokenHash: 'of an observer', scope: 'observe' };
const WORKER: TokenIdentity = { tokenHash: 'of somebody who works', scope: 'interact' };

/** The identity of a secret. */
function identityOf(host: HostFixture, secret: string): TokenIdentity {
  const identity = host.host.core.accessTokens.identify(secret);
  if (identity === undefined) throw new Error('nobody comes by this secret');
  return identity;
}

const isIn = (host: HostFixture, secret: string): boolean =>
  host.host.core.accessTokens.identify(secret) !== undefined;

async function refusal(asked: Promise<unknown>): Promise<number | undefined> {
  return asked.then(
    () => undefined,
    (error: unknown) =>
      error instanceof Error && 'code' in error && typeof error.code === 'number' ? error.code : NaN,
  );
}

const reasonOf = (client: RawClient, clientSeq: number): string | undefined =>
  client.echoOf(clientSeq)?.rejectionReason;

test('[AUTH-1] an observer sees everything, and learns its scope', async () => {
  const host = await startHost();
  const owner = await host.client();
  const { session, chat } = await host.session(owner);
  const observer = host.connect('observer', OBSERVER);
  expect(await observer.initialize()).toMatchObject({ 'x-scope': 'observe' });
  expect(await owner.request('listSessions', { channel: ROOT })).toEqual(
    await observer.request('listSessions', { channel: ROOT }),
  );
  await observer.subscribe(session);
  await observer.subscribe(chat);
  const before = observer.envelopes().length;
  owner.dispatch(session, { type: 'session/titleChanged', title: 'seen' });
  await host.run();
  expect(
    observer
      .envelopes()
      .slice(before)
      .map(({ action }) => action),
  ).toContainEqual({
    type: 'session/titleChanged',
    title: 'seen',
  });
  await observer.request('fetchTurns', { channel: chat });
  await observer.request('x-searchSessions', { channel: ROOT, query: 'seen' });
  await observer.request('x-diskUse', { channel: session });
  host.kill();
});

test('[AUTH-1] every action of an observer is rejected, to it alone, and nothing changes', async () => {
  const host = await startHost();
  const owner = await host.client();
  const { session, chat } = await host.session(owner);
  const observer = await host.client('observer', {}, OBSERVER);
  const title = observer.dispatch(session, { type: 'session/titleChanged', title: 'no' });
  const read = observer.dispatch(session, { type: 'session/isReadChanged', isRead: false });
  const draft = observer.dispatch(chat, { type: 'chat/draftChanged' });
  const config = observer.dispatch(ROOT, { type: 'root/configChanged', config: {} });
  const before = owner.envelopes().length;
  await host.run();
  for (const clientSeq of [title, read, draft]) {
    expect(reasonOf(observer, clientSeq)).toMatch(/^permissionDenied: .* takes a token of scope interact; /);
  }
  expect(reasonOf(observer, config)).toBe(
    'permissionDenied: root/configChanged takes a token of scope admin; this one has observe, and may only look',
  );
  expect(observer.echoOf(config)?.['x-refusal']).toEqual({
    kind: 'scope',
    needed: 'admin',
    held: 'observe',
    asked: 'root/configChanged',
  });
  expect(owner.envelopes().length).toBe(before);
  host.kill();
});

test('[AUTH-1] a client of scope interact works in sessions, and decides nothing that outlasts the token', async () => {
  const host = await startHost();
  const worker = await host.client('worker', {}, WORKER);
  const { session } = await host.session(worker);
  const title = worker.dispatch(session, { type: 'session/titleChanged', title: 'mine' });
  const edits = worker.dispatch(session, {
    type: 'session/configChanged',
    config: { approvals: 'edits' },
  });
  const all = worker.dispatch(session, { type: 'session/configChanged', config: { approvals: 'all' } });
  const root = worker.dispatch(ROOT, { type: 'root/configChanged', config: { approvals: 'all' } });
  await host.run();
  expect([title, edits].map((seq) => reasonOf(worker, seq))).toEqual([undefined, undefined]);
  expect(reasonOf(worker, all)).toMatch(/^permissionDenied: `approvals: all` takes a token of scope admin/);
  expect(reasonOf(worker, root)).toMatch(/^permissionDenied: root\/configChanged/);
  const free = { channel: 'ahp-session:/free', config: { approvals: 'all' } };
  // The refusal is about the config, not about the creation of sessions.
  await expect(worker.request('createSession', free)).rejects.toMatchObject({
    code: -32009,
    message: expect.stringMatching(/^`approvals: all` takes a token of scope admin; this one has interact/),
    data: {
      'x-refusal': {
        kind: 'scope',
        needed: 'admin',
        held: 'interact',
        asked: 'createSession',
        setting: 'approvals',
      },
    },
  });
  expect(await refusal(worker.request('x-listTokens', { channel: ROOT }))).toBe(-32009);
  expect(await refusal(worker.request('x-createToken', { channel: ROOT, scope: 'admin' }))).toBe(-32009);
  host.kill();
});

test('[AUTH-1] a token is valid until its revocation, which ends its connections and frees its client ids', async () => {
  const host = await startHost();
  const owner = await host.client();
  const { token, secret } = await owner.request('x-createToken', {
    channel: ROOT,
    name: 'phone',
    scope: 'observe',
  });
  expect(secret).toMatch(/^aht_[\w-]{43}$/);
  expect(JSON.stringify([...host.journal.disk.tokens.values()])).not.toContain(secret);
  const phone = await host.client('phone', {}, identityOf(host, secret));
  await host.run();
  expect((await owner.request('x-listTokens', { channel: ROOT })).items).toEqual([
    { ...token, lastUsedAt: expect.any(String) },
  ]);
  await expect(host.client('phone')).rejects.toMatchObject({ code: -32009 });
  await owner.request('x-revokeToken', { channel: ROOT, id: token.id });
  expect(phone.closed).toMatchObject({ code: 4003, reason: 'the token was revoked' });
  expect(isIn(host, secret)).toBe(false);
  expect((await owner.request('x-listTokens', { channel: ROOT })).items).toEqual([]);
  await host.client('phone');
  expect(await refusal(owner.request('x-revokeToken', { channel: ROOT, id: token.id }))).toBe(-32008);
  host.kill();
});

test('[AUTH-1] tokens survive a restart, and a revoked one stays revoked, with its client ids', async () => {
  const host = await startHost();
  const owner = await host.client('owner');
  const kept = await owner.request('x-createToken', { channel: ROOT });
  const gone = await owner.request('x-createToken', { channel: ROOT, scope: 'admin' });
  await host.client('its', {}, identityOf(host, gone.secret));
  await owner.request('x-revokeToken', { channel: ROOT, id: gone.token.id });
  await host.restart();
  // Without a scope a token gets the least one.
  expect(identityOf(host, kept.secret).scope).toBe('observe');
  expect(isIn(host, gone.secret)).toBe(false);
  await host.client('its', {}, WORKER);
  host.kill();
});

test('[AUTH-1] a token expires on time, with its connections, even if the clock jumps', async () => {
  const host = await startHost();
  const owner = await host.client();
  const day = { channel: ROOT, lifetimeSeconds: 86_400 } as const;
  const { token, secret } = await owner.request('x-createToken', day);
  expect(Date.parse(token.expiresAt ?? '') - Date.parse(token.createdAt)).toBe(86_400_000);
  const client = await host.client('its', {}, identityOf(host, secret));
  await host.advance(86_400_000 - 1_000);
  expect([client.closed, isIn(host, secret)]).toEqual([undefined, true]);
  await host.advance(1_000);
  expect(client.closed).toMatchObject({ code: 4003, reason: 'the token has expired' });
  expect(isIn(host, secret)).toBe(false);
  // The token has expired, so another client may use the id.
  await host.client('its', {}, WORKER);
  host.kill();
});

test('[AUTH-1] a token that expires soon does so, even if others expire much later', async () => {
  const host = await startHost();
  const owner = await host.client();
  await owner.request('x-createToken', { channel: ROOT, lifetimeSeconds: 86_400 });
  const { secret } = await owner.request('x-createToken', { channel: ROOT, lifetimeSeconds: 5 });
  const client = await host.client('its', {}, identityOf(host, secret));
  await host.advance(5_000);
  expect(client.closed).toMatchObject({ code: 4003, reason: 'the token has expired' });
  host.kill();
});

test('[AUTH-1] [SESS-12] the fork of a session without approvals asks for approvals, unless an admin makes it', async () => {
  const host = await startHost();
  const owner = await host.client();
  const free = { channel: 'ahp-session:/free', config: { approvals: 'all', instructions: 'be brief' } };
  await owner.request('createSession', free);
  const chat = await defaultChatOf(owner, free.channel);
  await runTurns(host, owner, chat, ['t1']);
  const worker = await host.client('worker', {}, WORKER);
  const fork = { session: free.channel, turnId: 't1' };
  await worker.request('createSession', { channel: 'ahp-session:/copy', 'x-fork': fork });
  expect(await valuesOf(owner, 'ahp-session:/copy')).toMatchObject({
    approvals: 'ask',
    instructions: 'be brief',
  });
  await owner.request('createSession', { channel: 'ahp-session:/own', 'x-fork': fork });
  expect(await valuesOf(owner, 'ahp-session:/own')).toMatchObject({ approvals: 'all' });
  host.kill();
});

test('[AUTH-1] a client of scope interact cannot fall back to a default without approvals', async () => {
  const host = await startHost({ config: { approvals: 'all' } });
  const owner = await host.client();
  const asking = { channel: 'ahp-session:/asking', config: { approvals: 'ask' } };
  await owner.request('createSession', asking);
  const worker = await host.client('worker', {}, WORKER);
  await worker.subscribe(asking.channel);
  const replace = { type: 'session/configChanged', config: { instructions: 'be brief' }, replace: true };
  const dropped = worker.dispatch(asking.channel, replace);
  const kept = worker.dispatch(asking.channel, {
    ...replace,
    config: { ...replace.config, approvals: 'edits' },
  });
  await host.run();
  expect(reasonOf(worker, dropped)).toMatch(
    /^permissionDenied: a replacement without `approvals` sets the host’s default `all`/,
  );
  expect(reasonOf(worker, kept)).toBeUndefined();
  expect(await valuesOf(owner, asking.channel)).toMatchObject({ approvals: 'edits' });
  const byOwner = owner.dispatch(asking.channel, replace);
  await host.run();
  expect(reasonOf(owner, byOwner)).toBeUndefined();
  expect(await valuesOf(owner, asking.channel)).not.toHaveProperty('approvals');
  host.kill();
});

test('[AUTH-1] in a session that an admin has set to run without approvals, a client of scope interact may prompt', async () => {
  const session = await AskingSession.start({ approvals: 'all' });
  const worker = await session.host.client('worker', {}, WORKER);
  await worker.subscribe(session.chat);
  await session.turn(worker);
  expect((await session.run('make')).answer()).toMatchObject({ approved: true });
  session.host.agent.turn.complete();
  // The same through the queue.
  await session.turn();
  const queued = { kind: 'queued', id: 'q', message: { text: 'next', origin: { kind: 'user' } } };
  await worker.act(session.chat, { type: 'chat/pendingMessageSet', ...queued });
  session.host.agent.turn.complete();
  await session.host.run();
  expect(session.host.agent.turns).toHaveLength(3);
  expect(
    await worker.act(session.uri, { type: 'session/configChanged', config: { approvals: 'ask' } }),
  ).not.toHaveProperty('rejectionReason');
  const asked = await session.run('make');
  expect(asked.answer()).toBeUndefined();
  session.host.kill();
});

async function defaultChatOf(client: RawClient, session: string): Promise<string> {
  const { state } = await client.subscribe(session);
  if (!('defaultChat' in state) || state.defaultChat === undefined) throw new Error('no default chat');
  return state.defaultChat;
}

async function valuesOf(client: RawClient, session: string): Promise<unknown> {
  const { state } = await client.subscribe(session);
  return 'config' in state ? state.config?.values : undefined;
}

test.each([
  [{ name: '' }, -32602],
  [{ name: 'a\u001b[2Jb' }, -32602],
  [{ name: 'a\ud800' }, -32602],
  [{ name: 'x'.repeat(101) }, -32602],
  [{ lifetimeSeconds: 0 }, -32602],
  [{ lifetimeSeconds: 0.5 }, -32602],
  [{ lifetimeSeconds: 1e12 }, -32602],
  [{ scope: 'root' }, -32602],
  [{ name: 'taken' }, -32010],
])('[AUTH-1] a token with %j is refused', async (params, code) => {
  const host = await startHost();
  const owner = await host.client();
  await owner.request('x-createToken', { channel: ROOT, name: 'taken' });
  expect(await refusal(owner.raw('x-createToken', { channel: ROOT, ...params }))).toBe(code);
  expect((await owner.request('x-listTokens', { channel: ROOT })).items).toHaveLength(1);
  host.kill();
});

test('[AUTH-1] an expired token stays expired when the clock is set back, and after restarts', async () => {
  let setBackMs = 0;
  let now = (): number => Date.UTC(2026, 5, 1);
  const host = await startHost({ clock: { now: () => now() } });
  now = () => host.clock.now() - setBackMs;
  const owner = await host.client();
  const short = await owner.request('x-createToken', { channel: ROOT, lifetimeSeconds: 100 });
  const long = await owner.request('x-createToken', { channel: ROOT, lifetimeSeconds: 1_000 });
  await host.advance(100_000);
  expect([isIn(host, short.secret), isIn(host, long.secret)]).toEqual([false, true]);
  setBackMs = 50_000;
  expect([isIn(host, short.secret), isIn(host, long.secret)]).toEqual([false, true]);
  await host.run();
  await host.restart();
  expect([isIn(host, short.secret), isIn(host, long.secret)]).toEqual([false, true]);
  // A token that expires while no host runs is noticed by the next host.
  host.kill();
  await host.clock.advance(1_000_000);
  await host.start();
  await host.run();
  setBackMs += 1_000_000;
  await host.restart();
  expect(isIn(host, long.secret)).toBe(false);
  host.kill();
});

test('[AUTH-1] the expiry of a token is written when the journal can be written again', async () => {
  let setBackMs = 0;
  let now = (): number => Date.UTC(2026, 5, 1);
  const host = await startHost({ clock: { now: () => now() } });
  now = () => host.clock.now() - setBackMs;
  const owner = await host.client();
  const { secret } = await owner.request('x-createToken', { channel: ROOT, lifetimeSeconds: 100 });
  await host.advance(99_999);
  host.journal.failNextCommits(3);
  await host.advance(1);
  expect(isIn(host, secret)).toBe(false);
  expect(await host.journal.readMeta('expiredTokens')).toBeUndefined();
  await host.advance(10_000);
  expect(await host.journal.readMeta('expiredTokens')).toBeDefined();
  setBackMs = 100_000;
  await host.restart();
  expect(isIn(host, secret)).toBe(false);
  host.kill();
});
