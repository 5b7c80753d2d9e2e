import type { ChatState, ChatSummary, SessionState, Turn } from '@agenthost/protocol';
import { expect, test } from 'vitest';
import { FakeContext } from '../../test/fake-context.ts';
import { Screen } from '../render/screen.ts';
import { ChatHeadings, type NamedChat } from './chat-headings.ts';

const modifiedAt = '2026-01-01T00:00:00.000Z';

const turnOf = (text: string): Turn => ({
  id: text,
  message: { text, origin: { kind: 'user' } },
  responseParts: [],
  state: 'complete',
});

function chatOf(id: string, more: Partial<ChatState> = {}): NamedChat {
  const uri = `ahp-chat:/${id}`;
  return {
    mirror: { uri, confirmed: { resource: uri, title: '', status: 1, modifiedAt, turns: [], ...more } },
  };
}

/** Chats of a session with these titles in the catalogue, and the printed output. */
function shownFor(titles: Readonly<Record<string, string>>): {
  screen: Screen;
  headings: ChatHeadings;
  shown: () => string;
} {
  const context = new FakeContext();
  context.env = { NO_COLOR: '1' };
  let shown = '';
  for (const stream of [context.stdout, context.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      shown += chunk.toString();
    });
  }
  const chats = Object.entries(titles).map(
    ([id, title]): ChatSummary => ({ resource: `ahp-chat:/${id}`, title, status: 1, modifiedAt }),
  );
  const confirmed: SessionState = {
    provider: 'demo',
    title: '',
    status: 1,
    lifecycle: 'ready',
    activeClients: [],
    chats,
  };
  const screen = new Screen(context);
  return { screen, headings: new ChatHeadings(screen, { mirror: { confirmed } }), shown: () => shown };
}

test('a heading begins on a line of its own, and none is printed while one chat continues', () => {
  const { screen, headings, shown } = shownFor({ main: 'Main', worker: 'Worker 1' });
  screen.keepApart();
  headings.show(chatOf('main'));
  screen.text('Pondered.');
  headings.show(chatOf('worker'));
  headings.show(chatOf('worker'));
  screen.text('Hm\n');
  headings.show(chatOf('main'));
  screen.text('more');
  screen.note('? Go on?');
  expect(shown()).toBe('Pondered.\n-- Worker 1 --\nHm\n-- Main --\nmore\n? Go on?\n');
});

test.each([
  ['[SESS-6] the title that the catalogue has', 'Title', chatOf('b', { turns: [turnOf('hello')] }), 'Title'],
  [
    'the first words that were said',
    '',
    chatOf('b', { turns: [turnOf('one\ntwo'), turnOf('x')] }),
    'one two',
  ],
  ['its place where nothing was said', '', chatOf('b'), 'chat 2'],
  [
    'its place where the first words are not at hand',
    '',
    chatOf('b', { turns: [turnOf('later')], turnsNextCursor: 'older' }),
    'chat 2',
  ],
])('a chat is called by %s', (_title, title, chat, name) => {
  expect(shownFor({ a: 'A', b: title }).headings.nameOf(chat)).toBe(name);
});

test('the title of a chat is cut, and contains no control sequences', () => {
  const { headings } = shownFor({ a: '' });
  const name = headings.nameOf(chatOf('a', { turns: [turnOf(`\u001b[2Jred ${'long '.repeat(40)}`)] }));
  expect(name).toMatch(/^red long/);
  expect(name.length).toBeLessThanOrEqual(40);
});
