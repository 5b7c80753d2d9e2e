import type { SessionSummary } from '@agenthost/protocol';
import { approved, turnStarted } from '@agenthost/testkit';
import { describe, expect, test } from 'vitest';
import { ROOT } from './host-fixture.ts';
import { inTurn, READY } from './in-turn.ts';
import type { RawClient } from './raw-client.ts';

const listed = async (client: RawClient): Promise<SessionSummary | undefined> =>
  (await client.request('listSessions', { channel: ROOT })).items[0];

/** Changes of these fields that a subscriber of the root was told of. */
const told = (client: RawClient, key: 'x-asks' | 'x-preview'): unknown[] =>
  client.frames.flatMap(({ method, params }) => {
    const { changes = {} } = Object(params);
    return method === 'root/sessionSummaryChanged' && key in changes ? [changes[key]] : [];
  });

async function watched() {
  const all = await inTurn();
  const board = await all.host.client('board', { initialSubscriptions: [ROOT] });
  return { ...all, board };
}

describe('the list of sessions', () => {
  test('[ROOT-3] has the question of a session and the ids to answer it, without a subscription to the session', async () => {
    const { host, chat, call, board } = await watched();
    const answer = call('c1').confirm({
      ...READY,
      confirmationTitle: '\u001b[31mRun\u001b[0m\u202e it?\nmore',
    });
    await host.run();
    const first = {
      kind: 'toolConfirmation',
      id: `${chat}#call/c1`,
      chat,
      title: 'Run it?',
      turnId: 't1',
      toolCallId: 'c1',
    };
    expect(told(board, 'x-asks')).toStrictEqual([{ count: 1, first }]);
    expect((await listed(board))?.['x-asks']).toStrictEqual({ count: 1, first });
    const echo = await board.act(chat, approved('t1', 'c1'));
    expect(echo?.rejectionReason).toBeUndefined();
    await answer;
    await host.run();
    expect(told(board, 'x-asks').at(-1)).toStrictEqual({ count: 0 });
    expect(await listed(board)).not.toHaveProperty('x-asks');
  });

  test('[ROOT-3] counts the questions to people, shows the oldest, and is told of each change once', async () => {
    const { host, client, chat, output, call, board } = await watched();
    const question = { kind: 'text', id: 'q', message: 'Which?', required: true } as const;
    void output
      .ask({ requestId: 'r', message: 'x'.repeat(300), questions: [question] })
      .catch(() => undefined);
    await host.run();
    void call('c1')
      .confirm(READY)
      .catch(() => undefined);
    await host.run();
    const first = {
      kind: 'chatInput',
      id: `${chat}#input/r`,
      chat,
      title: `${'x'.repeat(199)}…`,
      requestId: 'r',
      needsAnswers: true,
    };
    expect(told(board, 'x-asks')).toStrictEqual([
      { count: 1, first },
      { count: 2, first },
    ]);
    const draft = { state: 'draft', value: { kind: 'text', value: 'a' } } as const;
    await client.act(chat, {
      type: 'chat/inputAnswerChanged',
      requestId: 'r',
      questionId: 'q',
      answer: draft,
    });
    await client.act(chat, { type: 'chat/inputCompleted', requestId: 'r', response: 'decline' });
    await host.run();
    expect(told(board, 'x-asks').slice(2)).toMatchObject([
      { count: 1, first: { toolCallId: 'c1', title: 'does it' } },
    ]);
    await client.act(chat, { type: 'chat/turnCancelled', turnId: 't1', duration: 1 });
    expect(told(board, 'x-asks').at(-1)).toStrictEqual({ count: 0 });
  });

  test('[ROOT-3] has the last line of the last answer, also after a restart', async () => {
    const { host, client, chat, board } = await watched();
    void host.agent.turn.output.markdown('First\n\nThe \u001b[1mlast\u001b[0m line\n```\n\n');
    host.agent.turn.complete();
    await host.run();
    expect(told(board, 'x-preview')).toStrictEqual(['The last line']);
    await client.act(chat, turnStarted('t2'));
    await host.run();
    void host.agent.turn.output.markdown('y'.repeat(20_000));
    host.agent.turn.complete();
    await host.run();
    expect(told(board, 'x-preview').at(-1)).toBe(`${'y'.repeat(159)}…`);
    await client.act(chat, { type: 'chat/truncated', turnId: 't1' });
    await host.run();
    expect(told(board, 'x-preview').at(-1)).toBe('The last line');
    await host.restart();
    expect(await listed(await host.client('later'))).toMatchObject({ 'x-preview': 'The last line' });
  });

  test('[ROOT-3] shows the running turn by its last line or tool call, at most once in three seconds', async () => {
    const { host, output, call, board } = await watched();
    void output.markdown('First I read\nthe files');
    await host.run();
    void output.markdown(' of the test.\n');
    await host.advance(2_999);
    expect(told(board, 'x-preview')).toStrictEqual([]);
    await host.advance(1);
    expect(told(board, 'x-preview')).toStrictEqual(['the files of the test.']);
    call('c1').run({ ...READY, invocationMessage: 'Runs `npm test`' });
    for (let count = 0; count < 30; count += 1) {
      void output.reasoning('so ');
      await host.advance(100);
    }
    expect(told(board, 'x-preview').slice(1)).toStrictEqual(['Runs `npm test`']);
    await host.advance(60_000);
    void output.markdown('All green');
    host.agent.turn.complete();
    await host.run();
    await host.advance(60_000);
    expect(told(board, 'x-preview').slice(2)).toStrictEqual(['All green']);
  });

  test('[ROOT-3] a turn that writes nothing changes no preview', async () => {
    const { host, output, board } = await watched();
    void output.markdown('\n');
    await host.advance(10_000);
    expect(told(board, 'x-preview')).toStrictEqual([]);
  });
});
