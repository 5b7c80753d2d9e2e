import { openRequests } from '@agenthost/protocol';
import { markdownOf } from '@agenthost/testkit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { quickly, Stage, seen } from '../terminals/stage.ts';

let stage: Stage;

beforeEach(async () => {
  stage = await Stage.open();
});

afterEach(() => stage.close());

describe('a question of an agent', () => {
  test('[CHAT-13] is half answered on one client and finished on the other, and the agent gets the whole answer', async () => {
    const { asking, watching } = await stage.session();
    const prompt = asking.prompt(quickly('question text integer single required'));
    const request = await seen(asking.chat.mirror, (state) => openRequests(state)[0]);
    const here = asking.chat.inputRequest(request.id);
    await here.draft('name', 'Sour');
    await here.submit('count', 3);
    // The other client continues the draft.
    const typed = await seen(watching.chat.mirror, (state) => {
      const name = openRequests(state)[0]?.answers?.['name'];
      return name?.state === 'draft' && name.value.kind === 'text' ? name.value.value : undefined;
    });
    const there = watching.chat.inputRequest(request.id);
    expect(there.problem()?.reason).toBe('"Name" has to be answered');
    expect(await there.accept()).toMatchObject({ outcome: 'rejected', code: 'unanswered' });
    await there.submit('name', `${typed}dough`);
    expect(await there.accept({ size: 'large' })).toMatchObject({ outcome: 'accepted' });
    const turn = await prompt.result;
    expect(markdownOf(turn)).toBe('You answered:\n\n- Name: `Sourdough`\n- Count: `3`\n- Size: `large`');
    expect(turn.responseParts[0]).toMatchObject({ kind: 'inputRequest', response: 'accept' });
    expect(await here.decline()).toMatchObject({
      outcome: 'rejected',
      code: 'requestClosed',
      reason: 'It has been answered already',
    });
  });

  test('[SESS-7] of an ACP agent is answered from the session, by a client without other subscriptions', async () => {
    const { asking, watching } = await stage.session('scripted');
    watching.chat.dispose();
    const requestedSchema = {
      type: 'object',
      properties: { name: { type: 'string' }, days: { type: 'array', items: { enum: ['sat', 'sun'] } } },
      required: ['days'],
    };
    const params = { mode: 'form', message: 'When?', requestedSchema };
    const prompt = asking.prompt(
      JSON.stringify([{ ask: { method: 'elicitation/create', params } }, { sayAnswer: true }]),
    );
    await seen(watching.mirror, ({ inputNeeded }) => inputNeeded?.[0]);
    const [form] = watching.inputRequests();
    expect(form?.request).toMatchObject({
      message: 'When?',
      questions: [{ kind: 'text' }, { kind: 'multi-select', required: true }],
    });
    expect(await form?.accept({ days: ['mon'] })).toMatchObject({ code: 'unknownOption' });
    expect(await form?.accept({ days: ['sun', 'sat'] })).toMatchObject({ outcome: 'accepted' });
    expect(JSON.parse(markdownOf(await prompt.result))).toEqual({
      action: 'accept',
      content: { days: ['sun', 'sat'] },
    });
    await stage.settle();
    expect(watching.inputRequests()).toEqual([]);
  });
});
