import type { StateAction, ToolCallState } from '@agenthost/protocol';
import { describe, expect, test } from 'vitest';
import { chatState, sessionState, turnOf } from '../../test/fake-host.ts';
import { Harness, microtasks } from '../../test/harness.ts';
import type { Prompt } from './prompt.ts';
import type { SessionHandle } from './session-handle.ts';
import type { TurnEvent } from './turn-reader.ts';

async function opened(): Promise<{ it: Harness; session: SessionHandle; chat: string }> {
  const it = await new Harness().online();
  const session = await it.run(
    it.client.sessions.create({ provider: 'demo', workingDirectories: ['file:///w'] }),
  );
  return { it, session, chat: session.chat.mirror.uri };
}

/** Reads a prompt to its end and records a line for each event. */
function reading(
  prompt: Prompt,
  onEvent: (event: TurnEvent) => void = () => undefined,
): { log: string[]; end: Promise<void> } {
  const log: string[] = [];
  const note = (event: TurnEvent): string => {
    switch (event.type) {
      case 'text':
      case 'reasoning':
        return `${event.type} ${event.text}`;
      case 'toolCall':
        return `toolCall ${event.toolCall.toolCallId} ${event.change}`;
      case 'confirmation':
      case 'resultConfirmation':
        return `${event.type} ${event.toolCall.toolCallId}`;
      case 'inputRequest':
        return `inputRequest ${event.request.id}`;
      case 'part':
        return `part ${event.part.kind}`;
      case 'ended':
        return `ended ${event.turn.state}`;
      default:
        return event satisfies never;
    }
  };
  const end = (async () => {
    for await (const event of prompt) {
      log.push(note(event));
      onEvent(event);
    }
  })();
  end.catch(() => undefined);
  return { log, end };
}

const start = (turnId: string): StateAction[] => [
  { type: 'chat/responsePart', turnId, part: { kind: 'markdown', id: 'p1', content: 'Hel' } },
];

const toolCall = (turnId: string, toolCallId: string): StateAction[] => [
  { type: 'chat/toolCallStart', turnId, toolCallId, toolName: 'write', displayName: 'Write' },
  { type: 'chat/toolCallReady', turnId, toolCallId, invocationMessage: 'Write a.txt', toolInput: '{}' },
];

const done = (turnId: string, toolCallId: string): StateAction => ({
  type: 'chat/toolCallComplete',
  turnId,
  toolCallId,
  result: { success: true, pastTenseMessage: 'Wrote a.txt' },
});

function emit(it: Harness, chat: string, actions: StateAction[]): Promise<void> {
  for (const action of actions) it.host.emit(chat, action);
  return it.settle();
}

