import type { ChatInputAnswer, ChatInputQuestion, SessionInputRequest } from '@agenthost/protocol';
import { openRequests, SessionStatus } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { turnCancelled, turnStarted } from '@agenthost/testkit';
import { describe, expect, test } from 'vitest';
import { SESSION } from './host-fixture.ts';
import { chatOf, codeOf, inTurn } from './in-turn.ts';
import type { RawClient } from './raw-client.ts';

const name: ChatInputQuestion = { id: 'name', kind: 'text', message: 'Whose?', required: true, max: 5 };
const count: ChatInputQuestion = { id: 'count', kind: 'integer', message: 'How many?', min: 1 };
const FORM = { requestId: 'r', message: 'An order', questions: [name, count] };

const text = (value: string, state: 'draft' | 'submitted' = 'submitted'): ChatInputAnswer => ({
  state,
  value: { kind: 'text', value },
});
const number = (value: number, state: 'draft' | 'submitted' = 'submitted'): ChatInputAnswer => ({
  state,
  value: { kind: 'number', value },
});
const changed = (questionId: string, answer?: ChatInputAnswer, requestId = 'r') => ({
  type: 'chat/inputAnswerChanged',
  requestId,
  questionId,
  ...defined({ answer }),
});
const completed = (response: string, answers?: Record<string, ChatInputAnswer>, requestId = 'r') => ({
  type: 'chat/inputCompleted',
  requestId,
  response,
  ...defined({ answers }),
});

async function neededOf(client: RawClient): Promise<SessionInputRequest[]> {
  const { state } = await client.subscribe(SESSION);
  if (!('activeClients' in state)) throw new Error('no session');
  return state.inputNeeded ?? [];
}

/** A turn whose agent has asked `FORM`. */
async function asked() {
  const turn = await inTurn();
  await turn.client.act(turn.session, { type: 'session/isReadChanged', isRead: true });
  const response = turn.output.ask(FORM);
  await turn.host.run();
  return { ...turn, response };
}

const ENDED = { response: 'cancel', answers: {} };

