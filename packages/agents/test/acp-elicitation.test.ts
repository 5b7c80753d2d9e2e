import { openChat, type RecordedAsk, type RunningTurn } from '@agenthost/testkit';
import { describe, expect, it } from 'vitest';
import { Elicitations } from '../src/acp/turn/elicitation.ts';
import { scriptedAgent, steps, temporaryFolder } from './acp-chats.ts';
import type { Step } from './acp-scripted-agent.ts';

const create = (params: object): { method: string; params: object } => ({
  method: 'elicitation/create',
  params: { message: 'An order', ...params },
});
const form = (properties: object, required: string[] = []): object => ({
  mode: 'form',
  requestedSchema: { type: 'object', properties, required },
});
const page = { mode: 'url', elicitationId: 'e1', url: 'https://example.com/in' };

async function prompt(...list: Step[]): Promise<RunningTurn> {
  const chat = await openChat(scriptedAgent(), { workingDirectory: temporaryFolder() });
  return chat.prompt(steps(...list));
}

/** The result that the agent gets for this answer of the user. */
async function answerTo(params: object, answer?: (ask: RecordedAsk) => void): Promise<unknown> {
  const { output, done } = await prompt({ ask: create(params) }, { sayAnswer: true });
  if (answer !== undefined) answer(await output.openAsk());
  await done;
  expect(output.violations).toEqual([]);
  return JSON.parse(output.text);
}