describe('sessions', () => {
  test('create creates a session and opens it with its default chat', async () => {
    const { it, session } = await opened();
    expect(it.host.requests.find(({ method }) => method === 'createSession')?.params).toEqual({
      channel: session.uri,
      provider: 'demo',
      workingDirectories: ['file:///w'],
    });
    expect(session.uri).toMatch(/^ahp-session:\//);
    expect(session.mirror.state.defaultChat).toBe(session.chat.mirror.uri);
    session.dispose();
    await it.settle();
    expect(it.host.connectionOf('c1').subscriptions.size).toBe(0);
  });

  test('open opens an existing session, and unsubscribes if it has no chat', async () => {
    const it = await new Harness().online();
    it.host.states.set('demo:/1', sessionState('ahp-chat:/x'));
    await expect(it.run(it.client.sessions.open('demo:/1'))).rejects.toMatchObject({ code: -32008 });
    expect(it.host.connectionOf('c1').subscriptions.size).toBe(0);
    it.host.states.set('ahp-chat:/x', chatState('ahp-chat:/x', { turns: [turnOf('a'), turnOf('b')] }));
    const session = await it.run(it.client.sessions.open('demo:/1', { turns: 1 }));
    expect(session.chat.mirror.state.turns).toHaveLength(1);
  });
});

describe('several chats and copies', () => {
  const asked = (it: Harness, method: string) =>
    it.host.requests.filter((each) => each.method === method).at(-1)?.params;

  test('[SESS-12] fork copies a session up to a turn, and opens the copy', async () => {
    const { it, session } = await opened();
    const fork = await it.run(session.fork('t1', { uri: 'ahp-session:/copy', turns: 1 }));
    expect(asked(it, 'createSession')).toEqual({
      channel: 'ahp-session:/copy',
      'x-fork': { session: session.uri, turnId: 't1' },
    });
    expect(fork.uri).toBe('ahp-session:/copy');
    expect(fork.mirror.state.defaultChat).toBe(fork.chat.mirror.uri);
  });

  test('[CHAT-39] startSideChat starts a chat beside the default chat', async () => {
    const { it, session, chat } = await opened();
    const side = await it.run(session.startSideChat('t1', { selection: { text: 'why' } }));
    expect(asked(it, 'createChat')).toMatchObject({
      source: { kind: 'sideChat', chat, turnId: 't1', selection: { text: 'why' } },
    });
    expect(asked(it, 'createChat')).toMatchObject({ chat: side.mirror.uri });
  });

  test('[CHAT-1] forkChat copies the default chat or another one, and disposeChat disposes a chat', async () => {
    const { it, session, chat } = await opened();
    const fork = await it.run(session.forkChat('t1', { turns: 1 }));
    const { uri } = fork.mirror;
    expect(asked(it, 'createChat')).toEqual({
      channel: session.uri,
      chat: uri,
      source: { kind: 'fork', chat, turnId: 't1' },
    });
    const second = await it.run(session.forkChat('t0', { chat: uri }));
    expect(asked(it, 'createChat')).toMatchObject({ source: { kind: 'fork', chat: uri, turnId: 't0' } });
    await it.run(session.disposeChat(second.mirror.uri));
    expect(asked(it, 'disposeChat')).toEqual({ channel: second.mirror.uri });
  });

  test('[CHAT-1] [SESS-6] createChat accepts a first message and a folder', async () => {
    const { it, session } = await opened();
    const initialMessage = { text: 'hi', origin: { kind: 'user' as const } };
    await it.run(session.createChat({ initialMessage, workingDirectories: ['file:///w/sub'] }));
    expect(asked(it, 'createChat')).toMatchObject({ initialMessage, workingDirectories: ['file:///w/sub'] });
  });
});

describe('prompt', () => {
  test('streams text and reasoning, and resolves with the finished turn', async () => {
    const { it, session, chat } = await opened();
    const prompt = session.prompt('hello');
    const { log, end } = reading(prompt);
    await it.settle();
    const { turnId } = prompt;
    await emit(it, chat, start(turnId));
    await emit(it, chat, [
      { type: 'chat/delta', turnId, partId: 'p1', content: 'lo ' },
      { type: 'chat/delta', turnId, partId: 'p1', content: 'you' },
      { type: 'chat/responsePart', turnId, part: { kind: 'reasoning', id: 'r1', content: '' } },
    ]);
    await emit(it, chat, [{ type: 'chat/reasoning', turnId, partId: 'r1', content: 'hm' }]);
    await emit(it, chat, [
      { type: 'chat/responsePart', turnId, part: { kind: 'systemNotification', content: 'note' } },
      { type: 'chat/turnComplete', turnId, duration: 0 },
    ]);
    await end;
    expect(log.join('|').replace('lo |text ', 'lo ')).toBe(
      'text Hel|text lo you|reasoning hm|part systemNotification|ended complete',
    );
    await expect(prompt.result).resolves.toMatchObject({ id: turnId, message: { text: 'hello' } });
    const again = reading(prompt);
    await again.end;
    expect(again.log).toEqual([
      'text Hello you',
      'reasoning hm',
      'part systemNotification',
      'ended complete',
    ]);
  });

  test('a tool call asks for approval, approve sends option and edited input, and the result may need approval too', async () => {
    const { it, session, chat } = await opened();
    const prompt = session.prompt('write');
    const outcomes: Promise<unknown>[] = [];
    const { log, end } = reading(prompt, (event) => {
      if (event.type === 'confirmation')
        outcomes.push(event.approve({ optionId: 'once', editedToolInput: '{"x":1}' }));
      if (event.type === 'resultConfirmation') outcomes.push(event.confirm(true));
    });
    await it.settle();
    const { turnId } = prompt;
    await emit(it, chat, toolCall(turnId, 'c1'));
    const complete = done(turnId, 'c1');
    if (complete.type !== 'chat/toolCallComplete') throw new Error('unexpected');
    await emit(it, chat, [{ ...complete, requiresResultConfirmation: true }]);
    await emit(it, chat, [{ type: 'chat/turnComplete', turnId, duration: 0 }]);
    await end;
    expect(log).toEqual([
      'toolCall c1 pending-confirmation',
      'confirmation c1',
      'toolCall c1 running',
      'toolCall c1 pending-result-confirmation',
      'resultConfirmation c1',
      'toolCall c1 completed',
      'ended complete',
    ]);
    await expect(Promise.all(outcomes)).resolves.toMatchObject([
      { outcome: 'accepted' },
      { outcome: 'accepted' },
    ]);
    expect(it.host.dispatched.map(({ action }) => action)).toMatchObject([
      { type: 'chat/turnStarted', turnId },
      {
        type: 'chat/toolCallConfirmed',
        approved: true,
        confirmed: 'user-action',
        selectedOptionId: 'once',
        editedToolInput: '{"x":1}',
      },
      { type: 'chat/toolCallResultConfirmed', approved: true },
    ]);
  });

  test('deny, answer and cancel reach the host; the client refuses them without an active turn', async () => {
    const { it, session, chat } = await opened();
    await expect(session.cancel()).resolves.toMatchObject({ outcome: 'rejected', code: 'noActiveTurn' });
    const prompt = session.prompt('x');
    const { log, end } = reading(prompt, (event) => {
      if (event.type === 'confirmation') event.deny({ reasonMessage: 'no' }).catch(expect.fail);
      if (event.type === 'inputRequest') event.respond('accept', {}).catch(expect.fail);
    });
    await it.settle();
    await emit(it, chat, toolCall(prompt.turnId, 'c1'));
    await emit(it, chat, [{ type: 'chat/inputRequested', request: { id: 'q1', message: 'Which?' } }]);
    await it.run(prompt.cancel());
    await end;
    expect(log).toEqual([
      'toolCall c1 pending-confirmation',
      'confirmation c1',
      'toolCall c1 cancelled',
      'inputRequest q1',
      'part inputRequest',
      'ended cancelled',
    ]);
    await expect(prompt.result).resolves.toMatchObject({ state: 'cancelled' });
  });

  test('a prompt continues after a replay and a snapshot, and reports each text once', async () => {
    const { it, session, chat } = await opened();
    const prompt = session.prompt('long');
    const { log, end } = reading(prompt);
    await it.settle();
    const { turnId } = prompt;
    await emit(it, chat, [...start(turnId), ...toolCall(turnId, 'c1')]);
    await it.cut();
    it.host.emit(chat, { type: 'chat/delta', turnId, partId: 'p1', content: 'lo' });
    await it.comeBack();
    await it.cut();
    it.host.emit(chat, { type: 'chat/delta', turnId, partId: 'p1', content: ' again' });
    it.host.isSnapshotOnly = true;
    await it.comeBack();
    await emit(it, chat, [{ type: 'chat/turnComplete', turnId, duration: 0 }]);
    await end;
    expect(log).toEqual([
      'text Hel',
      'toolCall c1 pending-confirmation',
      'confirmation c1',
      'text lo',
      'text  again',
      'toolCall c1 cancelled',
      'ended complete',
    ]);
  });

  test('a message in flight at a drop is resent once, and its turn is followed', async () => {
    const { it, session, chat } = await opened();
    const prompt = session.prompt('x');
    it.pair.aToB.deliver();
    await it.cut();
    it.host.isSnapshotOnly = true;
    it.host.log = [];
    await it.comeBack();
    await emit(it, chat, [
      ...start(prompt.turnId),
      { type: 'chat/turnComplete', turnId: prompt.turnId, duration: 0 },
    ]);
    await expect(prompt.result).resolves.toMatchObject({
      state: 'complete',
      responseParts: [{ content: 'Hel' }],
    });
  });

  test('a refused message rejects result and iteration with the reason', async () => {
    const { it, session } = await opened();
    it.host.judge = () => ({ reject: 'turnActive: a turn is active' });
    const prompt = session.prompt('x');
    const { end } = reading(prompt);
    await it.settle();
    await expect(prompt.result).rejects.toMatchObject({ name: 'DispatchRejected', code: 'turnActive' });
    await expect(end).rejects.toMatchObject({ reason: 'a turn is active' });
  });

  test('a truncated turn and a lost chat reject a running prompt', async () => {
    const { it, session, chat } = await opened();
    const first = session.prompt('x');
    await it.settle();
    await emit(it, chat, [{ type: 'chat/truncated' }]);
    await expect(first.result).rejects.toMatchObject({ code: 'turn-gone' });
    const second = session.prompt('y');
    const { end } = reading(second);
    await it.settle();
    await it.cut();
    it.host.states.delete(chat);
    await it.comeBack();
    await expect(second.result).rejects.toMatchObject({ code: 'channel-lost' });
    await expect(end).rejects.toMatchObject({ code: 'channel-lost' });
  });

  test('a slow reader gets joined appends, and no question that was answered meanwhile', async () => {
    const { it, session, chat } = await opened();
    const prompt = session.prompt('x');
    await it.settle();
    const { turnId } = prompt;
    const events = prompt[Symbol.asyncIterator]();
    await emit(it, chat, start(turnId));
    await expect(events.next()).resolves.toMatchObject({ value: { type: 'text', text: 'Hel' } });
    await emit(it, chat, [
      ...Array.from(
        { length: 100 },
        (): StateAction => ({ type: 'chat/delta', turnId, partId: 'p1', content: 'l' }),
      ),
      ...toolCall(turnId, 'c1'),
      { type: 'chat/toolCallConfirmed', turnId, toolCallId: 'c1', approved: true, confirmed: 'user-action' },
    ]);
    await expect(events.next()).resolves.toMatchObject({ value: { type: 'text', text: 'l'.repeat(100) } });
    const { value } = await events.next();
    expect(value).toMatchObject({ type: 'toolCall', change: 'running' satisfies ToolCallState['status'] });
    const next = events.next();
    await emit(it, chat, [done(turnId, 'c1')]);
    await expect(next).resolves.toMatchObject({ value: { type: 'toolCall', change: 'completed' } });
    await microtasks();
  });
});
