// The program without its window, against a host that the test plays, for timings that nobody can type by hand.
import { type ChatState, type Message, ROOT_URI } from '@agenthost/protocol';
import { describe, expect, test } from 'vitest';
import { ChatApp } from '../../packages/cli/src/chat/app/chat-app.ts';
import type { Environment } from '../../packages/cli/src/chat/app/environment.ts';
import { Conversation } from '../../packages/cli/src/chat/room/conversation.ts';
import { Room } from '../../packages/cli/src/chat/room/room.ts';
import { TurnLayout } from '../../packages/cli/src/chat/transcript/turn-lines.ts';
import type { Marks } from '../../packages/cli/src/render/screen.ts';
import { chatState, rootState, sessionState, turnOf } from '../../packages/client/test/fake-host.ts';
import { Harness } from '../../packages/client/test/harness.ts';

const SESSION = 'ahp-session:/one';
const CHAT = 'ahp-chat:/one-main';
const user = (text: string, extra: Partial<Message> = {}): Message => ({
  text,
  origin: { kind: 'user' },
  ...extra,
});
const resource = (label: string) => ({ type: 'resource', label, uri: `file:///p/${label}` }) as const;
const marks: Marks = { done: '+', failed: 'x', refused: '-', running: '>', asks: '?', dot: '-' };

/** An environment whose timers fire when the test says so. */
function environmentOf(it: Harness) {
  const timers = new Set<() => void>();
  const notices: string[] = [];
  const env: Environment = {
    client: it.client,
    marks,
    home: '/home',
    folder: undefined,
    agents: () => [],
    now: () => 0,
    later: (_, callback) => {
      timers.add(callback);
      return () => timers.delete(callback);
    },
    changed: () => undefined,
    notice: (text) => notices.push(text),
    copy: () => undefined,
    showTerminal: () => undefined,
  };
  const pass = (): void => {
    for (const callback of Array.from(timers)) {
      timers.delete(callback);
      callback();
    }
  };
  return { env, notices, pass };
}

async function opened(state: Partial<ChatState> = {}) {
  const it = await new Harness().online();
  it.host.states.set(SESSION, sessionState(CHAT));
  it.host.states.set(CHAT, chatState(CHAT, state));
  const session = await it.run(it.client.sessions.open(SESSION));
  const sent = () => it.host.dispatched.map(({ action }) => action);
  const chat = (): ChatState => session.chat.mirror.state;
  return { it, session, sent, chat, ...environmentOf(it) };
}

