import type { ChatState, Message } from '@agenthost/protocol';
import { describe, expect, test } from 'vitest';
import { chatState, turnOf } from '../../test/fake-host.ts';
import { failureOf, Harness } from '../../test/harness.ts';
import { ChatHandle } from './chat-handle.ts';

const startedAt = new Date(0).toISOString();

const CHAT = 'ahp-chat:/1';
const user = (text: string, extra: Partial<Message> = {}): Message => ({
  text,
  origin: { kind: 'user' },
  ...extra,
});

async function opened(state: Partial<ChatState> = {}, turns?: number) {
  const it = await new Harness().online();
  it.host.states.set(CHAT, chatState(CHAT, state));
  const mirror = await it.run(it.client.subscribe(CHAT, { kind: 'chat', turns }));
  let id = 0;
  const chat = new ChatHandle(
    mirror,
    () => `new-${(id += 1)}`,
    () => 0,
    it.client,
  );
  const sent = () => it.host.dispatched.map(({ action }) => action);
  return { it, chat, sent };
}

const waiting: Partial<ChatState> = {
  queuedMessages: [
    { id: 'q1', message: user('one', { model: { id: 'm' } }) },
    { id: 'q2', message: user('two') },
  ],
  steeringMessage: { id: 's1', message: user('steer') },
};

describe('the queue of a chat', () => {
  test('[CHAT-11] shows queued messages, and a new one at once', async () => {
    const { it, chat } = await opened(waiting);
    expect([chat.queue.messages.map(({ id }) => id), chat.queue.steering?.id]).toEqual([['q1', 'q2'], 's1']);
    const added = chat.queue.add('three', 'q3');
    expect(chat.queue.messages.map(({ message }) => message.text)).toEqual(['one', 'two', 'three']);
    expect(await it.run(added)).toMatchObject({ outcome: 'accepted' });
    await it.run(chat.enqueue('four'));
    expect(chat.queue.messages.at(-1)).toEqual({ id: 'new-1', message: user('four') });
    await it.run(chat.steer('the other way'));
    expect(chat.queue.steering).toEqual({ id: 'new-2', message: user('the other way') });
  });

  test('[CHAT-11] edits a message in place, where a new text keeps its other fields, and removes a message', async () => {
    const { it, chat } = await opened(waiting);
    await it.run(chat.queue.edit('q1', 'edited'));
    await it.run(chat.queue.edit('s1', user('whole')));
    expect(chat.queue.messages[0]).toEqual({ id: 'q1', message: user('edited', { model: { id: 'm' } }) });
    expect(chat.queue.steering?.message).toEqual(user('whole'));
    await it.run(chat.queue.remove('q1'));
    await it.run(chat.queue.remove('s1'));
    expect([chat.queue.messages.map(({ id }) => id), chat.queue.steering]).toEqual([['q2'], undefined]);
  });

  test('[CHAT-11] reports when a message is no longer queued, and does not queue it again', async () => {
    const { chat, sent } = await opened(waiting);
    for (const outcome of [await chat.queue.edit('gone', 'x'), await chat.queue.remove('gone')])
      expect(outcome).toMatchObject({ outcome: 'rejected', code: 'noSuchMessage' });
    expect(sent()).toEqual([]);
  });

  test('[CHAT-12] is reordered, and released by its current order', async () => {
    const { it, chat, sent } = await opened(waiting);
    await it.run(chat.queue.reorder(['q2']));
    await it.run(chat.queue.release());
    expect(sent()).toEqual([
      { type: 'chat/queuedMessagesReordered', order: ['q2'] },
      { type: 'chat/queuedMessagesReordered', order: ['q2', 'q1'] },
    ]);
  });
});

