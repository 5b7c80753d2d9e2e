import type { ChatState, StateAction } from '@agenthost/protocol';
import { describe, expect, test } from 'vitest';
import { chatState, sessionState } from '../../test/fake-host.ts';
import { Harness } from '../../test/harness.ts';
import { ECHO_PATIENCE_MS } from './dispatcher.ts';
import type { Mirror } from './mirror.ts';

const CHAT = 'ahp-chat:/a';
const OTHER = 'ahp-chat:/b';

const queued = (id: string, text = id): StateAction & { type: 'chat/pendingMessageSet' } => ({
  type: 'chat/pendingMessageSet',
  kind: 'queued',
  id,
  message: { text, origin: { kind: 'user' } },
});

const ids = (state: ChatState): string[] => (state.queuedMessages ?? []).map(({ id }) => id);

async function chat(): Promise<{ it: Harness; mirror: Mirror<'chat'> }> {
  const it = new Harness();
  it.host.states.set(CHAT, chatState(CHAT));
  it.host.states.set(OTHER, chatState(OTHER));
  await it.online();
  const mirror = await it.run(it.client.subscribe(CHAT));
  return { it, mirror };
}

describe('prediction', () => {
  test('[REC-1] a dispatched action shows at once, and is confirmed by its echo', async () => {
    const { it, mirror } = await chat();
    const outcome = mirror.dispatch(queued('m1'));
    expect(ids(mirror.state)).toEqual(['m1']);
    expect(ids(mirror.confirmed)).toEqual([]);
    await it.settle();
    expect(ids(mirror.confirmed)).toEqual(['m1']);
    expect(mirror.state).toBe(mirror.confirmed);
    await expect(outcome).resolves.toMatchObject({
      outcome: 'accepted',
      envelope: { serverSeq: 1, origin: { clientId: 'c1', clientSeq: 1 } },
    });
  });

  test('an action that exceeds a limit is rejected by the client, neither shown nor sent', async () => {
    const { it, mirror } = await chat();
    const outcome = await mirror.dispatch(queued('m1', 'x'.repeat(2 * 1024 * 1024)));
    expect(outcome).toEqual({
      outcome: 'rejected',
      code: 'tooLarge',
      reason: 'action.message.text: at most 1,048,576 characters, got 2,097,152',
      details: {
        kind: 'size',
        field: 'action.message.text',
        unit: 'characters',
        max: 1_048_576,
        actual: 2_097_152,
      },
    });
    expect(ids(mirror.state)).toEqual([]);
    await it.settle();
    expect(it.host.dispatched).toEqual([]);
  });

  test('[REC-1] an echo that the host has changed replaces the prediction', async () => {
    const { it, mirror } = await chat();
    it.host.judge = ({ action }) =>
      action.type === 'chat/pendingMessageSet' ? { instead: queued('m1', 'with a reference') } : undefined;
    const outcome = mirror.dispatch(queued('m1', 'with a photo'));
    expect(mirror.state.queuedMessages?.[0]?.message.text).toBe('with a photo');
    await it.settle();
    await expect(outcome).resolves.toMatchObject({ outcome: 'accepted' });
    expect(mirror.state).toBe(mirror.confirmed);
    expect(mirror.state.queuedMessages?.[0]?.message.text).toBe('with a reference');
  });

  test('[REC-1] a foreign envelope is applied below pending actions', async () => {
    const { it, mirror } = await chat();
    mirror.dispatch(queued('mine')).catch(expect.fail);
    it.host.emit(CHAT, queued('theirs'));
    it.pair.bToA.deliver();
    expect(ids(mirror.confirmed)).toEqual(['theirs']);
    expect(ids(mirror.state)).toEqual(['theirs', 'mine']);
    await it.settle();
    expect(ids(mirror.confirmed)).toEqual(['theirs', 'mine']);
  });

  test('[REC-1] a rejection undoes the action with a reason, and later actions stay', async () => {
    const { it, mirror } = await chat();
    it.host.judge = ({ action }) =>
      'id' in action && action.id === 'bad' ? { reject: 'notAllowed: this chat: is read-only' } : undefined;
    const bad = mirror.dispatch(queued('bad'));
    const good = mirror.dispatch(queued('good'));
    expect(ids(mirror.state)).toEqual(['bad', 'good']);
    it.pair.aToB.deliver();
    it.pair.bToA.deliver();
    expect(ids(mirror.state)).toEqual(['good']);
    await it.settle();
    await expect(bad).resolves.toEqual({
      outcome: 'rejected',
      code: 'notAllowed',
      reason: 'this chat: is read-only',
    });
    await expect(good).resolves.toMatchObject({ outcome: 'accepted' });
    expect(ids(mirror.confirmed)).toEqual(['good']);
  });

  test('[REC-1] an envelope that confirmed already reflects settles its action and is not applied', async () => {
    const { it, mirror } = await chat();
    const outcome = mirror.dispatch(queued('m1'));
    it.pair.aToB.deliver();
    const [echo = ''] = it.pair.bToA.frames;
    it.host.emit(CHAT, { type: 'chat/pendingMessageRemoved', kind: 'queued', id: 'm1' });
    await it.settle();
    await expect(outcome).resolves.toMatchObject({ outcome: 'accepted' });
    it.pair.b.send(echo);
    await it.settle();
    expect(ids(mirror.confirmed)).toEqual([]);
  });

  test('[REC-2] terminal input is never predicted, but settles', async () => {
    const { it } = await chat();
    const uri = 'ahp-terminal:/t';
    it.host.states.set(uri, {
      title: 't',
      content: [],
      lifecycle: { status: 'running' },
      claim: { kind: 'client', clientId: 'c1' },
    });
    const mirror = await it.run(it.client.subscribe(uri));
    const seen: unknown[] = [];
    mirror.onChange((state) => seen.push(state));
    const input = mirror.dispatch({ type: 'terminal/input', data: 'ls\n' });
    const title = mirror.dispatch({ type: 'terminal/titleChanged', title: 'mine' });
    expect(mirror.state.title).toBe('mine');
    expect(seen).toHaveLength(1);
    await it.settle();
    await expect(input).resolves.toMatchObject({ outcome: 'accepted' });
    await expect(title).resolves.toMatchObject({ outcome: 'accepted' });
  });

  test('[CHAT-21] confirmed and predicted states have the time that the action states, whatever the clocks say', async () => {
    const { it, mirror } = await chat();
    it.host.now = () => 42_000;
    const turn: StateAction = {
      type: 'chat/turnStarted',
      turnId: 't1',
      startedAt: '2026-01-01T00:00:00.000Z',
      message: { text: 'hi', origin: { kind: 'user' } },
    };
    mirror.dispatch(turn).catch(expect.fail);
    expect(mirror.state.modifiedAt).toBe('2026-01-01T00:00:00.000Z');
    it.clock.advance(1_000);
    it.host.emit(CHAT, { type: 'chat/activityChanged', activity: 'x' });
    it.pair.bToA.deliver();
    expect(mirror.state.modifiedAt).toBe('2026-01-01T00:00:00.000Z');
    await it.settle();
    expect(mirror.state.modifiedAt).toBe('2026-01-01T00:00:00.000Z');
  });

  test('[SESS-5] a session is aggregated after its reducer, confirmed and predicted alike', async () => {
    const { it } = await chat();
    const uri = 'ahp-session:/s';
    it.host.states.set(uri, sessionState(CHAT));
    const mirror = await it.run(it.client.subscribe(uri));
    it.host.emit(uri, {
      type: 'session/chatUpdated',
      chat: CHAT,
      changes: { status: 8, activity: 'thinking' },
    });
    await it.settle();
    expect(mirror.state.status).toBe(8);
    expect(mirror.state.activity).toBe('thinking');
  });

  test('an action that its reducer cannot handle throws, and is not pending', async () => {
    const { it, mirror } = await chat();
    const broken = {
      type: 'chat/truncated' as const,
      get turnId(): string {
        throw new TypeError('not like this');
      },
    };
    expect(() => it.client.dispatch(CHAT, broken)).toThrow('not like this');
    expect(mirror.state).toBe(mirror.confirmed);
    await it.run(mirror.dispatch(queued('m1')));
    expect(ids(mirror.confirmed)).toEqual(['m1']);
  });

  test('a dispatch in a listener does not overtake the action that it reacts to', async () => {
    const { it, mirror } = await chat();
    let once = true;
    mirror.onChange(() => {
      if (!once) return;
      once = false;
      it.client.dispatch(CHAT, queued('second')).catch(expect.fail);
    });
    mirror.dispatch(queued('first')).catch(expect.fail);
    await it.settle();
    expect(
      it.host.dispatched.map(({ clientSeq, action }) => [clientSeq, 'id' in action && action.id]),
    ).toEqual([
      [1, 'first'],
      [2, 'second'],
    ]);
    expect(ids(mirror.confirmed)).toEqual(['first', 'second']);
  });

  test('an envelope that its reducer cannot handle causes a new snapshot', async () => {
    const { it, mirror } = await chat();
    it.host.states.set(CHAT, chatState(CHAT, { title: 'fresh' }));
    it.host.emitPrivately('c1', {
      channel: CHAT,
      action: { type: 'chat/turnsLoaded', turns: null } as never,
    });
    await it.settle();
    expect(it.errors).toHaveLength(1);
    expect(mirror.state.title).toBe('fresh');
  });
});