describe('the message that is being written', () => {
  const draft = user('look', { attachments: [resource('a.png')], model: { id: 'm' } });

  test('[CHAT-14] keeps an attachment that another client added to the draft, shows it and sends it', async () => {
    const { it, env, pass, session, sent, chat } = await opened({ draft });
    const conversation = new Conversation(env, session.chat);
    conversation.composer.type({ text: '!' });
    pass();
    await it.settle();
    expect(chat().draft).toEqual({ ...draft, text: 'look!' });
    expect(conversation.composer.carried?.attachments).toEqual(draft.attachments);
    conversation.send();
    await it.settle();
    expect(sent()).toContainEqual(
      expect.objectContaining({ type: 'chat/turnStarted', message: { ...draft, text: 'look!' } }),
    );
    expect(chat().draft).toBeUndefined();
    conversation.dispose();
  });

  test('[CHAT-14] takes over attachments of another client while somebody types, and restores a refused message completely', async () => {
    const { it, env, pass, session, chat } = await opened();
    const conversation = new Conversation(env, session.chat);
    conversation.composer.type({ text: 'mine' });
    it.host.emit(CHAT, { type: 'chat/draftChanged', draft });
    await it.settle();
    pass();
    await it.settle();
    expect(chat().draft).toEqual({ ...draft, text: 'mine' });
    it.host.judge = ({ action }) =>
      action.type === 'chat/turnStarted' ? { reject: 'busy: not now' } : undefined;
    conversation.send();
    await it.settle();
    expect(chat().draft).toEqual({ ...draft, text: 'mine' });
    expect(conversation.composer.editor.text).toBe('mine');
    conversation.dispose();
  });

  test('[CHAT-11] a queued message that gets another file keeps its earlier files', async () => {
    const message = user('one', { attachments: [resource('a')], model: { id: 'm' } });
    const { it, env, pass, session, chat } = await opened({
      activeTurn: { ...turnOf('t'), startedAt: '2026-01-01T00:00:00.000Z' },
      queuedMessages: [{ id: 'q', message }],
    });
    const conversation = new Conversation(env, session.chat);
    conversation.queue.run('edit');
    it.host.completions = [{ insertText: '@b', rangeStart: 4, rangeEnd: 5, attachment: resource('b') }];
    conversation.composer.type({ text: ' @' });
    pass();
    await it.settle();
    conversation.composer.take();
    conversation.send();
    await it.settle();
    const { text, attachments, model } = chat().queuedMessages?.[0]?.message ?? user('');
    expect([text, attachments?.map(({ label }) => label), model]).toEqual([
      'one @b ',
      ['a', 'b'],
      { id: 'm' },
    ]);
    conversation.dispose();
  });

  test('[CHAT-14] after an edit of another message the draft comes back with the changes and files of other clients', async () => {
    const { it, env, pass, session } = await opened({
      activeTurn: { ...turnOf('t'), startedAt: '2026-01-01T00:00:00.000Z' },
      queuedMessages: [{ id: 'q', message: user('one') }],
    });
    const conversation = new Conversation(env, session.chat);
    const { composer } = conversation;
    it.host.completions = [{ insertText: '@b', rangeStart: 0, rangeEnd: 1, attachment: resource('b') }];
    composer.type({ text: '@' });
    pass();
    await it.settle();
    composer.take();
    conversation.queue.run('edit');
    await it.settle();
    it.host.emit(CHAT, { type: 'chat/draftChanged', draft: user('@b too') });
    await it.settle();
    composer.clear();
    expect(composer.send()?.message).toMatchObject({ text: '@b too', attachments: [resource('b')] });
    conversation.dispose();
  });

  test('[CHAT-11] a queued message stays in the queue when it may not steer', async () => {
    const { it, env, notices, session, chat } = await opened({
      activeTurn: { ...turnOf('t'), startedAt: '2026-01-01T00:00:00.000Z' },
      queuedMessages: [{ id: 'q', message: user('one') }],
    });
    it.host.judge = ({ action }) =>
      action.type === 'chat/pendingMessageSet' ? { reject: 'full: not now' } : undefined;
    const conversation = new Conversation(env, session.chat);
    conversation.queue.run('steer');
    await it.settle();
    expect(chat().queuedMessages?.map(({ id }) => id)).toEqual(['q']);
    expect(notices).toEqual(['not steered: not now']);
    conversation.dispose();
  });
});

