import { type ChatState, chatReducer } from '@agenthost/protocol';
import { describe, expect, test } from 'vitest';
import { startHost } from './host-fixture.ts';
import { chatOf } from './in-turn.ts';
import { runTurns, turnIds } from './turns.ts';

describe('windows over changes of history', () => {
  test.each([2, 50])(
    '[CHAT-6] truncation at turn %i of 60 brings windows of every size to the same end',
    async (at) => {
      const host = await startHost();
      const client = await host.client();
      const { chat } = await host.session(client);
      await runTurns(host, client, chat, turnIds(60));
      const views = [{ turns: 1 }, { turns: 30 }, undefined];
      const viewers = [];
      for (const view of views) {
        const viewer = await host.client();
        const state = await chatOf(viewer, chat, view === undefined ? {} : { view });
        viewer.clear();
        viewers.push({ viewer, state });
      }
      const echo = await client.act(chat, { type: 'chat/truncated', turnId: `t${at}` });
      expect(echo?.rejectionReason).toBeUndefined();
      // A second truncation, at a turn that only the current windows contain.
      await client.act(chat, { type: 'chat/truncated', turnId: 't1' });
      await host.run();
      const truth = await chatOf(client, chat);
      expect(truth.turns.map(({ id }) => id)).toEqual(['t1']);
      for (const { viewer, state } of viewers) {
        const end = viewer.envelopes(chat).reduce((seen, { action }) => chatReducer(seen, action), state);
        expect(end.turns.map(({ id }) => id)).toEqual(['t1']);
        expect(end.turnsNextCursor).toBeUndefined();
      }
    },
  );

  test('[CHAT-6] [CONN-2] a truncation while a snapshot is still being read leaves its window equal to the host’s record', async () => {
    const host = await startHost();
    const client = await host.client();
    const { chat } = await host.session(client);
    await runTurns(host, client, chat, turnIds(95));
    const viewer = await host.client();
    let release: () => void = () => undefined;
    host.journal.gates.afterRead = () =>
      new Promise((resolve) => {
        release = resolve;
      });
    const id = viewer.ask('subscribe', { channel: chat });
    await host.run();
    const finish = release;
    host.journal.gates.afterRead = undefined;
    await client.act(chat, { type: 'chat/truncated', turnId: 't40' });
    expect(viewer.answerTo(id)).toBeUndefined();
    finish();
    const { snapshot } = await viewer.answered<{ snapshot: { state: ChatState } }>(id);
    await client.act(chat, { type: 'chat/truncated', turnId: 't5' });
    await host.run();
    const seen = viewer
      .envelopes(chat)
      .reduce((state, { action }) => chatReducer(state, action), snapshot.state);
    expect(seen.turns.map((turn) => turn.id)).toEqual(turnIds(5).slice(-seen.turns.length));
    expect(seen.turns.at(-1)?.id).toBe('t5');
    expect(seen.turnsNextCursor !== undefined).toBe(seen.turns.length < 5);
  });

  test('[CHAT-6] [CONN-2] a truncation between a snapshot’s boundary and its subscription is in the snapshot', async () => {
    const host = await startHost();
    const client = await host.client();
    const { session, chat } = await host.session(client);
    await runTurns(host, client, chat, turnIds(60));
    const [other, viewer] = [await host.client(), await host.client()];
    const released: (() => void)[] = [];
    const held = (): Promise<void> =>
      new Promise((resolve) => {
        released.push(resolve);
      });
    const { gates } = host.journal;
    gates.afterRead = held;
    client.dispatch(chat, { type: 'chat/truncated', turnId: 't2' });
    await host.run();
    // The lookup of the subscription runs, the boundary waits for a commit, and the truncation comes between.
    gates.afterRead = undefined;
    gates.beforeCommit = held;
    other.dispatch(session, { type: 'session/titleChanged', title: 'x' });
    const id = viewer.ask('subscribe', { channel: chat, view: { turns: 1 } });
    await host.run();
    gates.beforeCommit = undefined;
    for (const release of released.splice(0)) {
      release();
      await host.run();
    }
    const { snapshot } = await viewer.answered<{ snapshot: { state: ChatState } }>(id);
    await host.run();
    const seen = viewer
      .envelopes(chat)
      .reduce((state, { action }) => chatReducer(state, action), snapshot.state);
    expect(seen.turns.at(-1)?.id).toBe('t2');
  });

  test('[CHAT-6] [CONN-2] a renewal is not followed by the actions of an empty truncation for the earlier window', async () => {
    const host = await startHost();
    const client = await host.client();
    const { session, chat } = await host.session(client);
    await runTurns(host, client, chat, turnIds(3));
    const [other, viewer] = [await host.client(), await host.client()];
    await viewer.subscribe(chat, { view: { turns: 0 } });
    const released: (() => void)[] = [];
    const held = (): Promise<void> =>
      new Promise((resolve) => {
        released.push(resolve);
      });
    const { gates } = host.journal;
    gates.afterRead = held;
    client.dispatch(chat, { type: 'chat/truncated', turnId: 't3' });
    await host.run();
    gates.afterRead = undefined;
    gates.beforeCommit = held;
    other.dispatch(session, { type: 'session/titleChanged', title: 'x' });
    const id = viewer.ask('subscribe', { channel: chat });
    await host.run();
    gates.beforeCommit = undefined;
    for (const release of released.splice(0)) {
      release();
      await host.run();
    }
    const { snapshot } = await viewer.answered<{ snapshot: { state: ChatState; fromSeq: number } }>(id);
    await host.run();
    const seen = viewer
      .envelopes(chat)
      .filter(({ serverSeq }) => serverSeq > snapshot.fromSeq)
      .reduce((state, { action }) => chatReducer(state, action), snapshot.state);
    expect(seen.turns.map((turn) => turn.id)).toEqual(turnIds(3));
  });

  /** A client with a window of one turn of five. Killed or not, the host must know that window when the client reconnects. */
  async function narrowed() {
    const host = await startHost();
    const client = await host.client();
    const { chat } = await host.session(client);
    await runTurns(host, client, chat, turnIds(5));
    const windowed = await host.client('windowed');
    await windowed.subscribe(chat);
    await host.run();
    return { host, chat, windowed };
  }

  test('[ACT-8] [CONN-5] a window is durable before the client gets it, so that a kill right after it forces no snapshot', async () => {
    const { host, chat, windowed } = await narrowed();
    let release: () => void = () => undefined;
    host.journal.gates.beforeCommit = () =>
      new Promise((resolve) => {
        release = resolve;
      });
    const id = windowed.ask('subscribe', { channel: chat, view: { turns: 1 } });
    await host.run();
    expect(windowed.answerTo(id)).toBeUndefined();
    host.journal.gates.beforeCommit = undefined;
    release();
    const { snapshot } = await windowed.answered<{ snapshot: { fromSeq: number } }>(id);
    const { fromSeq } = snapshot;
    await host.restart();
    const other = await host.client();
    await other.act(chat, { type: 'chat/truncated', turnId: 't2' });
    const result = await host.connect('windowed').reconnect(fromSeq, [chat]);
    if (result.type !== 'snapshot') throw new Error('its window cannot reduce that truncation');
    expect(result.snapshots[0]?.state).toMatchObject({ turns: [{ id: 't2' }] });
  });

  test.each([1, 2])(
    '[CONN-5] a window that was sent while the journal could not be written is not confused with another after kill %i',
    async (kills) => {
      const { host, chat, windowed } = await narrowed();
      host.journal.failNextCommits(2);
      const { fromSeq } = await windowed.subscribe(chat, { view: { turns: 1 } });
      for (let kill = 0; kill < kills; kill += 1) {
        await host.restart();
        await (await host.client()).act(chat, {
          type: 'chat/draftChanged',
          draft: { text: `${kill}`, origin: { kind: 'user' } },
        });
      }
      const result = await host.connect('windowed').reconnect(fromSeq, [chat]);
      if (result.type !== 'snapshot') throw new Error('the host does not know of that window');
      expect(result.snapshots[0]?.state).toMatchObject({ turns: [{}, {}, {}, {}, {}] });
    },
  );

  test('[CONN-5] a window that was sent while the journal could not be written is still known', async () => {
    const { host, chat, windowed } = await narrowed();
    host.journal.failNextCommits(2);
    const { fromSeq } = await windowed.subscribe(chat, { view: { turns: 1 } });
    windowed.link.cut();
    await host.run();
    const back = host.connect('windowed');
    expect((await back.reconnect(fromSeq, [chat])).type).toBe('replay');
    await host.advance(5_000);
    back.clear();
    const other = await host.client();
    await other.act(chat, { type: 'chat/truncated', turnId: 't2' });
    await host.run();
    expect(back.types(chat)).toEqual(['chat/truncated', 'chat/turnsLoaded', 'chat/truncated']);
  });
});
