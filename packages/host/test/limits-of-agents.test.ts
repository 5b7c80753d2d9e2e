import { openRequests } from '@agenthost/protocol';
import { expect, test } from 'vitest';
import { chatOf, inTurn } from './in-turn.ts';

const MI = 1024 * 1024;
const huge = 'h'.repeat(12 * MI);

test('texts of 12 MB of an agent are cut, and its turn completes', async () => {
  const { host, client, session, chat, output, callOf } = await inTurn();
  output.activity(huge);
  output.notify(huge);
  const call = output.toolCall({
    toolCallId: 'c',
    toolName: huge,
    displayName: huge,
    intention: huge,
    meta: { note: huge },
  });
  void call.confirm({
    invocationMessage: { markdown: huge },
    toolInput: huge,
    confirmationTitle: huge,
    editable: true,
    options: [
      { id: 'yes', label: huge, kind: 'approve' },
      { id: huge, label: 'cannot be chosen', kind: 'approve' },
    ],
  });
  const shown = await callOf('c');
  expect(shown).toMatchObject({ status: 'pending-confirmation', options: [{ id: 'yes' }] });
  expect(shown).not.toHaveProperty('editable');
  expect(shown).toMatchObject({ toolInput: { sizeHint: huge.length } });
  expect(JSON.stringify(await chatOf(client, chat)).length).toBeLessThan(14 * MI);
  const { state } = await client.subscribe(session);
  expect(JSON.stringify(state).length).toBeLessThan(2 * MI);
  await client.act(chat, {
    type: 'chat/toolCallConfirmed',
    turnId: 't1',
    toolCallId: 'c',
    approved: true,
    confirmed: 'user-action',
    selectedOptionId: 'yes',
  });
  void call.complete({ success: true, pastTenseMessage: huge, error: { message: huge } });
  await host.run();
  host.agent.turn.complete();
  await host.run();
  const { turns } = await chatOf(client, chat);
  expect(turns.at(-1)).toMatchObject({ id: 't1', state: 'complete' });
  expect(
    JSON.stringify(turns.at(-1)?.responseParts.filter(({ kind }) => kind === 'toolCall')).length,
  ).toBeLessThan(2 * MI);
});

test('[CHAT-13] an agent whose questions have ids that no answer can name gets a cancellation', async () => {
  const { host, client, chat, output } = await inTurn();
  const asked = await Promise.all([
    output.ask({ questions: [{ kind: 'text', id: huge, message: 'What?' }] }),
    output.ask({
      questions: [
        { kind: 'single-select', id: 'q', message: 'Which?', options: [{ id: huge, label: 'This' }] },
      ],
    }),
  ]);
  expect(asked).toEqual([
    { response: 'cancel', answers: {} },
    { response: 'cancel', answers: {} },
  ]);
  const state = await chatOf(client, chat);
  expect(openRequests(state)).toEqual([]);
  expect(JSON.stringify(state.activeTurn?.responseParts)).toContain('longer than 512 characters');
  void output.ask({ requestId: huge, questions: [{ kind: 'text', id: 'q', message: huge }] });
  await host.run();
  const [request] = openRequests(await chatOf(client, chat));
  expect(request?.id.length).toBeLessThan(512);
  expect(request?.questions?.[0]?.message).toContain('at most 32,768 are kept');
});