describe('an input request', () => {
  test('[SESS-7] is an entry of inputNeeded beside a call with the same id', async () => {
    const { host, client, chat, output, call } = await inTurn();
    void call('same').confirm({ invocationMessage: 'may I?' });
    void output.ask({ ...FORM, requestId: 'same' });
    await host.run();
    const kinds = async () => (await neededOf(client)).map(({ kind }) => kind);
    expect(await kinds()).toStrictEqual(['toolConfirmation', 'chatInput']);
    await client.act(chat, completed('decline', undefined, 'same'));
    expect(await kinds()).toStrictEqual(['toolConfirmation']);
    await client.act(chat, turnCancelled('t1'));
    expect(await kinds()).toStrictEqual([]);
  });

  test('[CHAT-13] waits as state; an accept is sent to the agent and becomes a part of the turn', async () => {
    const { host, client, chat, response } = await asked();
    const before = await chatOf(client, chat);
    expect(openRequests(before)).toStrictEqual([{ id: 'r', message: 'An order', questions: [name, count] }]);
    expect(before.status & SessionStatus.InputNeeded).toBe(SessionStatus.InputNeeded);
    expect(before.status & SessionStatus.IsRead).toBe(0);
    const answers = { name: text('Ada'), count: { state: 'skipped' } } as const;
    const echo = await client.act(chat, completed('accept', answers));
    expect(echo?.rejectionReason).toBeUndefined();
    expect(await response).toStrictEqual({ response: 'accept', answers });
    const after = await chatOf(client, chat);
    expect(openRequests(after)).toEqual([]);
    expect(after.status & SessionStatus.InputNeeded).toBe(SessionStatus.InProgress);
    expect(after.activeTurn?.responseParts).toStrictEqual([
      {
        kind: 'inputRequest',
        request: { id: 'r', message: 'An order', questions: [name, count], answers },
        response: 'accept',
        'x-answeredBy': { clientId: client.clientId, name: 'client' },
      },
    ]);
    host.agent.turn.complete();
  });

  test('[CHAT-13] marks the session as unread', async () => {
    const { client } = await asked();
    const { state } = await client.subscribe(SESSION);
    expect('status' in state ? Number(state.status) & SessionStatus.IsRead : undefined).toBe(0);
  });

  test('[CHAT-13] merges the answers of several clients by question, and one client finishes it', async () => {
    const { host, client, chat, response } = await asked();
    const other = await host.client();
    await other.subscribe(chat);
    await client.act(chat, changed('name', text('A', 'draft')));
    await other.act(chat, changed('count', number(3)));
    await other.act(chat, changed('name', text('Ada', 'draft')));
    const shared = { name: text('Ada', 'draft'), count: number(3) };
    for (const each of [client, other]) {
      expect(openRequests(await chatOf(each, chat))[0]?.answers).toStrictEqual(shared);
    }
    await client.act(chat, changed('name', text('Ada')));
    await other.act(chat, completed('accept'));
    expect(await response).toStrictEqual({
      response: 'accept',
      answers: { name: text('Ada'), count: number(3) },
    });
  });

  test('[CHAT-13] an answer without a value removes an earlier one', async () => {
    const { client, chat } = await asked();
    await client.act(chat, changed('name', text('Ada')));
    await client.act(chat, changed('name'));
    expect(openRequests(await chatOf(client, chat))[0]?.answers).toBeUndefined();
    expect(codeOf(await client.act(chat, completed('accept')))).toBe('unanswered');
  });

  test('[CHAT-13] draft answers are not sent to the agent', async () => {
    const { client, chat, response } = await asked();
    await client.act(chat, changed('count', number(0, 'draft')));
    await client.act(chat, completed('accept', { name: text('Ada') }));
    expect(await response).toStrictEqual({ response: 'accept', answers: { name: text('Ada') } });
  });

  test.each(['decline', 'cancel'])('[CHAT-13] %s needs no answers and sends none', async (kind) => {
    const { client, chat, response } = await asked();
    await client.act(chat, changed('name', text('Ada')));
    await client.act(chat, completed(kind));
    expect(await response).toStrictEqual({ response: kind, answers: {} });
    const [part] = (await chatOf(client, chat)).activeTurn?.responseParts ?? [];
    expect(part).toMatchObject({ kind: 'inputRequest', response: kind });
  });

  test('[CHAT-13] the first completion wins, later ones get the outcome', async () => {
    const { host, client, chat, response } = await asked();
    const other = await host.client();
    const first = client.dispatch(chat, completed('decline'));
    const second = other.dispatch(chat, completed('accept', { name: text('Ada') }));
    await host.run();
    expect(client.echoOf(first)?.rejectionReason).toBeUndefined();
    expect(other.echoOf(second)?.rejectionReason).toBe('requestClosed: It has been declined already');
    expect(await response).toStrictEqual({ response: 'decline', answers: {} });
    const late = await other.act(chat, changed('name', text('Ada')));
    expect(codeOf(late)).toBe('requestClosed');
    host.agent.turn.complete();
    await host.run();
    expect(codeOf(await other.act(chat, completed('accept')))).toBe('requestClosed');
  });

  test('[CHAT-13] two at once are answered one by one, in any order', async () => {
    const { client, chat, output, host, response } = await asked();
    const second = output.ask({ questions: [{ ...count, id: 'age' }] });
    await host.run();
    const ids = openRequests(await chatOf(client, chat)).map(({ id }) => id);
    expect(ids).toStrictEqual(['r', expect.any(String)]);
    await client.act(chat, completed('accept', { age: number(7) }, ids[1]));
    expect(await second).toStrictEqual({ response: 'accept', answers: { age: number(7) } });
    const state = await chatOf(client, chat);
    expect(openRequests(state).map(({ id }) => id)).toStrictEqual(['r']);
    expect(state.status & SessionStatus.InputNeeded).toBe(SessionStatus.InputNeeded);
    await client.act(chat, completed('cancel'));
    expect(await response).toStrictEqual(ENDED);
  });

  test('[CHAT-13] for a web page has no questions, and is accepted, declined or cancelled', async () => {
    const { host, client, chat, output } = await inTurn();
    for (const kind of ['accept', 'decline', 'cancel']) {
      const response = output.ask({ requestId: kind, message: 'Sign in', url: 'https://example.com/in' });
      await host.run();
      expect(openRequests(await chatOf(client, chat))).toStrictEqual([
        { id: kind, message: 'Sign in', url: 'https://example.com/in' },
      ]);
      expect(codeOf(await client.act(chat, changed('any', text('x'), kind)))).toBe('unknownQuestion');
      await client.act(chat, completed(kind, undefined, kind));
      expect(await response).toStrictEqual({ response: kind, answers: {} });
    }
  });

  test('[CHAT-13] asked again under its id has other questions and keeps the drafts', async () => {
    const { host, client, chat, output, response } = await asked();
    await client.act(chat, changed('name', text('Ada')));
    const again = output.ask({ ...FORM, questions: [{ ...name, max: 2 }] });
    await host.run();
    expect(await response).toStrictEqual(ENDED);
    expect(openRequests(await chatOf(client, chat))).toStrictEqual([
      { id: 'r', message: 'An order', questions: [{ ...name, max: 2 }], answers: { name: text('Ada') } },
    ]);
    // The draft fitted the earlier question.
    expect(codeOf(await client.act(chat, completed('accept')))).toBe('wrongLength');
    await client.act(chat, completed('accept', { name: text('Al') }));
    expect(await again).toStrictEqual({ response: 'accept', answers: { name: text('Al') } });
  });

  test('[CHAT-13] is removed when the agent withdraws it', async () => {
    const { host, client, chat, output } = await inTurn();
    const withdrawing = new AbortController();
    const response = output.ask(FORM, withdrawing.signal);
    await host.run();
    withdrawing.abort();
    await host.run();
    expect(await response).toStrictEqual(ENDED);
    expect(openRequests(await chatOf(client, chat))).toEqual([]);
    expect(codeOf(await client.act(chat, completed('decline')))).toBe('requestClosed');
    expect(await output.ask(FORM, withdrawing.signal)).toStrictEqual(ENDED);
  });
});

