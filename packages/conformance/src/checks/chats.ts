import { isAtLeast } from '../kit/bench.ts';
import { check } from '../kit/check.ts';
import { NotApplicable, Violation } from '../kit/verdict.ts';
import { isObject, shown } from '../recording/entry.ts';

/** The bit of a status for chats that were read. */
const IS_READ = 32;

/** Chats without a turn. */
export const chatChecks = [
  check('CHAT-1', 'a second chat is created, listed and disposed of', async (bench) => {
    const { agent } = bench.facts;
    const capabilities = isObject(agent) ? agent['capabilities'] : undefined;
    if (!isObject(capabilities) || capabilities['multipleChats'] === undefined)
      throw new NotApplicable('the agent does not announce several chats');
    const client = await bench.connect();
    const { session } = await bench.session(client);
    const chat = bench.newChatUri(session);
    await client.call('createChat', { channel: session, chat });
    await client.action(session, 'session/chatAdded');
    await client.subscribe(chat);
    await client.refused('createChat', { channel: session, chat }, -32010, -32602);
    await client.call('disposeChat', { channel: chat });
    await client.action(session, 'session/chatRemoved');
    await client.refused('subscribe', { channel: chat }, -32008);
  }),
  check('CHAT-38', 'a source of an unknown kind is refused', async (bench) => {
    bench.needs('0.7.0');
    const client = await bench.connect();
    const { session, chat } = await bench.session(client);
    const source = { kind: 'kitUnknown', chat, turnId: 'kit' };
    const created = bench.newChatUri(session);
    await client.refused('createChat', { channel: session, chat: created, source }, -32602, -32008);
  }),
  check('CHAT-11', 'a queued message that is not there cannot be removed', async (bench) => {
    const client = await bench.connect();
    const { chat } = await bench.session(client);
    await client.subscribe(chat);
    await client.rejected(chat, { type: 'chat/pendingMessageRemoved', kind: 'queued', id: 'kit-none' });
  }),
  check('CHAT-14', 'a draft belongs to the chat and is cleared by its absence', async (bench) => {
    bench.needs('0.5.0');
    const client = await bench.connect();
    const { chat } = await bench.session(client);
    await client.subscribe(chat);
    const draft = { text: 'a draft', origin: { kind: 'user' } };
    await client.accepted(chat, { type: 'chat/draftChanged', draft });
    const held = (await client.subscribe(chat)).state['draft'];
    if (!isObject(held) || held['text'] !== draft.text) throw new Violation(`the draft is ${shown(held)}`);
    await client.accepted(chat, { type: 'chat/draftChanged' });
    const { state, frame } = await client.subscribe(chat);
    if (state['draft'] !== undefined) throw new Violation('the draft was not cleared', [frame]);
  }),
  check('CHAT-42', 'a chat is read on its own', async (bench) => {
    bench.needs('1.0.0');
    const client = await bench.connect();
    const { session, chat } = await bench.session(client);
    const of = Number((await client.subscribe(session)).state['status']) & IS_READ;
    for (const isRead of [true, false]) {
      await client.accepted(chat, { type: 'chat/isReadChanged', isRead });
      const { state, frame } = await client.subscribe(chat);
      if ((Number(state['status']) & IS_READ) !== (isRead ? IS_READ : 0))
        throw new Violation(`isRead ${isRead}, and the status is ${shown(state['status'])}`, [frame]);
      if ((Number((await client.subscribe(session)).state['status']) & IS_READ) !== of)
        throw new Violation("the session's own flag changed", client.frames.slice(-2));
    }
  }),
  check('CHAT-16', 'completions outside of the text are refused with -32602', async (bench) => {
    const client = await bench.connect();
    const { chat } = await bench.session(client);
    const params = { channel: chat, kind: 'userMessage', text: 'abc' };
    const answer = await client.request('completions', { ...params, offset: 3 });
    if (answer.error?.code === -32601) throw new NotApplicable('the host has no completions');
    if (answer.error !== undefined) throw new Violation('completions failed', [answer.frame]);
    await client.refused('completions', { ...params, offset: 99 }, -32602);
  }),
  check('CHAT-15', 'an unknown cursor of turns is refused with -32602', async (bench) => {
    if (!isAtLeast(bench.version, '0.5.1')) throw new NotApplicable('it belongs to version 0.5.1 and later');
    const client = await bench.connect();
    const { chat } = await bench.session(client);
    await client.subscribe(chat, { view: { turns: 1 } });
    await client.refused('fetchTurns', { channel: chat, cursor: 'kit-no-such-cursor' }, -32602);
  }),
];
