import type { ChatState, StateAction } from '@agenthost/protocol';
import { describe, expect, test } from 'vitest';
import { chatState, type FakeHost, terminalState } from '../../test/fake-host.ts';
import { Harness } from '../../test/harness.ts';
import type { ManualClock } from '../../test/manual-clock.ts';
import { type ClientMemory, MAX_SAVED_ACTIONS, MAX_SAVED_AGE_MS, MAX_SAVED_LENGTH } from './action-store.ts';
import { ECHO_PATIENCE_MS } from './dispatcher.ts';
import { readLife, type SavedLife } from './saved-life.ts';

const CHAT = 'ahp-chat:/a';
const TERMINAL = 'ahp-terminal:/t';

const queued = (id: string, text = id): StateAction & { type: 'chat/pendingMessageSet' } => ({
  type: 'chat/pendingMessageSet',
  kind: 'queued',
  id,
  message: { text, origin: { kind: 'user' } },
});
const draft = (text: string): StateAction & { type: 'chat/draftChanged' } => ({
  type: 'chat/draftChanged',
  draft: { text, origin: { kind: 'user' } },
});
const ids = (state: ChatState): string[] => (state.queuedMessages ?? []).map(({ id }) => id);

/** The storage of a page. Its clients come and go. */
class Storage implements ClientMemory {
  text: string | null = null;
  saveCount = 0;
  failure: Error | undefined;

  load(): string | null {
    return this.text;
  }

  save(text: string): void {
    if (this.failure !== undefined) throw this.failure;
    this.text = text;
    this.saveCount += 1;
  }

  get life(): SavedLife {
    const life = readLife(this.text ?? '');
    if (life === undefined) throw new Error('nothing is saved');
    return life;
  }

  get types(): string[] {
    return this.life.pending.map(({ action }) => action.type);
  }
}

let made = 0;
/** A client of a page that has just been loaded. */
function load(memory: ClientMemory, before?: { host: FakeHost; sharedClock: ManualClock }): Harness {
  const it = new Harness({ memory, clientId: undefined as never, newId: () => `n${++made}`, ...before });
  it.host.states.set(CHAT, it.host.states.get(CHAT) ?? chatState(CHAT));
  it.host.states.set(
    TERMINAL,
    it.host.states.get(TERMINAL) ?? terminalState({ kind: 'client', clientId: it.client.clientId }),
  );
  return it;
}

/** The page is gone without a word, and loaded again. */
function reload(it: Harness, memory: ClientMemory): Harness {
  it.pair.cut({ code: 1006, reason: 'reload' });
  return load(memory, { host: it.host, sharedClock: it.clock });
}

const handshakes = (it: Harness) =>
  it.host.requests
    .filter(({ method }) => method === 'initialize')
    .map(({ params }) => params as { clientId: string; 'x-epoch': string });

