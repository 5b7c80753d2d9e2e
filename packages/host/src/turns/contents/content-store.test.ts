import type { FileEdit, ToolCallResult, ToolResultContent } from '@agenthost/protocol';
import { describe, expect, it } from 'vitest';
import { ROOT, SESSION, startHost } from '../../../test/host-fixture.ts';
import type { RawClient } from '../../../test/raw-client.ts';

const KIB = 1024;

async function setUp() {
  const host = await startHost();
  const client = await host.client();
  const { chat } = await host.session(client);
  await client.act(chat, {
    type: 'chat/turnStarted',
    startedAt: '2026-06-01T00:00:00.000Z',
    turnId: 't',
    message: { text: 'go', origin: { kind: 'user' } },
  });
  const { output } = host.agent.turn;
  const call = output.toolCall({ toolCallId: 'c', toolName: 'x', displayName: 'X' });
  call.run({ invocationMessage: 'Running' });
  /** The content of the call as clients see it. */
  const shown = async (): Promise<readonly ToolResultContent[]> => {
    await host.run();
    const { state } = await client.subscribe(chat);
    const part = 'turns' in state ? state.activeTurn?.responseParts.at(-1) : undefined;
    const toolCall = part?.kind === 'toolCall' ? part.toolCall : undefined;
    return toolCall !== undefined && 'content' in toolCall ? (toolCall.content ?? []) : [];
  };
  const complete = async (content: ToolResultContent[]): Promise<readonly ToolResultContent[]> => {
    await call.complete({ success: true, pastTenseMessage: 'Ran', content });
    return shown();
  };
  /** The whole result as clients see it. */
  const result = async (given: Omit<ToolCallResult, 'success' | 'pastTenseMessage'>) => {
    await call.complete({ success: true, pastTenseMessage: 'Ran', ...given });
    await host.run();
    const { state } = await client.subscribe(chat);
    const part = 'turns' in state ? state.activeTurn?.responseParts.at(-1) : undefined;
    if (part?.kind !== 'toolCall' || part.toolCall.status !== 'completed') throw new Error('not completed');
    return part.toolCall;
  };
  return { host, client, chat, output, call, shown, complete, result };
}

const read = (client: RawClient, uri: string) => client.request('resourceRead', { channel: ROOT, uri });
const text = (value: string): ToolResultContent => ({ type: 'text', text: value });
const sizeOf = (content: readonly ToolResultContent[]): number => Buffer.byteLength(JSON.stringify(content));

describe('versions of changed files', () => {
  it('[CS-3] are behind URIs that end in the name of the file', async () => {
    const { client, complete, output } = await setUp();
    const change = (uri: string) => output.fileEdit({ uri, before: 'one', after: 'two' });
    const uriOf = ({ after }: FileEdit): string => after?.content.uri ?? '';
    const named = change('file:///w/read%20me.md');
    const unnamed = change('file:///w/');
    await complete([{ type: 'fileEdit', ...named }]);
    expect(uriOf(named)).toMatch(/^agenthost-content:\/[\w-]+\/read%20me\.md$/);
    expect(uriOf(unnamed)).toMatch(/^agenthost-content:\/[\w-]+$/);
    await expect(read(client, uriOf(named))).resolves.toMatchObject({ data: 'two' });
  });
});