describe('elicitation of ACP agents', () => {
  it('is offered for forms and pages', async () => {
    const { output, done } = await prompt({ sayCalls: 'initialize' });
    await done;
    expect(JSON.parse(output.text)).toMatchObject([
      { clientCapabilities: { elicitation: { form: {}, url: {} } } },
    ]);
  });

  it('[CHAT-13] a form becomes questions, and the answers its content', async () => {
    const properties = {
      name: { type: 'string', title: 'Name', description: 'Whose is it?', minLength: 2, maxLength: 9 },
      mail: { type: 'string', format: 'email', default: 'a@b.example', pattern: '@' },
      weight: { type: 'number', minimum: 0.5, maximum: 9, default: 1 },
      count: { type: 'integer', title: 'Count' },
      sliced: { type: 'boolean', default: false },
      size: { type: 'string', enum: ['s', 'l'], enumNames: ['Small'], default: 'l' },
      kind: {
        type: 'string',
        oneOf: [
          { const: 'rye', title: 'Rye', description: 'dark' },
          { const: 'oat', title: 'Oat' },
        ],
      },
      plain: { type: 'array', items: { type: 'string', enum: ['a', 'b'] }, minItems: 1, maxItems: 2 },
      titled: { type: 'array', items: { anyOf: [{ const: 'x', title: 'X' }] }, default: ['x'] },
      odd: { type: 'colour' },
    };
    let asked: unknown;
    const answer = await answerTo(form(properties, ['name', 'kind']), (ask) => {
      asked = ask.request;
      ask.accept({
        name: { kind: 'text', value: 'Ada' },
        weight: { kind: 'number', value: 2.5 },
        count: { kind: 'number', value: 3 },
        sliced: { kind: 'boolean', value: true },
        kind: { kind: 'selected', value: 'oat' },
        plain: { kind: 'selected-many', value: ['a', 'a', 'b'] },
      });
    });
    expect(asked).toStrictEqual({
      message: 'An order',
      questions: [
        { id: 'name', required: true, title: 'Name', message: 'Whose is it?', kind: 'text', min: 2, max: 9 },
        {
          id: 'mail',
          message: 'mail (has to match @)',
          kind: 'text',
          format: 'email',
          defaultValue: 'a@b.example',
        },
        { id: 'weight', message: 'weight', kind: 'number', min: 0.5, max: 9, defaultValue: 1 },
        { id: 'count', message: 'Count', kind: 'integer' },
        { id: 'sliced', message: 'sliced', kind: 'boolean', defaultValue: false },
        {
          id: 'size',
          message: 'size',
          kind: 'single-select',
          options: [
            { id: 's', label: 'Small' },
            { id: 'l', label: 'l', recommended: true },
          ],
        },
        {
          id: 'kind',
          required: true,
          message: 'kind',
          kind: 'single-select',
          options: [
            { id: 'rye', label: 'Rye', description: 'dark' },
            { id: 'oat', label: 'Oat' },
          ],
        },
        {
          id: 'plain',
          message: 'plain',
          kind: 'multi-select',
          options: [
            { id: 'a', label: 'a' },
            { id: 'b', label: 'b' },
          ],
          min: 1,
          max: 2,
        },
        {
          id: 'titled',
          message: 'titled',
          kind: 'multi-select',
          options: [{ id: 'x', label: 'X', recommended: true }],
        },
      ],
    });
    expect(answer).toEqual({
      action: 'accept',
      content: { name: 'Ada', weight: 2.5, count: 3, sliced: true, kind: 'oat', plain: ['a', 'b'] },
    });
  });

  it('[CHAT-13] decline and cancel are different results', async () => {
    const one = form({ name: { type: 'string' } });
    expect(await answerTo(one, (ask) => ask.decline())).toEqual({ action: 'decline' });
    expect(await answerTo(one, (ask) => ask.cancel())).toEqual({ action: 'cancel' });
  });

  it('[CHAT-13] a page becomes a request to open it', async () => {
    expect(
      await answerTo(page, (ask) => {
        expect(ask.request).toEqual({ message: 'An order', url: page.url });
        ask.accept();
      }),
    ).toEqual({ action: 'accept' });
    expect(await answerTo(page, (ask) => ask.decline())).toEqual({ action: 'decline' });
  });

  it('a page that the agent reports as complete needs no answer', async () => {
    const { output, done } = await prompt(
      { request: create(page) },
      { send: { method: 'elicitation/complete', params: { elicitationId: 'other' } } },
      { say: 'still open. ' },
      { send: { method: 'elicitation/complete', params: { elicitationId: 'e1' } } },
      { awaitAnswer: true },
      { sayAnswer: true },
    );
    await done;
    expect(output.asks).toMatchObject([{ isOpen: false }]);
    expect(output.text).toBe('still open. {"action":"accept"}');
  });

  it('a request that the agent cancels is withdrawn from the user', async () => {
    const { output } = await prompt(
      { request: create(form({ name: { type: 'string' } })) },
      { send: { method: '$/cancel_request', params: { requestId: 'a1' } } },
      { waitForCancel: 'never' },
    );
    const asked = await output.until(() => output.asks.find(({ isOpen }) => !isOpen));
    expect(asked.given).toEqual({ response: 'cancel', answers: {} });
    output.end();
  });

  it('[CHAT-13] the end of the turn cancels a request', async () => {
    const { output, done } = await prompt(
      { request: create(form({ name: { type: 'string' } })) },
      { awaitAnswer: true },
      { sayAnswer: true },
    );
    const asked = await output.openAsk();
    // As the host does at the end of the turn.
    output.end();
    await done;
    expect(asked.given).toEqual({ response: 'cancel', answers: {} });
  });

  it.each<[string, object]>([
    ['a mode that nobody knows', { mode: 'telepathy' }],
    ['a page that is none of the web', { ...page, url: 'javascript:alert(1)' }],
    ['a required property of an unknown type', form({ colour: { type: 'colour' } }, ['colour'])],
  ])('[CHAT-13] %s is refused and is not shown', async (_, params) => {
    const { output, done } = await prompt({ ask: create(params) }, { sayAnswer: true });
    await done;
    expect(JSON.parse(output.text)).toMatchObject({ code: -32602 });
    expect(output.asks).toEqual([]);
  });

  it('for another request instead of a session is cancelled', async () => {
    const { output, done } = await prompt(
      { ask: create({ ...form({ name: { type: 'string' } }), sessionId: null, requestId: 1 }) },
      { sayAnswer: true },
    );
    await done;
    expect(JSON.parse(output.text)).toEqual({ action: 'cancel' });
    expect(output.asks).toEqual([]);
  });

  it('outside of a turn is cancelled', async () => {
    const { signal } = new AbortController();
    for (const params of [form({ name: { type: 'string' } }), page]) {
      const outcome = await new Elicitations().create({ ...params }, signal, () => undefined);
      expect(outcome).toEqual({ action: 'cancel' });
    }
  });
});