describe('silence', () => {
  test('[REC-1] an action without echo is ignored when the echo of a later action arrives', async () => {
    const { it, mirror } = await chat();
    const lost = it.client.dispatch('ahp-chat:/nowhere', queued('x'));
    const hidden = it.client.dispatch(OTHER, queued('y'));
    it.host.judge = ({ channel }) => (channel === OTHER ? 'ignore' : undefined);
    const seen = mirror.dispatch(queued('z'));
    await it.settle();
    await expect(Promise.all([lost, hidden, seen])).resolves.toMatchObject([
      { outcome: 'ignored' },
      { outcome: 'ignored' },
      { outcome: 'accepted' },
    ]);
  });

  test('[REC-1] [WIRE-4] without a later echo, the answer to a ping settles the action', async () => {
    const { it, mirror } = await chat();
    it.host.judge = () => 'ignore';
    const outcome = mirror.dispatch(queued('x'));
    await it.settle();
    expect(ids(mirror.state)).toEqual(['x']);
    it.clock.advance(ECHO_PATIENCE_MS - 1);
    await it.settle();
    expect(it.host.requests.filter(({ method }) => method === 'ping')).toEqual([]);
    it.clock.advance(1);
    await it.settle();
    await expect(outcome).resolves.toEqual({ outcome: 'ignored' });
    expect(ids(mirror.state)).toEqual([]);
  });

  test('[REC-1] a ping settles only actions that were sent before it', async () => {
    const { it, mirror } = await chat();
    it.host.judge = () => 'ignore';
    const before = mirror.dispatch(queued('before'));
    const ping = it.client.ping();
    let isSettled = false;
    const after = mirror.dispatch(queued('after')).then(() => {
      isSettled = true;
    });
    await it.settle();
    await ping;
    await expect(before).resolves.toEqual({ outcome: 'ignored' });
    expect(isSettled).toBe(false);
    await it.run(it.client.ping());
    await after;
  });

  test('no ping is sent when the echo arrives in time', async () => {
    const { it, mirror } = await chat();
    await it.run(mirror.dispatch(queued('x')));
    it.clock.advance(ECHO_PATIENCE_MS * 3);
    await it.settle();
    expect(it.host.requests.filter(({ method }) => method === 'ping')).toEqual([]);
  });
});