describe('rejected', () => {
  test.each<[string, object]>([
    ['unknownRequest', changed('name', text('Ada'), 'other')],
    ['unknownRequest', completed('cancel', undefined, 'other')],
    ['unknownQuestion', changed('age', number(7))],
    ['unknownQuestion', changed('age')],
    ['unknownQuestion', completed('decline', { age: number(7) })],
    ['invalidAction', { ...changed('name'), answer: { state: 'submitted' } }],
    ['invalidAction', { ...changed('name'), answer: { state: 'draft', value: { kind: 'text' } } }],
    ['wrongKind', changed('name', number(7, 'draft'))],
    ['wrongKind', completed('decline', { name: number(7) })],
    ['wrongLength', changed('name', text('too long'))],
    ['wrongLength', completed('accept', { name: text('too long') })],
    ['outOfRange', changed('count', number(0))],
    ['notInteger', completed('accept', { name: text('Ada'), count: number(1.5) })],
    ['unanswered', completed('accept')],
    ['unanswered', completed('accept', { name: { state: 'skipped' } })],
    ['unanswered', completed('accept', { name: text('Ada', 'draft') })],
  ])('[CHAT-13] as %s, and nothing changes: %j', async (code, action) => {
    const { client, chat } = await asked();
    const before = await chatOf(client, chat);
    const echo = await client.act(chat, action);
    expect(codeOf(echo)).toBe(code);
    expect(echo?.rejectionReason).toMatch(/^\w+: \S.{9,}/);
    expect(await chatOf(client, chat)).toStrictEqual(before);
  });

  test('[CHAT-13] an accept when a skip replaced the answer to a required question', async () => {
    const { client, chat } = await asked();
    await client.act(chat, changed('name', text('Ada')));
    const echo = await client.act(chat, completed('accept', { name: { state: 'skipped' } }));
    expect(codeOf(echo)).toBe('unanswered');
    expect(codeOf(await client.act(chat, completed('accept')))).toBeUndefined();
  });
});

describe('from the session', () => {
  test('[SESS-7] an open request is mirrored with its drafts, and a client without a subscription to the chat can answer it', async () => {
    const { host, client, chat, response } = await asked();
    const phone = await host.client();
    const [needed] = await neededOf(phone);
    expect(needed).toMatchObject({ kind: 'chatInput', chat, request: { id: 'r', questions: [name, count] } });
    await client.act(chat, changed('name', text('Ad', 'draft')));
    expect(await neededOf(phone)).toMatchObject([{ request: { answers: { name: text('Ad', 'draft') } } }]);
    phone.clear();
    await phone.act(chat, changed('name', text('Ada')));
    expect(phone.types(SESSION)).toContain('session/inputNeededSet');
    const echo = await phone.act(chat, completed('accept'));
    expect([echo?.channel, echo?.rejectionReason]).toStrictEqual([chat, undefined]);
    expect(await response).toStrictEqual({ response: 'accept', answers: { name: text('Ada') } });
    expect(phone.types(SESSION)).toContain('session/inputNeededRemoved');
    expect(await neededOf(phone)).toStrictEqual([]);
  });
});

