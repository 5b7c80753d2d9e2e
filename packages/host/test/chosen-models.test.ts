import { turnCancelled, turnStarted, userMessage } from '@agenthost/testkit';
import { describe, expect, test } from 'vitest';
import { ROOT, SESSION, startHost } from './host-fixture.ts';
import { chatOf, codeOf } from './in-turn.ts';

const OLD = { protocolVersions: ['0.4.0'] };
const large = { id: 'large', config: { depth: '3' } };
const CHOSEN = { type: 'session/modelChanged', model: large };
const agent = { uri: 'file:///agents/a.md' };

/** A host with a session, and two clients of 0.4 and one of the present version that see it. */
async function setUp() {
  const host = await startHost();
  const [now, old, other] = [
    await host.client(),
    await host.client('old', OLD),
    await host.client('other', OLD),
  ];
  const { session, chat } = await host.session(now);
  for (const client of [old, other, now]) {
    await client.subscribe(session);
    client.clear();
  }
  return { host, now, old, other, session, chat };
}

/** A message as 0.4 sends it: without model and agent. */
const started = turnStarted('t1');

describe('[DIA-1] step H: a model that a client of 0.4 chose for a session', () => {
  test('is shown to clients of 0.4 alone', async () => {
    const { host, now, old, other, session } = await setUp();
    expect((await old.act(session, CHOSEN))?.rejectionReason).toBeUndefined();
    await host.run();
    expect(old.envelopes(session).map(({ action }) => action)).toEqual([CHOSEN]);
    expect(other.envelopes(session)).toMatchObject([{ action: CHOSEN }]);
    expect(other.envelopes(session)[0]).not.toHaveProperty('origin');
    expect(now.envelopes(session)).toEqual([]);
    expect((await old.subscribe(session)).state).toMatchObject({ summary: { model: large } });
  });

  test('is put into their later messages, also after a restart of the host', async () => {
    const { host, now, old, session, chat } = await setUp();
    await old.act(session, CHOSEN);
    await old.act(session, { type: 'session/agentChanged', agent });
    await host.restart();
    const again = await host.client('old', OLD);
    expect((await again.act(chat, started))?.rejectionReason).toBeUndefined();
    await host.run();
    expect(host.agent.turn.input.message).toMatchObject({ model: large, agent });
    const pending = { type: 'chat/pendingMessageSet', kind: 'queued', id: 'q', message: userMessage('x') };
    await again.act(chat, pending);
    const reader = await host.client('reader');
    expect(await chatOf(reader, chat)).toMatchObject({ queuedMessages: [{ message: { model: large } }] });
    expect((await again.subscribe(chat)).state).toMatchObject({ model: large, agent });
    expect(now.envelopes(chat)).toEqual([]);
  });

  test('is not put into messages of later versions, and ends with a change to none', async () => {
    const { host, now, old, session, chat } = await setUp();
    await old.act(session, CHOSEN);
    await old.act(session, { type: 'session/agentChanged', agent });
    await now.act(chat, started);
    await host.run();
    expect(host.agent.turn.input.message).not.toHaveProperty('model');
    expect(await old.act(session, { type: 'session/agentChanged' })).not.toHaveProperty('rejectionReason');
    const { state } = await old.subscribe(session);
    expect(state).toMatchObject({ summary: { model: large } });
    expect(state).not.toHaveProperty('summary.agent');
  });

  test('is refused if it is none, too large, on another channel, or of another version', async () => {
    const { now, old, session, chat } = await setUp();
    const choose = async (model: unknown) => codeOf(await old.act(session, { ...CHOSEN, model }));
    expect(await choose(undefined)).toBe('invalidAction');
    expect(await choose({ id: 3 })).toBe('invalidAction');
    expect(await choose({ id: 'x'.repeat(300_000) })).toBe('tooLarge');
    expect(codeOf(await old.act(chat, CHOSEN))).toBe('invalidAction');
    expect(codeOf(await now.act(session, CHOSEN))).toBe('invalidAction');
    expect((await old.subscribe(session)).state).not.toHaveProperty('summary.model');
  });

  test('needs the scope of a message', async () => {
    const { host, session } = await setUp();
    const observer = await host.client('observer', OLD, { tokenHash: 'observer', scope: 'observe' });
    expect(codeOf(await observer.act(session, CHOSEN))).toBe('permissionDenied');
    expect((await observer.subscribe(session)).state).not.toHaveProperty('summary.model');
  });
});

describe('[DIA-1] step H: a model with which a client of 0.4 creates', () => {
  test('a session is put into its messages', async () => {
    const { host, old } = await setUp();
    const uri = 'ahp-session:/two';
    await old.request('createSession', Object.assign({ channel: uri }, { model: large, agent }));
    await host.run();
    const { state } = await old.subscribe(uri);
    expect(state).toMatchObject({ summary: { model: large, agent } });
    const { items } = await old.request('listSessions', { channel: ROOT });
    expect(items.find(({ resource }) => resource === uri)).toMatchObject({ model: large });
    const { defaultChat = '' } = Object(state);
    await old.act(defaultChat, started);
    await host.run();
    expect(host.agent.turn.input.message).toMatchObject({ model: large, agent });
  });

  test('a chat is put into its first message and later ones', async () => {
    const { host, old } = await setUp();
    const uri = 'ahp-chat:/second';
    const params = { channel: SESSION, chat: uri, initialMessage: userMessage('x') };
    await old.request('createChat', Object.assign(params, { model: large }));
    await host.run();
    expect(host.agent.turn.input.message.model).toEqual(large);
    const { activeTurn } = await chatOf(await host.client('reader'), uri);
    await old.act(uri, turnCancelled(activeTurn?.id ?? ''));
    await old.act(uri, turnStarted('t2'));
    await host.run();
    expect(host.agent.turn.input.message.model).toEqual(large);
  });

  test('is refused before anything is created if it is no model', async () => {
    const { old } = await setUp();
    const params = Object.assign({ channel: 'ahp-session:/two' }, { model: { id: 3 } });
    await expect(old.request('createSession', params)).rejects.toMatchObject({ code: -32602 });
    const { items } = await old.request('listSessions', { channel: ROOT });
    expect(items.map(({ resource }) => resource)).toEqual([SESSION]);
  });
});

test('[DIA-2] the summary in a session’s state has the time of its creation for 0.4', async () => {
  const { host, old, now, session, chat } = await setUp();
  const createdAt = host.clock.now();
  await host.advance(5_000);
  await now.act(chat, { ...started, startedAt: new Date(host.clock.now()).toISOString() });
  await host.run();
  const { state } = await old.subscribe(session);
  expect(state).toMatchObject({ summary: { createdAt, modifiedAt: createdAt + 5_000 } });
});