describe('drops', () => {
  test('[REC-1] [ACT-5] unanswered actions are resent in order after a reconnect, and numbers continue', async () => {
    const { it, mirror } = await chat();
    await it.run(mirror.dispatch(queued('m1')));
    const outcomes = [mirror.dispatch(queued('m2')), mirror.dispatch(queued('m3'))];
    await it.cut();
    const offline = mirror.dispatch(queued('m4'));
    expect(ids(mirror.state)).toEqual(['m1', 'm2', 'm3', 'm4']);
    await it.comeBack();
    await expect(Promise.all([...outcomes, offline])).resolves.toMatchObject([
      { outcome: 'accepted' },
      { outcome: 'accepted' },
      { outcome: 'accepted' },
    ]);
    expect(it.host.dispatched.map(({ clientSeq }) => clientSeq)).toEqual([1, 2, 3, 4]);
    expect(ids(mirror.confirmed)).toEqual(['m1', 'm2', 'm3', 'm4']);
    const epochs = it.host.requests.flatMap(({ params }) =>
      'x-epoch' in (params as object) ? [(params as { 'x-epoch': string })['x-epoch']] : [],
    );
    expect(epochs).toHaveLength(2);
    expect(new Set(epochs).size).toBe(1);
  });

  test('[ACT-5] a dispatch in a status listener at a reconnect does not overtake older actions', async () => {
    const { it, mirror } = await chat();
    await it.cut();
    mirror.dispatch(queued('older')).catch(expect.fail);
    it.client.onStatus(({ state }) => {
      if (state === 'online') mirror.dispatch(queued('newer')).catch(expect.fail);
    });
    await it.comeBack();
    expect(it.host.dispatched.map(({ clientSeq }) => clientSeq)).toEqual([1, 2]);
    expect(ids(mirror.confirmed)).toEqual(['older', 'newer']);
  });

  test('[ACT-5] an action whose echo was lost is confirmed by the replay and applied once', async () => {
    const { it, mirror } = await chat();
    const outcome = mirror.dispatch(queued('m1'));
    it.pair.aToB.deliver();
    expect(it.host.serverSeq).toBe(1);
    await it.cut();
    await it.comeBack();
    await expect(outcome).resolves.toMatchObject({ outcome: 'accepted', envelope: { serverSeq: 1 } });
    expect(ids(mirror.confirmed)).toEqual(['m1']);
    expect(it.host.dispatched).toHaveLength(1);
  });

  test('[ACT-5] [REC-1] after a snapshot the re-echo under the original number settles without applying', async () => {
    const { it, mirror } = await chat();
    const outcome = mirror.dispatch(queued('m1'));
    it.pair.aToB.deliver();
    await it.cut();
    // The journal has no replay; the client's record still has the outcome.
    it.host.isSnapshotOnly = true;
    it.host.states.set(CHAT, chatState(CHAT, { title: 'snapshot' }));
    it.host.serverSeq = 7;
    await it.comeBack();
    expect(mirror.confirmed.title).toBe('snapshot');
    await expect(outcome).resolves.toMatchObject({ outcome: 'accepted', envelope: { serverSeq: 1 } });
    expect(it.host.dispatched.map(({ clientSeq }) => clientSeq)).toEqual([1, 1]);
    // Another client has removed the message; the old envelope must not restore it.
    expect(ids(mirror.confirmed)).toEqual([]);
    expect(ids(mirror.state)).toEqual([]);
  });

  test('[ACT-5] an expired outcome is a rejection', async () => {
    const { it, mirror } = await chat();
    it.host.judge = () => ({ reject: 'notAllowed: no' });
    const rejected = mirror.dispatch(queued('m1'));
    it.host.judge = ({ action }) =>
      'id' in action && action.id === 'm1' ? { reject: 'notAllowed: no' } : undefined;
    const accepted = mirror.dispatch(queued('m2'));
    it.pair.aToB.deliver(2);
    await it.cut();
    await it.comeBack();
    await expect(rejected).resolves.toMatchObject({ outcome: 'rejected', code: 'outcomeExpired' });
    await expect(accepted).resolves.toMatchObject({ outcome: 'accepted' });
    expect(ids(mirror.state)).toEqual(['m2']);
  });

  test('[REC-1] without resending, sent actions are dropped and reported when the connection drops', async () => {
    const it = new Harness({ resend: false });
    it.host.states.set(CHAT, chatState(CHAT));
    await it.online();
    const mirror = await it.run(it.client.subscribe(CHAT));
    const sent = mirror.dispatch(queued('m1'));
    await it.cut();
    await expect(sent).resolves.toMatchObject({ outcome: 'dropped' });
    expect(ids(mirror.state)).toEqual([]);
    const waiting = mirror.dispatch(queued('m2'));
    await it.comeBack();
    await expect(waiting).resolves.toMatchObject({ outcome: 'accepted' });
    expect(it.host.requests.some(({ params }) => 'x-epoch' in (params as object))).toBe(false);
  });

  test('[REC-1] the loss of a channel settles its pending actions', async () => {
    const { it, mirror } = await chat();
    const outcome = mirror.dispatch(queued('m1'));
    await it.cut();
    it.host.states.delete(CHAT);
    await it.comeBack();
    await expect(outcome).resolves.toEqual({ outcome: 'ignored' });
    expect(mirror.isLost).toBe(true);
    expect(mirror.state).toBe(mirror.confirmed);
  });

  test('a frame that is too large for the host is not resent', async () => {
    const { it, mirror } = await chat();
    const outcome = mirror.dispatch(queued('huge'));
    await it.cut(1009);
    await expect(outcome).resolves.toMatchObject({ outcome: 'dropped' });
    await it.comeBack();
    expect(it.host.dispatched).toEqual([]);
  });

  test('a close drops pending actions, and later dispatches at once', async () => {
    const { it, mirror } = await chat();
    const before = mirror.dispatch(queued('m1'));
    it.client.close();
    await expect(before).resolves.toMatchObject({ outcome: 'dropped' });
    await expect(mirror.dispatch(queued('m2'))).resolves.toMatchObject({ outcome: 'dropped' });
    expect(mirror.isLost).toBe(true);
    expect(it.clock.timerCount).toBe(0);
  });
});
