import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Annotation, CHANNEL_LIMITS, type ToolCallResult } from '@agenthost/protocol';
import { turnStarted } from '@agenthost/testkit';
import { afterEach, describe, expect, test } from 'vitest';
import { ROOT, SESSION, startHost } from './host-fixture.ts';
import { chatOf } from './in-turn.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

const ANNOTATIONS = `${SESSION}/annotations`;
const FILE = ['import "a";', '', 'export function one() {', '  return compute(1);', '}', ''];
const AGENT = { provider: 'puppet', name: 'Puppet' };

/** An agent in turn `t1`, with a folder of one file, and its calls of the host's tools. */
async function working() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'agent-comments-')));
  folders.push(folder);
  const file = join(folder, 'a.ts');
  writeFileSync(file, FILE.join('\n'));
  const host = await startHost({ defaultDirectory: folder, roots: [folder] });
  const client = await host.client('ada', { clientInfo: { name: 'ada' } });
  await client.subscribe(ROOT);
  await client.act(ROOT, { type: 'root/configChanged', config: { agentComments: true } });
  const { chat } = await host.session(client);
  await client.subscribe(ANNOTATIONS);
  await client.act(chat, turnStarted('t1'));
  await host.run();
  const { output } = host.agent.turn;
  const call = async (name: string, input: unknown): Promise<ToolCallResult> => {
    const toolInput = typeof input === 'string' ? input : JSON.stringify(input);
    const answer = output.hostTool({ name, toolInput });
    await host.clock.runUntilSettled(answer);
    return answer;
  };
  /** The text that the agent gets. */
  const told = async (name: string, input: unknown): Promise<string> => {
    const { content = [], error } = await call(name, input);
    const [block] = content;
    return error?.message ?? (block?.type === 'text' ? block.text : '');
  };
  const shown = async (): Promise<readonly Annotation[]> => {
    await host.run();
    const { state } = await client.subscribe(ANNOTATIONS);
    if (!('annotations' in state) || !Array.isArray(state.annotations)) throw new Error('no annotations');
    return state.annotations;
  };
  const set = (more: object = {}) =>
    client.act(ANNOTATIONS, {
      type: 'annotations/set',
      annotation: {
        id: 'a',
        origin: { session: SESSION },
        resource: pathToFileURL(file).href,
        range: { start: { line: 3, character: 0 }, end: { line: 4, character: 0 } },
        resolved: false,
        entries: [{ id: 'e', text: 'Why one?' }],
        ...more,
      },
    });
  return { host, client, chat, folder, file, call, told, shown, set };
}