describe('tool output', () => {
  it('[RES-1] of up to 256 KiB stays in state', async () => {
    const { host, complete } = await setUp();
    const content = [text('x'.repeat(256 * KIB))];
    expect(await complete(content)).toStrictEqual(content);
    expect(host.journal.disk.contents.size).toBe(0);
  });

  it('[RES-1] above 256 KiB is moved behind a URI, and its head and tail stay', async () => {
    const { client, complete } = await setUp();
    const whole = `${'a'.repeat(150 * KIB)}${'b'.repeat(150 * KIB)}`;
    const content = await complete([text('before'), text(whole), text('after')]);
    expect(content.map(({ type }) => type)).toStrictEqual(['text', 'text', 'resource', 'text', 'text']);
    expect(content[1]).toStrictEqual(text('a'.repeat(32 * KIB)));
    expect(content[3]).toStrictEqual(text('b'.repeat(32 * KIB)));
    const [, , reference] = content;
    if (reference?.type !== 'resource') throw new Error('no reference');
    expect(reference).toMatchObject({ sizeHint: 300 * KIB, contentType: 'text/plain; charset=utf-8' });
    expect(await read(client, reference.uri)).toMatchObject({ data: whole, encoding: 'utf-8' });
  });

  it('[RES-1] is measured in bytes, and never cut inside a character', async () => {
    const { complete } = await setUp();
    const content = await complete([text(`x${'🌱'.repeat(70 * KIB)}`)]);
    expect(content.map(({ type }) => type)).toStrictEqual(['text', 'resource', 'text']);
    for (const block of content) {
      if (block.type === 'text') expect(block.text).not.toMatch(/\p{Surrogate}/u);
    }
  });

  it('[RES-1] is measured as a whole, in any number of pieces', async () => {
    const { complete } = await setUp();
    const content = await complete(Array.from({ length: 20 }, () => text('x'.repeat(200 * KIB))));
    expect(content.filter(({ type }) => type === 'resource')).toHaveLength(20);
    const small = Array.from({ length: 3 }, (_, index) => text(`${index}`.repeat(20 * KIB)));
    expect(sizeOf(small)).toBeLessThan(256 * KIB);
  });

  it('[RES-1] that is binary is moved behind a URI as a whole', async () => {
    const { client, complete } = await setUp();
    const data = Buffer.alloc(300 * KIB, 0xff).toString('base64');
    const content = await complete([{ type: 'embeddedResource', data, contentType: 'image/png' }]);
    const [reference] = content;
    if (reference?.type !== 'resource') throw new Error('no reference');
    expect(reference).toMatchObject({ sizeHint: 300 * KIB, contentType: 'image/png' });
    expect(await read(client, reference.uri)).toStrictEqual({
      data,
      encoding: 'base64',
      contentType: 'image/png',
    });
  });

  it('[RES-1] of a running call is not stored each time that it grows', async () => {
    const { host, call, shown, complete } = await setUp();
    const whole = 'x'.repeat(400 * KIB);
    for (let index = 0; index < 20; index += 1) call.content([text(`${whole}${index}`)]);
    const partial = await shown();
    expect(sizeOf(partial)).toBeLessThan(100 * KIB);
    expect(partial.at(-1)).toMatchObject({ text: expect.stringMatching(/x19$/) });
    expect(host.journal.disk.contents.size).toBe(0);
    await complete([text(whole)]);
    expect(host.journal.disk.contents.size).toBe(1);
  });
});

describe('the rest of a tool result', () => {
  it('[RES-1] counts structured content, which is moved behind a URI as JSON', async () => {
    const { client, result } = await setUp();
    const structuredContent = { rows: ['r'.repeat(300 * KIB)] };
    const shown = await result({ content: [text('300 rows')], structuredContent });
    expect(shown.structuredContent).toBeUndefined();
    expect(shown.content?.[0]).toStrictEqual(text('300 rows'));
    const reference = shown.content?.[1];
    if (reference?.type !== 'resource') throw new Error('no reference');
    expect(reference.contentType).toBe('application/json');
    const { data } = await read(client, reference.uri);
    expect(JSON.parse(data)).toStrictEqual(structuredContent);
  });

  it('[RES-1] leaves small structured content beside a large text', async () => {
    const { result } = await setUp();
    const shown = await result({ content: [text('x'.repeat(300 * KIB))], structuredContent: { exit: 0 } });
    expect(shown.structuredContent).toStrictEqual({ exit: 0 });
    expect(shown.content?.map(({ type }) => type)).toStrictEqual(['text', 'resource', 'text']);
  });

  it('[RES-1] counts the output of a terminal: its head and tail stay, marked as incomplete', async () => {
    const { client, call, shown, result } = await setUp();
    const preview = `${'a'.repeat(150 * KIB)}${'b'.repeat(150 * KIB)}`;
    const content: ToolResultContent[] = [
      { type: 'terminal', resource: 'r', title: 'x', result: { preview, truncated: false, exitCode: 1 } },
    ];
    call.content(content);
    const [running] = await shown();
    if (running?.type !== 'terminal') throw new Error('no terminal');
    expect(running.result).toMatchObject({ truncated: true, exitCode: 1 });
    expect(running.result?.preview?.length).toBeLessThan(70 * KIB);
    const completed = await result({ content });
    expect(completed.content?.[0]).toStrictEqual(running);
    expect(running.result?.preview).toMatch(/^a.*b$/s);
    const reference = completed.content?.[1];
    if (reference?.type !== 'resource') throw new Error('no reference');
    expect(await read(client, reference.uri)).toMatchObject({ data: preview });
  });

  it('[RES-1] counts the message of an error: its head and tail stay', async () => {
    const { result } = await setUp();
    const shown = await result({ error: { message: `E${'x'.repeat(300 * KIB)}!`, code: 'e' } });
    expect(shown.error?.message.length).toBeLessThan(70 * KIB);
    expect(shown.error).toMatchObject({ message: expect.stringMatching(/^Ex+\n…\nx+!$/), code: 'e' });
  });
});

