import type { ChatInputRequest } from '@agenthost/protocol';
import { turnStarted } from '@agenthost/testkit';
import { expect, test } from 'vitest';
import { Harness } from '../../test/harness.ts';
import type { SessionHandle } from './session-handle.ts';

const request: ChatInputRequest = {
  id: 'r',
  questions: [
    { id: 'name', kind: 'text', message: 'Whose?', required: true, max: 3 },
    { id: 'size', kind: 'single-select', message: 'Which?', options: [{ id: 's', label: 'Small' }] },
    { id: 'extras', kind: 'multi-select', message: 'What?', options: [{ id: 'a', label: 'A' }] },
    { id: 'count', kind: 'integer', message: 'How many?' },
    { id: 'sliced', kind: 'boolean', message: 'Sliced?' },
  ],
};

async function opened(): Promise<{ it: Harness; session: SessionHandle; chat: string }> {
  const it = await new Harness().online();
  const session = await it.run(it.client.sessions.create());
  return { it, session, chat: session.chat.mirror.uri };
}

const sent = (it: Harness) => it.host.dispatched.map(({ channel, action }) => ({ channel, ...action }));

test('[CHAT-13] plain values become answers of the kind of the question', async () => {
  const { it, session, chat } = await opened();
  it.host.emit(chat, turnStarted('t1'));
  it.host.emit(chat, { type: 'chat/inputRequested', request });
  await it.settle();
  const form = session.chat.inputRequest('r');
  const values = { name: 'Ada', size: 's', extras: ['a'], count: 2, sliced: true } as const;
  for (const [id, value] of Object.entries(values)) await it.run(form.submit(id, value));
  await it.run(form.draft('size', { kind: 'selected', value: '', freeformValues: ['Huge'] }));
  expect(form.request?.answers).toEqual({
    name: { state: 'submitted', value: { kind: 'text', value: 'Ada' } },
    size: { state: 'draft', value: { kind: 'selected', value: '', freeformValues: ['Huge'] } },
    extras: { state: 'submitted', value: { kind: 'selected-many', value: ['a'] } },
    count: { state: 'submitted', value: { kind: 'number', value: 2 } },
    sliced: { state: 'submitted', value: { kind: 'boolean', value: true } },
  });
  await it.run(form.skip('count', 'no idea'));
  await it.run(form.clear('extras'));
  expect(form.request?.answers).toMatchObject({
    count: { state: 'skipped', freeformValues: ['no idea'] },
  });
  expect(form.request?.answers).not.toHaveProperty('extras');
});

test('[CHAT-13] missing and invalid answers are reported before they are sent', async () => {
  const { it, session, chat } = await opened();
  it.host.emit(chat, turnStarted('t1'));
  it.host.emit(chat, { type: 'chat/inputRequested', request });
  await it.settle();
  const form = session.chat.inputRequest('r');
  expect(form.problem()?.code).toBe('unanswered');
  expect(form.problem({ name: 'Agatha' })?.code).toBe('wrongLength');
  expect(form.problem({ name: 'Ada', count: 1.5 })?.code).toBe('notInteger');
  expect(form.problem({ name: 'Ada' })).toBeUndefined();
  expect(sent(it)).toEqual([]);
});

test('[CHAT-13] accept, decline and cancel close the request, which then no longer exists', async () => {
  const { it, session, chat } = await opened();
  for (const close of ['accept', 'decline', 'cancel'] as const) {
    it.host.emit(chat, { type: 'chat/inputRequested', request: { ...request, id: close } });
    await it.settle();
    const form = session.chat.inputRequest(close);
    await it.run(close === 'accept' ? form.accept({ name: 'Ada' }) : form[close]());
    expect([form.request, form.problem()]).toEqual([undefined, undefined]);
  }
  const base = { channel: chat, type: 'chat/inputCompleted' };
  expect(sent(it)).toEqual([
    {
      ...base,
      requestId: 'accept',
      response: 'accept',
      answers: { name: { state: 'submitted', value: { kind: 'text', value: 'Ada' } } },
    },
    { ...base, requestId: 'decline', response: 'decline' },
    { ...base, requestId: 'cancel', response: 'cancel' },
  ]);
});

test('[SESS-7] a session has the requests of all its chats, and answers go to the chat of the request', async () => {
  const { it, session } = await opened();
  const [chat, id] = ['ahp-chat:/elsewhere', 'e'];
  it.host.emit(session.uri, {
    type: 'session/inputNeededSet',
    request: { id, kind: 'chatInput', chat, request },
  });
  await it.settle();
  const [form, ...others] = session.inputRequests();
  expect([form?.id, form?.chat, form?.request, others]).toEqual(['r', chat, request, []]);
  void form?.accept({ name: 'Ada' });
  await it.settle();
  expect(sent(it)).toMatchObject([{ channel: chat, type: 'chat/inputCompleted', requestId: 'r' }]);
  it.host.emit(session.uri, { type: 'session/inputNeededRemoved', id });
  await it.settle();
  expect([form?.request, session.inputRequests()]).toEqual([undefined, []]);
});
