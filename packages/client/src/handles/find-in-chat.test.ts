import type { ChatState, ResponsePart, Turn } from '@agenthost/protocol';
import { expect, test } from 'vitest';
import { chatState, turnOf } from '../../test/fake-host.ts';
import { Harness } from '../../test/harness.ts';
import { ChatHandle } from './chat-handle.ts';
import type { ChatMatch, FindOptions } from './find-in-chat.ts';

const CHAT = 'ahp-chat:/1';

const markdown = (id: string, content: string): ResponsePart => ({ kind: 'markdown', id, content });
const answered = (id: string, text: string, ...responseParts: ResponsePart[]): Turn => ({
  ...turnOf(id, text),
  responseParts,
});

async function opened(state: Partial<ChatState>, turns?: number) {
  const it = await new Harness().online();
  it.host.states.set(CHAT, chatState(CHAT, state));
  const mirror = await it.run(it.client.subscribe(CHAT, { kind: 'chat', turns }));
  const chat = new ChatHandle(
    mirror,
    () => 'new',
    () => 0,
    it.client,
  );
  async function find(text: string, options?: FindOptions): Promise<ChatMatch[]> {
    const found = collect(chat.find(text, options));
    found.catch(() => undefined);
    // The code is loaded when it is needed first; the harness waits for frames only.
    await import('./find-in-chat.ts');
    return it.run(found);
  }
  return { it, chat, find };
}

async function collect<T>(source: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of source) all.push(item);
  return all;
}

test('a text is found in messages and in all parts of answers, the newest turn first', async () => {
  const call: ResponsePart = {
    kind: 'toolCall',
    toolCall: {
      toolCallId: 'c1',
      toolName: 'bash',
      displayName: 'Run',
      status: 'running',
      invocationMessage: { markdown: 'Run `make`' },
      toolInput: '{"command":"make retry"}',
      confirmed: 'not-needed',
    },
  };
  const { find } = await opened({
    turns: [
      answered('t1', 'nothing', { kind: 'reasoning', id: 'r1', content: 'Retry or retry' }),
      answered('t2', 'Retry it', markdown('m1', 'no'), call),
    ],
    activeTurn: { ...turnOf('t3', 'again'), startedAt: '', responseParts: [markdown('m2', 'a retry')] },
  });
  expect(await find('RETRY')).toEqual([
    { turnId: 't3', turnsAfter: 0, partId: 'm2', count: 1, snippet: 'a retry', match: [2, 7] },
    { turnId: 't2', turnsAfter: 1, count: 1, snippet: 'Retry it', match: [0, 5] },
    {
      turnId: 't2',
      turnsAfter: 1,
      partId: 'c1',
      count: 1,
      snippet: '…n Run `make` {"command":"make retry"}',
      match: [31, 36],
    },
    { turnId: 't1', turnsAfter: 2, partId: 'r1', count: 2, snippet: 'Retry or retry', match: [0, 5] },
  ]);
  expect(await find('')).toEqual([]);
});

test('outputs, notices, questions and errors are found too', async () => {
  const { find } = await opened({
    turns: [
      answered(
        't1',
        '-',
        {
          kind: 'toolCall',
          toolCall: {
            toolCallId: 'c1',
            toolName: 'bash',
            displayName: 'Run',
            status: 'completed',
            invocationMessage: 'Run',
            pastTenseMessage: 'Ran',
            success: true,
            confirmed: 'not-needed',
            content: [{ type: 'text', text: 'an output' }],
          },
        },
        { kind: 'systemNotification', content: 'a notice' },
        {
          kind: 'inputRequest',
          request: { id: 'q1', questions: [{ kind: 'text', id: 'a', message: 'a question' }] },
          response: 'accept',
        },
        { kind: 'error', error: { errorType: 'agent', message: 'a fault' } },
      ),
    ],
  });
  for (const text of ['output', 'notice', 'question', 'fault']) expect(await find(text)).toHaveLength(1);
});

test('[CHAT-15] older turns are read page by page and stay out of the mirror', async () => {
  const turns = Array.from({ length: 250 }, (_, index) =>
    turnOf(`t${index}`, index % 100 === 7 ? 'here' : '-'),
  );
  const { it, chat, find } = await opened({ turns }, 10);
  const found = await find('here');
  expect(found.map(({ turnId, turnsAfter }) => [turnId, turnsAfter])).toEqual([
    ['t207', 42],
    ['t107', 142],
    ['t7', 242],
  ]);
  expect(chat.mirror.state.turns).toHaveLength(10);
  expect(
    it.host.requests.filter(({ method }) => method === 'fetchTurns').map(({ params }) => params),
  ).toEqual([
    { channel: CHAT, before: 't240', limit: 100 },
    { channel: CHAT, before: 't140', limit: 100 },
    { channel: CHAT, before: 't40', limit: 100 },
  ]);
});

test('an aborted search ends without an error, also while it waits for a page', async () => {
  const turns = Array.from({ length: 30 }, (_, index) => turnOf(`t${index}`, 'here'));
  const { it, chat, find } = await opened({ turns }, 10);
  const waiting = new AbortController();
  it.host.hold = (method) => method === 'fetchTurns';
  const found = find('here', { signal: waiting.signal });
  await it.settle();
  await import('./find-in-chat.ts');
  await it.settle();
  waiting.abort();
  expect(await found).toHaveLength(10);
  const early = new AbortController();
  const seen: string[] = [];
  for await (const { turnId } of chat.find('here', { signal: early.signal })) {
    seen.push(turnId);
    early.abort();
  }
  expect(seen).toEqual(['t29']);
});

test('a search of a chat that was truncated meanwhile rejects', async () => {
  const turns = Array.from({ length: 30 }, (_, index) => turnOf(`t${index}`, 'here'));
  const { it, find } = await opened({ turns }, 10);
  it.host.states.set(CHAT, chatState(CHAT));
  await expect(find('here')).rejects.toMatchObject({ code: -32602 });
});

test.each([
  ['Cafe', 'Ein Café hier', 'Café'],
  ['café', 'Ein Cafe\u0301 hier', 'Cafe\u0301'],
  ['STRASSE', 'Lange Straße, strasse', 'strasse'],
  ['😀 x', 'né 😀 X!', '😀 X'],
])('case and accents are ignored: %s in %s', async (wanted, text, matched) => {
  const { find } = await opened({ turns: [turnOf('t1', text)] });
  const [found] = await find(wanted);
  expect(found?.snippet.slice(...(found.match as [number, number]))).toBe(matched);
});

test('a snippet of a long text is one line around the match', async () => {
  const text = `${'a'.repeat(100)}\nneedle\n${'b'.repeat(200)}`;
  const { find } = await opened({ turns: [turnOf('t1', text)] });
  const [found] = await find('needle');
  expect(found?.snippet).toBe(`…${'a'.repeat(29)} needle ${'b'.repeat(89)}…`);
  expect(found?.match).toEqual([31, 37]);
});
