import type { CompletionItem } from '@agenthost/protocol';
import { RpcError } from '@agenthost/rpc';
import { expect, test } from 'vitest';
import { chatState } from '../../test/fake-host.ts';
import { Harness } from '../../test/harness.ts';
import { ChatHandle } from './chat-handle.ts';

const CHAT = 'ahp-chat:/1';
const item: CompletionItem = {
  insertText: '@a.ts',
  rangeStart: 0,
  rangeEnd: 2,
  attachment: { type: 'resource', uri: 'file:///a.ts', label: 'a.ts', _meta: { kept: [1] } },
};

async function opened() {
  const it = await new Harness().online();
  it.host.states.set(CHAT, chatState(CHAT));
  const mirror = await it.run(it.client.subscribe(CHAT, { kind: 'chat' }));
  it.host.completions = [item];
  return {
    it,
    chat: new ChatHandle(
      mirror,
      () => 'id',
      () => 0,
      it.client,
    ),
  };
}

test('[CHAT-16] a chat requests completions at the cursor', async () => {
  const { it, chat } = await opened();
  expect(await it.run(chat.complete('@a rest', 2))).toEqual([item]);
  expect(it.host.requests.at(-1)).toEqual({
    method: 'completions',
    params: { channel: CHAT, kind: 'userMessage', text: '@a rest', offset: 2 },
  });
});

test('[CHAT-16] only the latest of several requests gets an answer', async () => {
  const { it, chat } = await opened();
  const asked = ['@', '@a', '@a.'].map((text) => chat.complete(text, text.length));
  expect(await it.run(Promise.all(asked))).toEqual([undefined, undefined, [item]]);
});

test('[CHAT-16] a refused request rejects, unless a later request was made', async () => {
  const { it, chat } = await opened();
  it.host.refuse = (method) => (method === 'completions' ? new RpcError(-32602, 'no') : undefined);
  const [earlier, later] = [chat.complete('@', 1), chat.complete('@', 9)];
  const [first, second] = await it.run(Promise.allSettled([earlier, later]));
  expect(first).toEqual({ status: 'fulfilled', value: undefined });
  expect(second).toMatchObject({ status: 'rejected', reason: { code: -32602 } });
});
