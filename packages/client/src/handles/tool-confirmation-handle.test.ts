import type { SessionToolConfirmationRequest } from '@agenthost/protocol';
import { expect, test } from 'vitest';
import { chatState } from '../../test/fake-host.ts';
import { Harness } from '../../test/harness.ts';

const WORKER = 'ahp-chat:/worker';

const waiting = (
  id: string,
  status: 'pending-confirmation' | 'pending-result-confirmation',
): SessionToolConfirmationRequest => {
  const call = {
    toolCallId: `call-${id}`,
    toolName: 'write',
    displayName: 'Write',
    invocationMessage: 'Write',
  };
  return {
    id,
    kind: 'toolConfirmation',
    chat: WORKER,
    turnId: 't1',
    toolCall:
      status === 'pending-confirmation'
        ? { ...call, status, editable: true }
        : { ...call, status, confirmed: 'not-needed', success: true, pastTenseMessage: 'Wrote' },
  };
};

test('[SESS-7] [CHAT-8] calls that wait in a chat that is not open are answered on that chat, with all options', async () => {
  const it = await new Harness().online();
  const session = await it.run(it.client.sessions.create());
  it.host.states.set(WORKER, chatState(WORKER));
  for (const request of [
    waiting('a', 'pending-confirmation'),
    waiting('b', 'pending-confirmation'),
    waiting('c', 'pending-result-confirmation'),
  ])
    it.host.emit(session.uri, { type: 'session/inputNeededSet', request });
  await it.settle();
  const calls = session.toolConfirmations();
  expect(calls.map(({ id, chat, turnId, toolCallId }) => [id, chat, turnId, toolCallId])).toEqual([
    ['a', WORKER, 't1', 'call-a'],
    ['b', WORKER, 't1', 'call-b'],
    ['c', WORKER, 't1', 'call-c'],
  ]);
  expect(calls[0]?.toolCall).toEqual(waiting('a', 'pending-confirmation').toolCall);
  void calls[0]?.approve({ optionId: 'always', editedToolInput: '{}' });
  void calls[1]?.deny({ optionId: 'no', reasonMessage: 'not there', suggestion: 'Use another file' });
  void calls[2]?.confirmResult(false);
  await it.settle();
  const base = { turnId: 't1', type: 'chat/toolCallConfirmed' };
  expect(it.host.dispatched.map(({ channel, action }) => [channel, action])).toEqual([
    [
      WORKER,
      {
        ...base,
        toolCallId: 'call-a',
        approved: true,
        confirmed: 'user-action',
        selectedOptionId: 'always',
        editedToolInput: '{}',
      },
    ],
    [
      WORKER,
      {
        ...base,
        toolCallId: 'call-b',
        approved: false,
        reason: 'denied',
        selectedOptionId: 'no',
        reasonMessage: 'not there',
        userSuggestion: { text: 'Use another file', origin: { kind: 'user' } },
      },
    ],
    [WORKER, { type: 'chat/toolCallResultConfirmed', turnId: 't1', toolCallId: 'call-c', approved: false }],
  ]);
  it.host.emit(session.uri, { type: 'session/inputNeededRemoved', id: 'a' });
  await it.settle();
  expect([calls[0]?.toolCall, session.toolConfirmations().map(({ id }) => id)]).toEqual([
    undefined,
    ['b', 'c'],
  ]);
});
