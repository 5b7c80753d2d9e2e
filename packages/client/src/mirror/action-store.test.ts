import type { ChatState, StateAction } from '@agenthost/protocol';
import { describe, expect, test } from 'vitest';
import { Harness } from '../../test/harness.ts';
import { CHAT, draft, ids, load, queued, reload, Storage, TERMINAL } from '../../test/reloaded-page.ts';
import { MAX_SAVED_ACTIONS, MAX_SAVED_AGE_MS, MAX_SAVED_LENGTH } from './action-store.ts';

describe('the memory', () => {
  test('never has terminal input, and only the last draft of each place', async () => {
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

  test('is bounded: actions that do not fit are sent, but not saved', async () => {
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
