import type { StateAction } from '@agenthost/protocol';
import { describe, expect, test } from 'vitest';
import { Harness, microtasks } from '../../test/harness.ts';
import type { ChatHandle } from './chat-handle.ts';
import type { Prompt } from './prompt.ts';
import type { TurnEvent } from './turn-reader.ts';

const turnOf = ({ turnId }: Prompt) => turnId;

async function asked(): Promise<{ it: Harness; chat: ChatHandle; prompt: Prompt; turnId: string }> {
  const it = await new Harness().online();
  const session = await it.run(
    it.client.sessions.create({ provider: 'demo', workingDirectories: ['file:///w'] }),
  );
  const prompt = session.prompt('ask twice');
  await it.settle();
  return { it, chat: session.chat, prompt, turnId: turnOf(prompt) };
}

type Question = Extract<TurnEvent, { type: 'confirmation' | 'resultConfirmation' | 'inputRequest' }>;

const isQuestion = (event: TurnEvent): event is Question =>
  event.type === 'confirmation' || event.type === 'resultConfirmation' || event.type === 'inputRequest';

/** Collects a prompt's questions until its reader awaits the next event. */
function questions(prompt: Prompt): { told: Question[]; changes: string[] } {
  const told: Question[] = [];
  const changes: string[] = [];
  const read = async (): Promise<void> => {
    for await (const event of prompt) {
      if (isQuestion(event)) told.push(event);
      else if (event.type === 'toolCall') changes.push(event.change);
    }
  };
  read().catch(() => undefined);
  return { told, changes };
}

/** The host emits everything and the client gets it before any reader runs. */
async function atOnce(
  { it, chat }: { it: Harness; chat: ChatHandle },
  actions: StateAction[],
): Promise<void> {
  for (const action of actions) it.host.emit(chat.mirror.uri, action);
  it.pair.deliverAll();
  await it.settle();
}

const begun = (turnId: string): StateAction => ({
  type: 'chat/toolCallStart',
  turnId,
  toolCallId: 'c1',
  toolName: 'ponder',
  displayName: 'Ponder',
});
const ready = (turnId: string, invocationMessage = 'Ponder'): StateAction => ({
  type: 'chat/toolCallReady',
  turnId,
  toolCallId: 'c1',
  invocationMessage,
  toolInput: '{}',
});
const confirmed = (turnId: string): StateAction => ({
  type: 'chat/toolCallConfirmed',
  turnId,
  toolCallId: 'c1',
  approved: true,
  confirmed: 'user-action',
});
const requested = (message = 'Which?'): StateAction => ({
  type: 'chat/inputRequested',
  request: { id: 'q1', message },
});
const declined: StateAction = { type: 'chat/inputCompleted', requestId: 'q1', response: 'decline' };

describe('a call that asks again before a reader runs', () => {
  test.each(['Ponder some more', 'Ponder'])(
    '[CHAT-7] reports the second question, also with the same text: %s',
    async (words) => {
      const place = await asked();
      const { turnId } = place;
      const { told, changes } = questions(place.prompt);
      await atOnce(place, [begun(turnId), ready(turnId)]);
      await atOnce(place, [confirmed(turnId), ready(turnId, words)]);
      expect(told).toMatchObject([
        { type: 'confirmation', toolCall: { invocationMessage: 'Ponder' } },
        { type: 'confirmation', toolCall: { invocationMessage: words } },
      ]);
      expect(changes).toEqual(['pending-confirmation', 'pending-confirmation']);
    },
  );

  test('[CHAT-7] reports a second question with another text from a snapshot', async () => {
    const place = await asked();
    const { it, chat, turnId } = place;
    const { told } = questions(place.prompt);
    await atOnce(place, [begun(turnId), ready(turnId)]);
    await it.cut();
    for (const action of [confirmed(turnId), ready(turnId, 'More')]) it.host.emit(chat.mirror.uri, action);
    it.host.isSnapshotOnly = true;
    await it.comeBack();
    expect(told).toMatchObject([
      { toolCall: { invocationMessage: 'Ponder' } },
      { toolCall: { invocationMessage: 'More' } },
    ]);
  });

  test('[CHAT-7] [ACT-5] reports a second question with the same text from a snapshot, once the first answer is settled', async () => {
    const place = await asked();
    const { it, chat, turnId } = place;
    const { told } = questions(place.prompt);
    await atOnce(place, [begun(turnId), ready(turnId)]);
    const [first] = told;
    if (first?.type !== 'confirmation') throw new Error('nothing was asked');
    const answered = first.approve();
    it.pair.aToB.deliver();
    await microtasks();
    it.host.emit(chat.mirror.uri, ready(turnId));
    await it.cut();
    it.host.isSnapshotOnly = true;
    await it.comeBack();
    await expect(answered).resolves.toMatchObject({ outcome: 'accepted' });
    await microtasks();
    expect(told).toHaveLength(2);
  });

  test('[CHAT-7] reports a second question about the result', async () => {
    const place = await asked();
    const { turnId } = place;
    const { told } = questions(place.prompt);
    const complete: StateAction = {
      type: 'chat/toolCallComplete',
      turnId,
      toolCallId: 'c1',
      result: { success: true, pastTenseMessage: 'Pondered' },
      requiresResultConfirmation: true,
    };
    await atOnce(place, [begun(turnId), ready(turnId)]);
    await atOnce(place, [confirmed(turnId), complete]);
    expect(told.map(({ type }) => type)).toEqual(['confirmation', 'resultConfirmation']);
  });
});

test('[CHAT-7] [CHAT-33] an open question is reported once, also after an assessment of its risk, other events and a snapshot', async () => {
  const place = await asked();
  const { it, turnId } = place;
  const { told } = questions(place.prompt);
  await atOnce(place, [begun(turnId), ready(turnId), requested()]);
  const judged = { ...ready(turnId), riskAssessment: { kind: 'judge' as const, status: 'loading' as const } };
  await atOnce(place, [judged, requested()]);
  await it.cut();
  it.host.isSnapshotOnly = true;
  await it.comeBack();
  await atOnce(place, [
    { type: 'chat/responsePart', turnId, part: { kind: 'markdown', id: 'p1', content: 'Hm' } },
  ]);
  expect(told.map(({ type }) => type)).toEqual(['confirmation', 'inputRequest']);
});

describe('a repeated input request with the same id', () => {
  test.each([
    ['answered meanwhile', [declined, requested()], 'Which?'],
    ['with another question', [requested('Which one?')], 'Which one?'],
  ])('[CHAT-13] is reported again when it was %s', async (_title, actions, message) => {
    const place = await asked();
    const { told } = questions(place.prompt);
    await atOnce(place, [requested()]);
    await atOnce(place, actions);
    expect(told).toMatchObject([{ request: { message: 'Which?' } }, { request: { message } }]);
  });

  test('[CHAT-13] is not reported again for a draft of an answer', async () => {
    const place = await asked();
    const { told } = questions(place.prompt);
    const questionsOfIt = [{ id: 'a', kind: 'text' as const, title: 'A', message: 'What?' }];
    await atOnce(place, [
      { type: 'chat/inputRequested', request: { id: 'q1', message: 'Which?', questions: questionsOfIt } },
    ]);
    await atOnce(place, [
      {
        type: 'chat/inputAnswerChanged',
        requestId: 'q1',
        questionId: 'a',
        answer: { state: 'draft', value: { kind: 'text', value: 'x' } },
      },
    ]);
    expect(told).toHaveLength(1);
  });
});
