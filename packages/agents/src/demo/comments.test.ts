import { tmpdir } from 'node:os';
import type { HostTool } from '@agenthost/host/agent';
import { openChat } from '@agenthost/testkit';
import { describe, expect, test } from 'vitest';
import { createDemoProvider } from './provider.ts';

const TOOLS = ['list_comments', 'comment', 'reply_to_comment', 'resolve_comment'].map(
  (name): HostTool => ({ name, definition: { name } }),
);

async function prompted(text: string, tools = TOOLS) {
  const chat = await openChat(createDemoProvider(), { workingDirectory: tmpdir() });
  chat.host.ownTools = tools;
  return chat.prompt(text, { model: 'demo-fast' });
}

describe('the demo agent', () => {
  test.each([
    ['comment trip.md 3 Book it', 'comment', { file: 'trip.md', first_line: 3, text: 'Book it' }],
    [
      'comment trip.md 3-5 Too far',
      'comment',
      { file: 'trip.md', first_line: 3, last_line: 5, text: 'Too far' },
    ],
    ['comment trip.md All of it', 'comment', { file: 'trip.md', text: 'All of it' }],
    ['comments', 'list_comments', {}],
    ['reply a1 Done so', 'reply_to_comment', { id: 'a1', text: 'Done so' }],
    ['resolve a1', 'resolve_comment', { id: 'a1' }],
    ['resolve a1 It is done', 'resolve_comment', { id: 'a1', text: 'It is done' }],
  ])('[ANN-1] on `%s` it calls %s', async (text, name, input) => {
    const { output, done } = await prompted(text);
    output.onHostTool = () => ({
      success: true,
      pastTenseMessage: 'Done',
      content: [{ type: 'text', text: 'it is done' }],
    });
    await done;
    expect(output.hostCalls.map((call) => [call.name, JSON.parse(call.toolInput)])).toStrictEqual([
      [name, input],
    ]);
    expect(output.text).toContain('it is done');
  });

  test('[ANN-1] it tells why a comment was refused', async () => {
    const { output, done } = await prompted('comment trip.md 3 Book it');
    output.onHostTool = () => ({
      success: false,
      pastTenseMessage: 'Failed',
      error: { message: 'there is no line 3' },
    });
    await done;
    expect(output.text).toContain('`comment` failed: there is no line 3.');
  });

  test('[ANN-1] it tells that the host offers no tools for comments', async () => {
    const { output, done } = await prompted('comments', []);
    await done;
    expect([output.hostCalls, output.text]).toStrictEqual([[], 'The host offers no tools for comments.\n\n']);
  });

  test('a sentence that begins like these words is talk', async () => {
    const { output, done } = await prompted('comment on this; reply; resolve');
    await done;
    expect(output.hostCalls).toStrictEqual([]);
  });
});