describe('over disconnections and ends', () => {
  test('[CHAT-13] a request is still there after a reconnect, and the answer given then counts', async () => {
    const { host, client, chat, response } = await asked();
    await client.act(chat, changed('name', text('Ada', 'draft')));
    client.link.cut();
    await host.run();
    const again = await host.client(client.clientId);
    expect(openRequests(await chatOf(again, chat))).toMatchObject([
      { id: 'r', answers: { name: text('Ada', 'draft') } },
    ]);
    await again.act(chat, completed('accept', { name: text('Ada') }));
    expect(await response).toStrictEqual({ response: 'accept', answers: { name: text('Ada') } });
  });

  const ends: [string, (turn: Awaited<ReturnType<typeof asked>>) => unknown][] = [
    ['is completed', ({ host }) => host.agent.turn.complete()],
    ['is cancelled', ({ client, chat }) => client.act(chat, turnCancelled('t1'))],
    ['fails', ({ host }) => host.agent.turn.fail(new Error('no more'))],
    ['is truncated', ({ client, chat }) => client.act(chat, { type: 'chat/truncated' })],
    ['loses its agent', ({ host }) => host.agent.opened[0]?.host.exited('gone')],
  ];
  test.each(ends)('[CHAT-5] [CHAT-6] [CHAT-13] two requests end with a turn that %s', async (_, end) => {
    const turn = await asked();
    const { host, client, chat, output, response } = turn;
    const second = output.ask({ url: 'https://example.com' });
    await host.run();
    expect(await neededOf(client)).toHaveLength(2);
    await end(turn);
    await host.run();
    expect(await Promise.all([response, second])).toStrictEqual([ENDED, ENDED]);
    const state = await chatOf(client, chat);
    expect([openRequests(state), state.activeTurn]).toStrictEqual([[], undefined]);
    expect(await neededOf(client)).toStrictEqual([]);
    expect(codeOf(await client.act(chat, completed('accept', { name: text('Ada') })))).toBe('unknownRequest');
    expect(await output.ask(FORM)).toStrictEqual(ENDED);
    expect(openRequests(await chatOf(client, chat))).toEqual([]);
  });

  test('[CHAT-13] [CONN-8] a request ends with a turn that a restart ends', async () => {
    const { host, client, chat } = await asked();
    await host.restart();
    const again = await host.client(client.clientId);
    const state = await chatOf(again, chat);
    expect([openRequests(state), state.activeTurn]).toStrictEqual([[], undefined]);
    expect(state.turns.at(-1)?.responseParts.at(-1)).toMatchObject({ error: { errorType: 'hostRestarted' } });
    expect(await neededOf(again)).toStrictEqual([]);
    expect(codeOf(await again.act(chat, completed('cancel')))).toBe('unknownRequest');
  });

  test('[CHAT-6] [SESS-7] a truncation that changes nothing leaves a request open everywhere', async () => {
    const { client, chat } = await asked();
    await client.act(chat, { type: 'chat/truncated', turnId: 'unknown' });
    expect(openRequests(await chatOf(client, chat))).toHaveLength(1);
    expect(await neededOf(client)).toHaveLength(1);
  });

  test('[SESS-7] a removed chat removes its requests from the session', async () => {
    const { host, client, session, response } = await asked();
    await client.request('createChat', { channel: session, chat: 'ahp-chat:/two' });
    await client.act('ahp-chat:/two', turnStarted('t2'));
    const second = host.agent.turn.output.ask(FORM);
    await host.run();
    expect(await neededOf(client)).toHaveLength(2);
    await client.request('disposeChat', { channel: 'ahp-chat:/two' });
    await host.run();
    expect(await second).toStrictEqual(ENDED);
    expect(await neededOf(client)).toMatchObject([{ request: { id: 'r' } }]);
    await client.act(session, { type: 'session/isReadChanged', isRead: true });
    await client.request('disposeSession', { channel: session });
    expect(await response).toStrictEqual(ENDED);
  });
});
