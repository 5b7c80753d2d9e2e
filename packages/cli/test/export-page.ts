import type { ExportPart } from '@agenthost/client';
import type { ExportedTurn, Message, ResponsePart } from '@agenthost/protocol';
import { completedTurn, userMessage } from '@agenthost/testkit';

async function* parts(turn: ExportedTurn, title: string): AsyncGenerator<ExportPart> {
  const at = '2026-01-01T00:00:00.000Z';
  yield {
    type: 'session',
    head: {
      format: 'agenthost-session',
      version: 1,
      exportedAt: at,
      host: 'agenthost 1',
      session: { resource: 'ahp-session:/s', provider: 'demo', title, status: 1, lifecycle: 'ready' },
    },
  };
  yield { type: 'chat', chat: { resource: 'ahp-chat:/c', title, status: 1, modifiedAt: at } };
  yield { type: 'turn', turn };
}

type Page = (parts: AsyncIterable<ExportPart>) => AsyncIterable<string>;

/** The output of a writer for a session with one turn that has these parts. */
export async function page(
  write: Page,
  said: { message?: Message; answer?: ResponsePart[]; title?: string; contents?: ExportedTurn['contents'] },
): Promise<string> {
  const { message = userMessage('hello'), answer = [], title = 'Title', contents = [] } = said;
  let text = '';
  const turn = { ...completedTurn('t'), message, responseParts: answer };
  for await (const piece of write(parts({ turn, contents }, title))) text += piece;
  return text;
}

export const markdown = (content: string): ResponsePart => ({ kind: 'markdown', id: 'p', content });

/** A completed call with this result. */
export const call = (text: string, more: object = {}): ResponsePart => ({
  kind: 'toolCall',
  toolCall: {
    toolCallId: 'c',
    toolName: 'tool',
    displayName: 'Tool',
    status: 'completed',
    invocationMessage: 'does it',
    confirmed: 'setting',
    success: true,
    pastTenseMessage: 'Did it',
    toolInput: '{"a":1}',
    content: [{ type: 'text', text }],
    ...more,
  },
});

/** A call that changed a file. The versions of the file are in `contents`. */
export const edit: ResponsePart = call('', {
  content: [
    {
      type: 'fileEdit',
      before: { uri: 'file:///w/a.txt', content: { uri: 'agenthost-content:/1' } },
      after: { uri: 'file:///w/a.txt', content: { uri: 'agenthost-content:/2' } },
    },
  ],
});
export const contents = [
  { uri: 'agenthost-content:/1', encoding: 'utf-8', data: 'one\ntwo\n' },
  { uri: 'agenthost-content:/2', encoding: 'utf-8', data: 'one\n<b>three</b>\n' },
] as const;
