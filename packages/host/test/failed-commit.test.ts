import { markdownOf, turnStarted } from '@agenthost/testkit';
import { describe, expect, test } from 'vitest';
import { ROOT, SESSION, startHost } from './host-fixture.ts';
import { runTurns } from './turns.ts';

const title = (text: string) => ({ type: 'session/titleChanged', title: text });
const draft = (text: string) => ({ type: 'chat/draftChanged', draft: { text, origin: { kind: 'user' } } });

/** A host, and two clients that subscribe to one session, before any failure. */
async function watched(options: Parameters<typeof startHost>[0] = {}) {
  const host = await startHost(options);
  const client = await host.client('one', { 'x-epoch': 'e' });
  const viewer = await host.client('viewer');
  const { session, chat } = await host.session(client);
  await viewer.subscribe(session);
  await viewer.subscribe(chat);
  await host.run();
  return { host, client, viewer, session, chat };
}

describe('a failed commit', () => {
  test('[ACT-8] rolls states back, drops output, and answers the requests as unavailable', async () => {
    const { host, client, viewer, session } = await watched();
    const before = await viewer.subscribe(session);
    viewer.clear();
    client.clear();
    host.journal.failNextCommits(1);
    const clientSeq = client.dispatch(session, title('lost'));
    const created = client.ask('createSession', { channel: 'ahp-session:/lost' });
    await host.run();
    expect(client.echoOf(clientSeq)?.rejectionReason).toMatch(/^unavailable: /);
    expect(client.answerTo(created)?.error?.code).toBe(-32603);
    expect(viewer.frames).toEqual([]);
    const after = await viewer.subscribe(session);
    expect(after.state).toEqual(before.state);
    expect(host.journal.disk.envelopes.some(({ json }) => json.includes('"lost"'))).toBe(false);
  });

  test('answers a waiting rejection as unavailable too, since its grounds are rolled back', async () => {
    const { host, client, chat } = await watched();
    host.journal.failNextCommits(1);
    const first = client.dispatch(chat, turnStarted('t1'));
    const second = client.dispatch(chat, turnStarted('t2'));
    const third = client.dispatch(chat, { type: 'chat/noSuchThing' });
    await client.ping();
    for (const clientSeq of [first, second, third]) {
      expect(client.echoOf(clientSeq)?.rejectionReason, `dispatch ${clientSeq}`).toMatch(/^unavailable: /);
    }
    await host.run();
    expect(host.agent.turns).toEqual([]);
  });

  test('refuses new work and still reads until the journal can be written again, with a retry each second', async () => {
    const { host, client, session, chat } = await watched();
    await client.act(session, title('kept'));
    host.journal.failNextCommits(3);
    client.dispatch(session, title('lost'));
    await host.run();
    expect((await client.act(chat, draft('lost')))?.rejectionReason).toMatch(/^unavailable: /);
    await expect(client.request('createSession', { channel: 'ahp-session:/two' })).rejects.toMatchObject({
      code: -32603,
    });
    expect((await client.subscribe(session)).state).toMatchObject({ title: 'kept' });
    expect(await client.request('listSessions', { channel: ROOT })).toMatchObject({
      items: [{ title: 'kept' }],
    });
    const newcomer = await host.client('newcomer', { initialSubscriptions: [session] });
    await newcomer.ping();
    await host.advance(1_000);
    expect((await client.act(session, title('still not')))?.rejectionReason).toMatch(/^unavailable: /);
    await host.advance(2_000);
    expect((await client.act(session, title('again')))?.rejectionReason).toBeUndefined();
    expect(host.logged).toContain('the journal cannot be written; the host retries every second');
  });

  test.each([{ type: 'chat/turnCancelled', turnId: 't1', duration: 0 }, { type: 'chat/truncated' }])(
    '[CHAT-5] of an action that ended a turn before its agent got it ($type) leaves the turn to its agent',
    async (end) => {
      const { host, client, chat } = await watched();
      const writing = Promise.withResolvers<void>();
      host.journal.gates.afterCommit = () => writing.promise;
      client.dispatch(chat, turnStarted('t1'));
      await host.run();
      host.journal.gates.afterCommit = undefined;
      host.journal.failNextCommits(1);
      const clientSeq = client.dispatch(chat, end);
      await host.run();
      // The commit of an earlier change lets the agent begin, when the turn seems to have ended already.
      writing.resolve();
      await host.advance(2_000);
      expect(client.echoOf(clientSeq)?.rejectionReason).toMatch(/^unavailable: /);
      expect(host.agent.turns.map(({ input }) => input.turnId)).toEqual(['t1']);
      host.agent.turn.complete();
      await host.run();
      const { state } = await client.subscribe(chat);
      expect(state).toMatchObject({ turns: [{ id: 't1', state: 'complete' }] });
      expect(host.agent.turns).toHaveLength(1);
    },
  );

  test('holds output that an agent sends meanwhile, and loses none', async () => {
    const { host, client, viewer, chat } = await watched();
    await client.act(chat, turnStarted('t1'));
    await host.run();
    const { output } = host.agent.turn;
    await output.markdown('a');
    await host.run();
    host.journal.failNextCommits(2);
    void output.markdown('b');
    await host.run();
    let isTaken = false;
    void output.markdown('c').then(() => {
      isTaken = true;
    });
    await host.run();
    expect(isTaken, 'the agent has to wait').toBe(false);
    const { state } = await viewer.subscribe(chat);
    expect('activeTurn' in state ? markdownOf(state.activeTurn) : '').toBe('a');
    await host.advance(2_000);
    expect(isTaken).toBe(true);
    host.agent.turn.complete();
    await host.run();
    const end = await viewer.subscribe(chat);
    expect('turns' in end.state ? end.state.turns.map((turn) => [turn.state, markdownOf(turn)]) : []).toEqual(
      [['complete', 'abc']],
    );
    await host.restart();
    const again = await host.client();
    expect((await again.subscribe(chat)).state).toEqual(end.state);
  });

  test('ends a turn that ends meanwhile as soon as possible, and sends the agent a cancel only when that is durable', async () => {
    const { host, client, chat } = await watched();
    await client.act(chat, turnStarted('t1'));
    await host.run();
    host.journal.failNextCommits(1);
    const cancel = client.dispatch(chat, { type: 'chat/turnCancelled', turnId: 't1', duration: 0 });
    await host.run();
    expect(client.echoOf(cancel)?.rejectionReason).toMatch(/^unavailable: /);
    expect(host.agent.turn.signal.aborted).toBe(false);
    host.agent.turn.complete();
    await host.run();
    await host.advance(1_000);
    const { state } = await client.subscribe(chat);
    expect('turns' in state ? state.turns.map((turn) => turn.state) : []).toEqual(['complete']);
  });

  test('[CONN-4] right after the start leaves numbers for rejections, and none is ever used twice', async () => {
    const { host, session } = await watched();
    await host.restart();
    const client = await host.client('later');
    host.journal.failNextCommits(1_000);
    const refused = [];
    for (let count = 0; count < 5; count += 1) refused.push(await client.act(session, title(`no ${count}`)));
    expect(refused.map((echo) => echo?.rejectionReason?.split(':')[0])).toEqual(Array(5).fill('unavailable'));
    const { fromSeq } = await client.subscribe(session);
    await host.restart();
    const again = await host.client('later');
    const echo = await again.act(session, title('yes'));
    const highest = Math.max(fromSeq, ...refused.map((each) => each?.serverSeq ?? 0));
    expect(echo?.serverSeq).toBeGreaterThan(highest);
  });

  test('reads are answered although no number can be reserved', async () => {
    const { host, client, session } = await watched();
    host.journal.failNextCommits(1_000);
    host.journal.gates.beforeReserve = () => {
      throw new Error('a test made this reservation fail');
    };
    client.dispatch(session, title('lost'));
    await host.run();
    expect((await client.subscribe(session)).state).toMatchObject({ title: '' });
    await client.request('listSessions', { channel: ROOT });
    await client.ping();
    host.journal.gates.beforeReserve = undefined;
  });

  test('[CHAT-6] a window stays unchanged if turns cannot be sent for lack of numbers', async () => {
    const { host, client, chat } = await watched();
    await runTurns(host, client, chat, ['t1', 't2', 't3']);
    const viewer = await host.client('narrow');
    const { state } = await viewer.subscribe(chat, { view: { turns: 1 } });
    host.journal.failNextCommits(1);
    host.journal.gates.beforeReserve = () => {
      throw new Error('a test made this reservation fail');
    };
    client.dispatch(chat, draft('lost'));
    await host.run();
    const { sequencer } = host.host.core.sync;
    while (sequencer.covers(sequencer.following)) sequencer.next();
    if (!('turnsNextCursor' in state)) throw new Error('no cursor');
    const fetched = viewer.request('fetchTurns', { channel: chat, cursor: state.turnsNextCursor ?? '' });
    await expect(fetched).rejects.toMatchObject({ code: -32603 });
    host.journal.gates.beforeReserve = undefined;
    await host.advance(5_000);
    viewer.clear();
    await client.act(chat, { type: 'chat/truncated', turnId: 't1' });
    await host.run();
    expect(viewer.types(chat)).toEqual(['chat/truncated', 'chat/turnsLoaded', 'chat/truncated']);
  });

  test('[ACT-5] a resend of a rolled-back action is applied once', async () => {
    const { host, client, session } = await watched();
    host.journal.failNextCommits(1);
    client.dispatch(session, title('again'));
    client.link.toHost.deliver();
    // It disconnects before it learns of the failure.
    client.link.loseClient();
    await host.run();
    await host.advance(1_000);
    const back = host.connect('one');
    await back.reconnect(0, [session], { 'x-epoch': 'e' });
    back.dispatch(session, title('again'), 1);
    await back.ping();
    expect(back.echoOf(1)?.rejectionReason).toBeUndefined();
    expect(back.echoOf(1)?.action).toEqual(title('again'));
  });

  test('[CHAT-6] windows match those of the clients, although a truncation was rolled back', async () => {
    const { host, client, chat } = await watched();
    for (let turn = 1; turn <= 50; turn += 1) {
      await client.act(chat, turnStarted(`t${turn}`));
      await host.run();
      host.agent.turn.complete();
      await host.run();
    }
    const windowed = await host.client('windowed');
    await windowed.subscribe(chat, { view: { turns: 2 } });
    windowed.clear();
    host.journal.failNextCommits(1);
    client.dispatch(chat, { type: 'chat/truncated', turnId: 't10' });
    await host.run();
    await host.advance(1_000);
    expect(windowed.envelopes()).toEqual([]);
    await client.act(chat, { type: 'chat/truncated', turnId: 't10' });
    await host.run();
    expect(windowed.types(chat)).toEqual(['chat/truncated', 'chat/turnsLoaded', 'chat/truncated']);
  });

  test('a session whose creation was rolled back can be created under the same URI', async () => {
    const host = await startHost();
    const client = await host.client();
    host.journal.failNextCommits(1);
    await expect(client.request('createSession', { channel: SESSION })).rejects.toMatchObject({
      code: -32603,
    });
    await expect(client.subscribe(SESSION)).rejects.toMatchObject({ code: -32001 });
    await host.advance(1_000);
    await client.request('createSession', { channel: SESSION });
    await host.run();
    expect((await client.subscribe(SESSION)).state).toMatchObject({ lifecycle: 'ready' });
    expect(await client.request('listSessions', { channel: ROOT })).toMatchObject({ items: [{}] });
    expect((await client.subscribe(ROOT)).state).toMatchObject({ activeSessions: 1 });
  });
});

test('a new token is refused at once with a reason while the journal cannot be written, and leaves nothing', async () => {
  const { host, client } = await watched();
  host.journal.failNextCommits(3);
  const params = { channel: ROOT, name: 'tablet' } as const;
  const refusal = {
    code: -32603,
    message: 'The host cannot write its journal now (there is no room on its disk); try again',
  };
  // By the failing commit, and later without a commit.
  await expect(client.request('x-createToken', params)).rejects.toMatchObject(refusal);
  await expect(client.request('x-createToken', params)).rejects.toMatchObject(refusal);
  await host.advance(5_000);
  expect(await client.request('x-listTokens', { channel: ROOT })).toEqual({ items: [] });
  expect(await client.request('x-createToken', params)).toMatchObject({ token: { name: 'tablet' } });
});