describe('[ACT-5] a client with a memory', () => {
  test('sends what was not sent before the reload, under the same id, epoch and number', async () => {
    const memory = new Storage();
    const first = await load(memory).online();
    await first.cut();
    first.client.dispatch(CHAT, queued('m1')).catch(expect.fail);
    const second = reload(first, memory);
    const own = second.client.dispatch(CHAT, queued('m2'));
    await second.online();
    expect(second.client.clientId).toBe(first.client.clientId);
    const [before, after] = handshakes(second);
    expect(after).toMatchObject({ clientId: before?.clientId, 'x-epoch': before?.['x-epoch'] });
    expect(second.client.restored).toMatchObject([{ channel: CHAT, action: queued('m1') }]);
    expect(await second.client.restored[0]?.outcome).toMatchObject({ outcome: 'accepted' });
    expect(await own).toMatchObject({ outcome: 'accepted' });
    expect(ids(second.host.states.get(CHAT) as ChatState)).toEqual(['m1', 'm2']);
  });

  test('does not apply again what the host had processed before the reload', async () => {
    const memory = new Storage();
    const first = await load(memory).online();
    first.client.dispatch(CHAT, queued('m1')).catch(expect.fail);
    first.pair.aToB.deliver();
    expect(first.host.log).toHaveLength(1);
    const second = await reload(first, memory).online();
    expect(await second.client.restored[0]?.outcome).toMatchObject({
      outcome: 'accepted',
      envelope: { serverSeq: 1 },
    });
    expect(second.host.log).toHaveLength(1);
    first.host.log = [];
    const third = await load(memory, { host: second.host, sharedClock: second.clock }).online();
    expect(await third.client.restored[0]?.outcome, 'it was not removed from the memory yet').toMatchObject({
      outcome: 'rejected',
      code: 'outcomeExpired',
    });
  });

  test('[REC-1] a mirror shows a restored action until it has its outcome', async () => {
    const memory = new Storage();
    const first = await load(memory).online();
    await first.cut();
    first.client.dispatch(CHAT, queued('m1')).catch(expect.fail);
    const second = reload(first, memory);
    second.host.judge = () => 'ignore';
    await second.online();
    const mirror = await second.run(second.client.subscribe(CHAT));
    expect([ids(mirror.state), ids(mirror.confirmed)]).toEqual([['m1'], []]);
    second.clock.advance(ECHO_PATIENCE_MS);
    await second.settle();
    expect(await second.client.restored[0]?.outcome).toEqual({ outcome: 'ignored' });
    expect(ids(mirror.state)).toEqual([]);
  });

  test('gives no number twice, whatever was sent before the reload', async () => {
    const memory = new Storage();
    const first = await load(memory).online();
    const mirror = await first.run(first.client.subscribe(TERMINAL));
    for (let count = 0; count < 5; count++)
      mirror.dispatch({ type: 'terminal/input', data: `${count}` }).catch(expect.fail);
    await first.settle();
    const second = await reload(first, memory).online();
    const outcome = second.client.dispatch(TERMINAL, { type: 'terminal/input', data: '5' });
    await second.settle();
    expect(await outcome).toMatchObject({ outcome: 'accepted' });
    const seqs = second.host.dispatched.map(({ clientSeq }) => clientSeq);
    expect(new Set(seqs).size).toBe(6);
  });

  test('removes settled actions within a quarter of a second, and at once when it is closed', async () => {
    const memory = new Storage();
    const it = await load(memory).online();
    it.client.dispatch(CHAT, queued('m1')).catch(expect.fail);
    it.client.dispatch(CHAT, queued('m2')).catch(expect.fail);
    expect(memory.types).toHaveLength(2);
    await it.settle();
    const { saveCount } = memory;
    it.clock.advance(250);
    expect(memory.types).toEqual([]);
    expect(memory.saveCount).toBe(saveCount + 1);
    it.client.dispatch(CHAT, queued('m3')).catch(expect.fail);
    await it.settle();
    it.client.close();
    expect(memory.types).toEqual([]);
    expect(it.clock.timerCount).toBe(0);
  });

  test('keeps unanswered actions when it is closed, or cannot connect', async () => {
    const memory = new Storage();
    const first = await load(memory).online();
    await first.cut();
    const outcome = first.client.dispatch(CHAT, queued('m1'));
    first.client.close();
    expect(await outcome).toMatchObject({ outcome: 'dropped' });
    const second = load(memory, { host: first.host, sharedClock: first.clock });
    second.connectError = new Error('the host is away');
    await expect(second.run(second.client.connect())).rejects.toThrow('the host is away');
    const third = await load(memory, { host: first.host, sharedClock: first.clock }).online();
    expect(await third.client.restored[0]?.outcome).toMatchObject({ outcome: 'accepted' });
  });

  test('leaves the memory to the client that replaced it, and acts in a life of its own', async () => {
    const memory = new Storage();
    const first = await load(memory).online();
    first.client.dispatch(CHAT, queued('m1')).catch(expect.fail);
    await first.settle();
    const second = await load(memory, { host: first.host, sharedClock: first.clock }).online();
    await first.settle();
    expect(first.client.status.state).toBe('replaced');
    await second.run(second.client.dispatch(CHAT, queued('m2')));
    const { text } = memory;
    first.client.reconnectNow();
    await first.settle();
    await second.settle();
    const outcome = await first.run(first.client.dispatch(CHAT, queued('m3')));
    expect(outcome).toMatchObject({ outcome: 'accepted' });
    expect(ids(first.host.states.get(CHAT) as ChatState)).toEqual(['m1', 'm2', 'm3']);
    expect(memory.text).toBe(text);
    const epochs = first.host.requests.flatMap(
      ({ params }) => (params as { 'x-epoch'?: string })['x-epoch'] ?? [],
    );
    expect(new Set(epochs).size).toBe(2);
  });

  test('with another clientId begins a new life', async () => {
    const memory = new Storage();
    const first = await load(memory).online();
    await first.cut();
    first.client.dispatch(CHAT, queued('m1')).catch(expect.fail);
    const other = new Harness({ memory, clientId: 'other' });
    expect(other.client.restored).toEqual([]);
    expect(memory.life).toMatchObject({ clientId: 'other', pending: [] });
  });
});