describe('contents', () => {
  it('[CS-3] of both sides of an edit are read by their URIs, with the lines counted', async () => {
    const { host, client, output } = await setUp();
    const edit = output.fileEdit({ uri: 'file:///a', before: 'one\ntwo\n', after: 'one\n2\nthree\n' });
    await host.run();
    expect(edit.diff).toStrictEqual({ added: 2, removed: 1 });
    expect(await read(client, edit.before?.content.uri ?? '')).toMatchObject({ data: 'one\ntwo\n' });
    expect(await read(client, edit.after?.content.uri ?? '')).toMatchObject({ data: 'one\n2\nthree\n' });
    const made = output.fileEdit({ uri: 'file:///b', after: 'new\n' });
    expect(made.before).toBeUndefined();
    expect(made.diff).toStrictEqual({ added: 1, removed: 0 });
  });

  it('[CS-3] of a version above 4 MiB keep head and tail, with a note on the omission; lines of large versions are not counted', async () => {
    const { host, client, output } = await setUp();
    const before = `first\n${'x\n'.repeat(4 * KIB * KIB)}last\n`;
    const edit = output.fileEdit({ uri: 'file:///a', before, after: 'new\n' });
    await host.run();
    expect(edit.diff).toBeUndefined();
    const { data } = await read(client, edit.before?.content.uri ?? '');
    expect(data).toMatch(
      /^first\nx\n[^]*x\n\n\[… \d+ of 8388619 characters are omitted: the host keeps 4194304 of each version\]\n[^]*last\n$/,
    );
    expect(data.length).toBeLessThan(4.01 * KIB * KIB);
    expect(edit.before?.content.sizeHint).toBe(Buffer.byteLength(data));
    expect(await read(client, edit.after?.content.uri ?? '')).toMatchObject({ data: 'new\n' });
  });

  const readEdit = (client: RawClient, edit: FileEdit) => read(client, edit.after?.content.uri ?? '');

  it('[RES-1] [CHAT-6] are deleted with a truncated turn, and none are added afterwards', async () => {
    const { host, client, chat, output } = await setUp();
    const kept = output.fileEdit({ uri: 'file:///a', after: 'kept' });
    host.agent.turn.complete();
    await host.run();
    for (const turnId of ['u', 'v']) {
      const message = { text: 'go', origin: { kind: 'user' as const } };
      await client.act(chat, {
        type: 'chat/turnStarted',
        startedAt: '2026-06-01T00:00:00.000Z',
        turnId,
        message,
      });
      await host.run();
      host.agent.turn.output.fileEdit({ uri: 'file:///a', after: turnId });
      if (turnId === 'u') host.agent.turn.complete();
      await host.run();
    }
    expect(host.journal.disk.contents.size).toBe(3);
    await client.act(chat, { type: 'chat/truncated', turnId: 't' });
    host.agent.turn.output.fileEdit({ uri: 'file:///a', after: 'too late' });
    await host.run();
    expect(host.journal.disk.contents.size).toBe(1);
    expect(await readEdit(client, kept)).toMatchObject({ data: 'kept' });
    await client.act(chat, { type: 'chat/truncated' });
    expect(host.journal.disk.contents.size).toBe(0);
  });

  it('[RES-1] [CHAT-6] of the active turn are deleted when the whole chat is truncated', async () => {
    const { host, client, chat, output } = await setUp();
    output.fileEdit({ uri: 'file:///a', after: 'x' });
    await host.run();
    await client.act(chat, { type: 'chat/truncated' });
    expect(host.journal.disk.contents.size).toBe(0);
  });

  it('[RES-1] [SESS-3] are deleted with their session, and none are added afterwards', async () => {
    const { host, client, output } = await setUp();
    const edit = output.fileEdit({ uri: 'file:///a', after: 'x' });
    await host.run();
    await client.request('disposeSession', { channel: SESSION });
    output.fileEdit({ uri: 'file:///a', after: 'y' });
    await host.run();
    expect(host.journal.disk.contents.size).toBe(0);
    await expect(read(client, edit.after?.content.uri ?? '')).rejects.toMatchObject({ code: -32006 });
  });
});