describe('opening', () => {
  test('the session that was requested last opens', async () => {
    const it = await new Harness().online();
    for (const name of ['a', 'b']) {
      it.host.states.set(`ahp-session:/${name}`, {
        ...sessionState(`ahp-chat:/${name}`),
        title: `Title ${name}`,
      });
      it.host.states.set(`ahp-chat:/${name}`, chatState(`ahp-chat:/${name}`));
    }
    const app = await appOf(it);
    const opening = [app.open('ahp-session:/a'), app.open('ahp-session:/b')];
    await it.run(Promise.all(opening));
    const { lines } = app.frame({ columns: 60, rows: 16 });
    expect(lines[0]?.map(({ text }) => text).join('')).toContain('Title b');
    app.dispose();
    await it.settle();
  });

  /** The program with its session list on screen. */
  async function appOf(it: Harness, leave = (): void => undefined): Promise<ChatApp> {
    it.host.states.set(ROOT_URI, rootState());
    return new ChatApp({
      client: it.client,
      root: await it.run(it.client.subscribe(ROOT_URI, { kind: 'root' })),
      marks,
      home: '/home',
      folder: undefined,
      model: undefined,
      address: 'here',
      leave,
      copy: () => undefined,
      showTerminal: () => Promise.resolve(),
    });
  }

  /** The program with an open session, and a count of exits. */
  async function appIn(session: string) {
    const it = await new Harness().online();
    it.host.states.set(SESSION, sessionState(CHAT));
    it.host.states.set(CHAT, chatState(CHAT));
    const left = { count: 0 };
    const app = await appOf(it, () => {
      left.count += 1;
    });
    const opening = app.open(session);
    const shown = (): string =>
      app
        .frame({ columns: 60, rows: 16 })
        .lines.map((line) => line.map(({ text }) => text).join(''))
        .join('\n');
    return { it, app, opening, left, shown };
  }

  test('? opens help at the keys of the current view, and Esc returns to that view', async () => {
    const { it, app, opening, shown } = await appIn(SESSION);
    await it.run(opening);
    const places = [
      { keys: [], title: 'Message' },
      { keys: ['ctrl-o'], title: 'Chats' },
      { keys: ['esc', 'ctrl-g'], title: 'Model and settings' },
      { keys: ['esc', 'esc'], title: 'Session list' },
      { keys: ['ctrl-n'], title: 'New session' },
    ];
    for (const { keys, title } of places) {
      for (const key of keys) app.key({ key });
      const before = shown();
      app.key({ text: '?' });
      expect(shown().split('\n').slice(0, 2)).toEqual(['Keys', expect.stringContaining(title)]);
      app.key({ key: 'esc' });
      expect(shown()).toBe(before);
    }
    app.dispose();
    await it.settle();
  });

  test('Ctrl-C clears the message, then announces that the next one exits, and any other key cancels that', async () => {
    const { it, app, opening, left, shown } = await appIn(SESSION);
    await it.run(opening);
    const interrupt = (): void => app.key({ key: 'ctrl-c' });
    app.key({ text: 'half a message' });
    interrupt();
    expect(shown()).not.toContain('half a message');
    expect(shown()).not.toContain('press Ctrl-C again to leave');
    interrupt();
    expect(shown()).toContain('press Ctrl-C again to leave');
    app.key({ text: 'x' });
    expect(shown()).not.toContain('press Ctrl-C again to leave');
    app.key({ key: 'backspace' });
    interrupt();
    expect(left.count).toBe(0);
    interrupt();
    expect(left.count).toBe(1);
    app.dispose();
    await it.settle();
  });

  test('ignores keys of the list while a session opens, except Ctrl-C and Esc', async () => {
    const { it, app, opening, left, shown } = await appIn(SESSION);
    app.key({ text: 'too soon' });
    app.paste('too soon');
    expect(shown()).not.toContain('too soon');
    app.key({ key: 'ctrl-c' });
    expect(left.count).toBe(1);
    app.key({ key: 'esc' });
    app.key({ text: 'soon enough' });
    expect(shown()).toContain('soon enough');
    await it.run(opening);
    expect(shown()).toContain('Filter:');
    app.dispose();
    await it.settle();
  });

  test('a chat that opens after the session was closed is closed too', async () => {
    const { it, env, session } = await opened();
    const room = new Room(env, session, {
      leave: () => undefined,
      open: () => undefined,
      back: () => undefined,
      gone: () => undefined,
    });
    const { conversation } = room;
    room.run('chats');
    room.run('new');
    room.dispose();
    await it.settle();
    expect(room.conversation).toBe(conversation);
  });
});

test('a turn that cannot be laid out is plain text', () => {
  // More lines than a call can have arguments.
  const content = `\`\`\`\n${'x\n'.repeat(200_000)}\`\`\`\n\nend`;
  const turn = { ...turnOf('t', 'asked'), responseParts: [{ kind: 'markdown', id: 'p', content } as const] };
  const lines = new TurnLayout(marks).lines(turn, {
    width: 40,
    isExpanded: false,
    terminalTail: () => undefined,
  });
  expect(
    lines
      .at(0)
      ?.map(({ text }) => text)
      .join(''),
  ).toContain('asked');
  expect(lines.length).toBeGreaterThan(200_000);
});