describe('the memory', () => {
  test('never has terminal input, and of drafts in one place only the last', async () => {
    const memory = new Storage();
    const it = await load(memory).online();
    await it.cut();
    const answer = (
      questionId: string,
      value: string,
    ): StateAction & { type: 'chat/inputAnswerChanged' } => ({
      type: 'chat/inputAnswerChanged',
      requestId: 'r1',
      questionId,
      answer: { state: 'draft', value: { kind: 'text', value } },
    });
    it.client.dispatch(TERMINAL, { type: 'terminal/input', data: 'hunter2' }).catch(expect.fail);
    for (const text of ['a', 'ab', 'abc']) {
      it.client.dispatch(CHAT, draft(text)).catch(expect.fail);
      it.client.dispatch(CHAT, answer('q1', text)).catch(expect.fail);
      it.client.dispatch(CHAT, answer('q2', text)).catch(expect.fail);
    }
    it.client.dispatch('ahp-chat:/other', draft('x')).catch(expect.fail);
    expect(memory.text).not.toContain('hunter2');
    expect(memory.life.pending.map(({ channel, action }) => [channel, action])).toEqual([
      [CHAT, draft('abc')],
      [CHAT, answer('q1', 'abc')],
      [CHAT, answer('q2', 'abc')],
      ['ahp-chat:/other', draft('x')],
    ]);
  });

  test('is written once in a thousand actions that are not saved', async () => {
    const memory = new Storage();
    const it = await load(memory).online();
    for (let count = 0; count < 2_000; count++)
      it.client.dispatch(TERMINAL, { type: 'terminal/input', data: 'x' }).catch(expect.fail);
    expect(memory.saveCount).toBe(3);
    await it.settle();
  });

  test('is bounded: what does not fit is sent, but not saved', async () => {
    const memory = new Storage();
    const it = await load(memory).online();
    await it.cut();
    it.client.dispatch(CHAT, queued('large', 'x'.repeat(MAX_SAVED_LENGTH))).catch(expect.fail);
    for (let count = 0; count <= MAX_SAVED_ACTIONS; count++)
      it.client.dispatch(CHAT, queued(`m${count}`)).catch(expect.fail);
    const saved = memory.life.pending.map(({ action }) => ('id' in action ? action.id : ''));
    expect(saved).toHaveLength(MAX_SAVED_ACTIONS);
    expect(saved).not.toContain('large');
    await it.comeBack();
    expect(ids(it.host.states.get(CHAT) as ChatState)).toHaveLength(MAX_SAVED_ACTIONS + 2);
  });

  test('drops actions that are more than a day old, and says so', async () => {
    const memory = new Storage();
    const it = await load(memory).online();
    await it.cut();
    it.client.dispatch(CHAT, queued('old')).catch(expect.fail);
    it.clock.set(MAX_SAVED_AGE_MS);
    it.client.dispatch(CHAT, queued('new')).catch(expect.fail);
    it.clock.set(1);
    const next = reload(it, memory);
    await next.online();
    const outcomes = await Promise.all(next.client.restored.map(({ outcome }) => outcome));
    expect(outcomes).toMatchObject([
      { outcome: 'dropped', reason: 'it was dispatched more than 24 hours ago' },
      { outcome: 'accepted' },
    ]);
    expect(ids(next.host.states.get(CHAT) as ChatState)).toEqual(['new']);
  });

  test('that cannot be written is reported, and the action is sent', async () => {
    const memory = new Storage();
    const it = await load(memory).online();
    memory.failure = new Error('the quota is exceeded');
    const outcome = await it.run(it.client.dispatch(CHAT, queued('m1')));
    expect(outcome).toMatchObject({ outcome: 'accepted' });
    expect(it.errors).toEqual([memory.failure]);
    memory.failure = undefined;
    it.client.close();
  });

  test.each([
    ['no JSON', 'x'],
    ['another value', '7'],
    ['a number that is used twice', life([1, 1])],
    ['a number that is still free', life([7])],
    ['no action', life([1]).replace('"type"', '"kind"')],
  ])('with a damaged text is reported and replaced: %s', (_, text) => {
    const memory = new Storage();
    memory.text = text;
    const it = load(memory);
    expect(it.errors).toHaveLength(1);
    expect(it.client.restored).toEqual([]);
    expect(memory.life.pending).toEqual([]);
  });

  test('of a later version of this package is replaced', () => {
    const memory = new Storage();
    memory.text = life([1]).replace('"version":1', '"version":2');
    const it = load(memory);
    expect(it.errors).toEqual([]);
    expect(memory.life.pending).toEqual([]);
  });

  test('is not used by a client that does not resend', async () => {
    const memory = new Storage();
    const it = new Harness({ memory, resend: false });
    await it.online();
    expect(memory.saveCount).toBe(0);
  });
});

function life(seqs: readonly number[]): string {
  const pending = seqs.map((clientSeq) => ({
    channel: CHAT,
    clientSeq,
    at: 1_000_000,
    action: queued('m1'),
  }));
  return JSON.stringify({ version: 1, clientId: 'c', epoch: 'e', nextClientSeq: 5, pending });
}