describe('a truncated chat', () => {
  const turns = [turnOf('t1'), turnOf('t2'), turnOf('t3')];

  test('[CHAT-6] is cut after a turn, or emptied', async () => {
    const { it, chat } = await opened({ turns });
    await it.run(chat.truncate('t2'));
    expect(chat.mirror.state.turns.map(({ id }) => id)).toEqual(['t1', 't2']);
    await it.run(chat.truncate());
    expect(chat.mirror.state.turns).toEqual([]);
  });

  test('[CHAT-6] resends a turn with another text: a truncation before the turn, then a new turn', async () => {
    const { it, chat, sent } = await opened({ turns });
    const prompt = await it.run(chat.resend('t3', 'better'));
    expect(sent()).toEqual([
      { type: 'chat/truncated', turnId: 't2' },
      { type: 'chat/turnStarted', turnId: prompt.turnId, startedAt, message: user('better') },
    ]);
  });

  test('[CHAT-6] is emptied to resend its first turn, whose message stays unchanged', async () => {
    const { it, chat, sent } = await opened({ turns });
    const prompt = await it.run(chat.resend('t1'));
    expect(sent()).toEqual([
      { type: 'chat/truncated' },
      { type: 'chat/turnStarted', turnId: prompt.turnId, startedAt, message: user('t1') },
    ]);
  });

  test('[CHAT-6] resends a running turn, whose new text keeps attachments and model', async () => {
    const attachment = { type: 'simple' as const, label: 'notes', modelRepresentation: 'n' };
    const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 2 } };
    const message = user('as @notes say', { model: { id: 'm' }, attachments: [{ ...attachment, range }] });
    const { it, chat, sent } = await opened({
      turns,
      activeTurn: { id: 't4', startedAt, message, responseParts: [] },
    });
    await it.run(chat.resend('t4', 'shorter'));
    expect(sent()).toEqual([
      { type: 'chat/truncated', turnId: 't3' },
      {
        type: 'chat/turnStarted',
        turnId: 'new-1',
        startedAt,
        message: user('shorter', { model: { id: 'm' }, attachments: [attachment] }),
      },
    ]);
  });

  test('[CHAT-6] embeds stored attachments of a resent turn, because the host deletes them with the turn', async () => {
    const uri = 'agenthost-content:/1';
    const rest = { label: 'photo.png', contentType: 'image/png' };
    const message = user('look', { attachments: [{ type: 'resource', ...rest, uri, sizeHint: 3 }] });
    const { it, chat, sent } = await opened({ turns: [{ ...turnOf('t1'), message }] });
    it.host.answers.set('resourceRead', (params) => {
      expect(params).toMatchObject({ uri, encoding: 'base64' });
      return { data: 'AAAA', encoding: 'base64', contentType: 'image/png' };
    });
    const attachments = [{ type: 'embeddedResource' as const, ...rest, data: 'AAAA' }];
    for (const change of ['closer', { ...message, text: 'closer' }]) {
      await it.run(chat.resend(chat.mirror.state.activeTurn?.id ?? 't1', change));
      expect(sent().at(-1)).toMatchObject({
        type: 'chat/turnStarted',
        message: user('closer', { attachments }),
      });
    }
  });

  test.each([0, 1])(
    '[CHAT-6] [CHAT-15] with a window of %i loads turns before the resent turn',
    async (window) => {
      const { it, chat, sent } = await opened({ turns }, window);
      it.host.pages.set('before-0', { turns: [turnOf('t3')], next: 'before-1' });
      it.host.pages.set('before-1', { turns: [turnOf('t1'), turnOf('t2')] });
      await it.run(chat.resend('t3', 'better'));
      expect(sent()[0]).toEqual({ type: 'chat/truncated', turnId: 't2' });
    },
  );

  test('[CHAT-6] is not changed for an unknown turn', async () => {
    const { it, chat, sent } = await opened({ turns });
    expect(await failureOf(it.run(chat.resend('gone')))).toMatchObject({ code: 'turn-gone' });
    expect(sent()).toEqual([]);
  });
});

test('[CHAT-14] a draft is stored for all clients, and an empty one clears it', async () => {
  const { it, chat } = await opened();
  await it.run(chat.setDraft('half a'));
  expect(chat.mirror.state.draft).toEqual(user('half a'));
  for (const none of ['', undefined]) {
    await it.run(chat.setDraft('something'));
    await it.run(chat.setDraft(none));
    expect(chat.mirror.state.draft).toBeUndefined();
  }
});

describe('[CHAT-23] resuming a turn', () => {
  const failedTurn = {
    ...turnOf('t1'),
    state: 'error' as const,
    responseParts: [{ kind: 'error' as const, error: { errorType: 'x', message: 'x' }, resumable: true }],
  };

  test('[CHAT-23] gives a prompt that follows the turn until its new end', async () => {
    const { it, chat, sent } = await opened({ turns: [failedTurn] });
    const prompt = await it.run(chat.resumeTurn('t1'));
    expect(sent()).toEqual([{ type: 'chat/turnResume', turnId: 't1' }]);
    expect(chat.mirror.state.activeTurn?.id).toBe('t1');
    it.host.emit(CHAT, { type: 'chat/turnComplete', turnId: 't1', duration: 5 });
    expect(await it.run(prompt.result)).toMatchObject({ id: 't1', state: 'complete' });
  });

  test('[CHAT-23] rejects with the reason of the host', async () => {
    const { it, chat } = await opened({ turns: [turnOf('t1')] });
    it.host.judge = () => ({ reject: 'notResumable: Turn t1 cannot be resumed' });
    expect(await it.run(failureOf(chat.resumeTurn('t1')))).toMatchObject({ code: 'notResumable' });
  });
});