describe('comments of agents', () => {
  test('[ANN-1] [ANN-20] an agent comments on lines, which are followed like those of people', async () => {
    const { host, file, chat, told, shown, folder } = await working();
    const said = await told('comment', { file: 'a.ts', first_line: 3, last_line: 4, text: 'Why *one*?' });
    const [annotation] = await shown();
    expect(annotation).toStrictEqual({
      id: annotation?.id,
      origin: { session: SESSION, chat },
      resource: pathToFileURL(file).href,
      range: { start: { line: 2, character: 0 }, end: { line: 4, character: 0 } },
      resolved: false,
      entries: [{ id: annotation?.entries[0]?.id, text: { markdown: 'Why *one*?' }, 'x-by': AGENT }],
      'x-anchor': {
        quote: 'export function one() {\n  return compute(1);',
        linesBefore: ['import "a";', ''],
        linesAfter: ['}', ''],
      },
    });
    expect(said).toBe(`Comment ${annotation?.id} is at a.ts:3.`);
    writeFileSync(join(folder, 'a.ts'), ['// new', ...FILE].join('\n'));
    host.agent.turn.complete();
    expect(await shown()).toMatchObject([{ range: { start: { line: 3 }, end: { line: 5 } } }]);
    await host.restart();
    const again = await host.client('ada');
    expect((await again.subscribe(ANNOTATIONS)).state).toMatchObject({
      annotations: [{ range: { start: { line: 3 } }, entries: [{ 'x-by': AGENT }] }],
    });
  });

  test('[ANN-1] the call is in the transcript, and nobody is asked', async () => {
    const { host, client, chat, call } = await working();
    await call('comment', { file: 'a.ts', text: 'All of it' });
    await host.run();
    const { activeTurn } = await chatOf(client, chat);
    expect(activeTurn?.responseParts).toMatchObject([
      {
        kind: 'toolCall',
        toolCall: {
          status: 'completed',
          toolName: 'comment',
          displayName: 'Comment on a file',
          success: true,
          pastTenseMessage: 'Commented on a.ts',
        },
      },
    ]);
  });

  test('[ANN-1] open comments are listed with their present lines, quotes, texts and authors', async () => {
    const { client, file, told, set } = await working();
    expect(await told('list_comments', {})).toBe('There are no open comments.');
    await set();
    await set({ id: 'done', resolved: true });
    await set({ id: 'web', resource: 'https://example.org/', range: undefined });
    await client.act(ANNOTATIONS, {
      type: 'annotations/entrySet',
      annotationId: 'a',
      entry: { id: 'f', text: { markdown: 'Or two?' } },
    });
    writeFileSync(file, ['// new', ...FILE].join('\n'));
    const lines = (await told('list_comments', {})).split('\n').map((line): unknown => JSON.parse(line));
    expect(lines).toStrictEqual([
      {
        id: 'a',
        file: 'a.ts',
        lines: { first: 5, last: 5 },
        quote: '  return compute(1);',
        comments: [
          { by: 'ada', text: 'Why one?' },
          { by: 'ada', text: 'Or two?' },
        ],
      },
      { id: 'web', file: 'https://example.org/', comments: [{ by: 'ada', text: 'Why one?' }] },
    ]);
    writeFileSync(file, 'other\n');
    expect(JSON.parse((await told('list_comments', {})).split('\n')[0] ?? '')).toMatchObject({
      id: 'a',
      outdated: true,
      quote: '  return compute(1);',
    });
  });

  test('[ANN-1] an agent answers a comment, resolves it, and a person opens it again', async () => {
    const { client, told, shown, set } = await working();
    await set();
    expect(await told('reply_to_comment', { id: 'a', text: 'Because' })).toBe('Answered comment a.');
    expect(await shown()).toMatchObject([
      {
        resolved: false,
        entries: [{ 'x-by': { clientId: 'ada' } }, { text: { markdown: 'Because' }, 'x-by': AGENT }],
      },
    ]);
    expect(await told('resolve_comment', { id: 'a', text: 'Done' })).toBe('Comment a is resolved.');
    expect(await shown()).toMatchObject([
      { resolved: true, entries: [{}, {}, { text: { markdown: 'Done' } }] },
    ]);
    client.clear();
    await told('resolve_comment', { id: 'a' });
    expect(client.types(ANNOTATIONS)).toStrictEqual([]);
    await client.act(ANNOTATIONS, { type: 'annotations/updated', annotationId: 'a', resolved: false });
    expect(await shown()).toMatchObject([{ resolved: false }]);
  });

  test('[ANN-1] a client cannot pass for an agent, and becomes the author of a text that it replaces', async () => {
    const { client, told, shown, set } = await working();
    await set({ entries: [{ id: 'e', text: 'x', 'x-by': AGENT }] });
    expect(await shown()).toMatchObject([{ entries: [{ 'x-by': { clientId: 'ada' } }] }]);
    await told('reply_to_comment', { id: 'a', text: 'Because' });
    const id = (await shown())[0]?.entries[1]?.id;
    const entry = { id, text: { markdown: 'Because' } };
    await client.act(ANNOTATIONS, { type: 'annotations/entrySet', annotationId: 'a', entry });
    expect(await shown()).toMatchObject([{ entries: [{}, { 'x-by': AGENT }] }]);
    await client.act(ANNOTATIONS, {
      type: 'annotations/entrySet',
      annotationId: 'a',
      entry: { id, text: 'No' },
    });
    expect(await shown()).toMatchObject([{ entries: [{}, { 'x-by': { clientId: 'ada' } }] }]);
  });

  test.each<[string, string, unknown, string]>([
    ['no JSON', 'comment', '{', 'The input must be a JSON object'],
    ['a list', 'comment', [], 'The input must be a JSON object'],
    ['no text', 'comment', { file: 'a.ts' }, 'text: expected a text, got nothing'],
    ['an empty text', 'comment', { file: 'a.ts', text: ' ' }, 'text: expected the text of the comment'],
    [
      'a long text',
      'comment',
      { file: 'a.ts', text: 'x'.repeat(32_769) },
      'text: expected at most 32768 characters, got 32769',
    ],
    ['half a character', 'comment', { file: 'a.ts', text: '\ud800' }, 'text: it is no well-formed Unicode'],
    ['no file', 'comment', { text: 'x' }, 'file: expected a text, got nothing'],
    ['an empty path', 'comment', { file: '', text: 'x' }, 'file: expected a path'],
    ['a NUL', 'comment', { file: 'a\0', text: 'x' }, 'file: expected a path'],
    [
      'an odd URI',
      'comment',
      { file: 'file://other/a', text: 'x' },
      'file: "file://other/a": expected file:///',
    ],
    ['a missing file', 'comment', { file: 'b.ts', text: 'x' }, 'file: b.ts does not exist'],
    [
      'a file elsewhere',
      'comment',
      { file: '/etc/passwd', text: 'x' },
      'file: /etc/passwd is no text, too large, or outside of the working directories',
    ],
    ['line 0', 'comment', { file: 'a.ts', first_line: 0, text: 'x' }, 'first_line: expected a line number'],
    ['half a line', 'comment', { file: 'a.ts', first_line: 1.5, text: 'x' }, 'first_line: expected a line'],
    [
      'a last line alone',
      'comment',
      { file: 'a.ts', last_line: 1, text: 'x' },
      'first_line: expected a number',
    ],
    [
      'lines backwards',
      'comment',
      { file: 'a.ts', first_line: 3, last_line: 2, text: 'x' },
      'last_line: expected at least first_line, 3, got 2',
    ],
    [
      'a line behind the end',
      'comment',
      { file: 'a.ts', first_line: 7, text: 'x' },
      'a.ts has 6 lines, so there is no line 7',
    ],
    ['an unknown comment', 'resolve_comment', { id: 'x' }, 'id: there is no comment "x"'],
    ['an empty answer', 'resolve_comment', { id: 'a', text: '' }, 'text: expected the text of the comment'],
    ['an id that is no text', 'reply_to_comment', { id: 1, text: 'x' }, 'id: expected a text, got 1'],
    ['an unknown tool', 'rm', {}, 'The host offers no tool rm'],
  ])('[ANN-1] %s is refused with the reason, and changes nothing', async (_, name, input, reason) => {
    const { client, call, shown, set } = await working();
    await set();
    const before = await shown();
    client.clear();
    const { success, error } = await call(name, input);
    expect([success, error?.message]).toStrictEqual([false, expect.stringContaining(reason)]);
    expect(client.types(ANNOTATIONS)).toStrictEqual([]);
    expect(await shown()).toStrictEqual(before);
  });

  test('[ANN-1] [RES-2] a link out of the working directory is not followed', async () => {
    const { folder, told, shown } = await working();
    const outside = realpathSync(mkdtempSync(join(tmpdir(), 'agent-comments-')));
    folders.push(outside);
    writeFileSync(join(outside, 'secret'), 'secret\n');
    symlinkSync(join(outside, 'secret'), join(folder, 'link'));
    expect(await told('comment', { file: 'link', first_line: 1, text: 'x' })).toContain(
      'outside of the working directories',
    );
    expect(await shown()).toStrictEqual([]);
  });

  test('[ANN-1] agents have the limits of clients', async () => {
    const { client, told, shown } = await working();
    const text = { markdown: 'x'.repeat(32_000) };
    for (let index = 0; index < 131; index += 1)
      client.dispatch(ANNOTATIONS, {
        type: 'annotations/set',
        annotation: {
          id: `${index}`,
          origin: { session: SESSION },
          resource: 'https://example.org/',
          resolved: false,
          entries: [{ id: 'e', text }],
        },
      });
    await client.ping();
    const { length } = await shown();
    const { what } = CHANNEL_LIMITS.annotationsLength;
    expect(await told('comment', { file: 'a.ts', text: text.markdown })).toContain(`${what}: at most `);
    expect(await shown()).toHaveLength(length);
    const listed = await told('list_comments', {});
    expect(listed).toContain(`${length - 4} more open comments do not fit into this answer.`);
  });

  test('[ANN-1] [ACT-8] a comment that cannot be stored fails, and is nowhere', async () => {
    const { host, told, shown } = await working();
    host.journal.failNextCommits(2);
    expect(await told('comment', { file: 'a.ts', text: 'x' })).not.toContain('Comment ');
    await host.advance(5_000);
    expect(await shown()).toStrictEqual([]);
  });

  test('[ANN-1] a call after the end of the turn changes nothing', async () => {
    const { host, told, shown } = await working();
    host.agent.turn.complete();
    await host.run();
    expect(await told('comment', { file: 'a.ts', text: 'x' })).toBe('The turn has ended');
    expect(await shown()).toStrictEqual([]);
  });

  test('[ANN-1] without the setting agents get no tools for comments', async () => {
    const { host, client, told } = await working();
    const names = () => host.agent.opened[0]?.host.hostTools().map(({ name }) => name);
    expect(names()).toStrictEqual(['list_comments', 'comment', 'reply_to_comment', 'resolve_comment']);
    await client.act(ROOT, { type: 'root/configChanged', config: { agentComments: false } });
    expect(names()).toStrictEqual([]);
    expect(await told('list_comments', {})).toBe('The host offers no tool list_comments');
  });

  test('[SESS-8] a tool of a client with such a name gets another one', async () => {
    const { host, client } = await working();
    await client.act(SESSION, {
      type: 'session/activeClientSet',
      activeClient: { clientId: 'ada', tools: [{ name: 'comment' }, { name: 'look' }] },
    });
    await host.run();
    const tools = host.agent.opened[0]?.host.clientTools() ?? [];
    expect(tools.map(({ name, definition }) => [name, definition.name])).toStrictEqual([
      [expect.stringMatching(/^comment_[0-9a-f]{6}$/), 'comment'],
      ['look', 'look'],
    ]);
  });
});
