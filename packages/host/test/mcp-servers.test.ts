import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import type { CompletionItem } from '@agenthost/protocol';
import { turnStarted } from '@agenthost/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { mcpStage, textOf } from './mcp-fixture.ts';

const { resolve } = createRequire(import.meta.url);
const EVERYTHING = join(
  dirname(resolve('@modelcontextprotocol/server-everything/package.json')),
  'dist/index.js',
);
const FILES = join(dirname(resolve('@modelcontextprotocol/server-filesystem/package.json')), 'dist/index.js');

const freePort = (): Promise<number> =>
  new Promise((done, fail) => {
    const server = createServer();
    server.once('error', fail);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      server.close(() => done(port));
    });
  });

/** Runs server-everything with a transport until the end of the test. Resolves with its port when it listens. */
async function everythingAt(transport: 'sse' | 'streamableHttp'): Promise<number> {
  const port = await freePort();
  const child: ChildProcess = spawn(process.execPath, [EVERYTHING, transport], {
    env: { ...process.env, PORT: `${port}` },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(
    () =>
      new Promise<void>((done) => {
        child.once('exit', () => done());
        child.kill('SIGKILL');
      }),
  );
  await new Promise<void>((done) => {
    child.stderr?.on('data', (chunk: Buffer) => {
      if (/listening|running/i.test(chunk.toString())) done();
    });
  });
  return port;
}

describe('server-everything', () => {
  test.each(['stdio', 'http', 'sse'] as const)('[MCP-1] its tools run over %s', async (kind) => {
    const entry =
      kind === 'stdio'
        ? { command: process.execPath, args: [EVERYTHING, 'stdio'] }
        : {
            type: kind,
            url:
              kind === 'http'
                ? `http://127.0.0.1:${await everythingAt('streamableHttp')}/mcp`
                : `http://127.0.0.1:${await everythingAt('sse')}/sse`,
          };
    const stage = await mcpStage({ mcpServers: { every: entry }, config: { approvals: 'all' } });
    await stage.turn();
    await stage.inState('ready', 'mcp-host-every');
    expect(textOf(await stage.call('every__echo', { message: 'hello' }))).toContain('hello');
    const image = await stage.call('every__get-tiny-image');
    expect(image.content).toContainEqual(
      expect.objectContaining({ type: 'embeddedResource', contentType: 'image/png' }),
    );
    expect(await stage.call('every__get-structured-content', { location: 'New York' })).toMatchObject({
      structuredContent: { temperature: expect.anything() },
    });
  });
});

describe('resources and prompts of server-everything', () => {
  const started = async () => {
    const entry = { command: process.execPath, args: [EVERYTHING, 'stdio'] };
    const stage = await mcpStage({ mcpServers: { every: entry } });
    await stage.turn();
    const complete = async (text: string) => {
      const params = { channel: stage.chat, kind: 'userMessage', text, offset: text.length };
      const id = stage.client.ask('completions', params);
      await stage.until(() => stage.client.answerTo(id) !== undefined);
      return (await stage.client.answered<{ items: CompletionItem[] }>(id)).items;
    };
    return { stage, complete };
  };

  test('[CHAT-16] resources are completions of @, and the agent reads an attached one', async () => {
    const { stage, complete } = await started();
    const [item] = await complete('look at @every:arch');
    expect(item).toMatchObject({
      insertText: '@every:architecture.md',
      attachment: { type: 'resource', label: 'every:architecture.md' },
    });
    const uri = item?.attachment?.type === 'resource' ? item.attachment.uri : '';
    let text = '';
    void stage.host.agent.turn.input.readResource(uri).then(({ data }) => {
      text = Buffer.from(data).toString('utf8');
    });
    await stage.until(() => text !== '');
    expect(text).toContain('Architecture');
    const unknown = uri.replace('architecture.md', 'nothing.md');
    await expect(stage.host.agent.turn.input.readResource(unknown)).rejects.toThrow(/nothing\.md/);
    const elsewhere = stage.host.agent.turn.input.readResource('x-mcp-resource:/?session=a&server=b&uri=c');
    await expect(elsewhere).rejects.toThrow('The MCP server of "c" is not running');
  });

  test('[CHAT-16] prompts are completions of /, and the agent gets the text of an invoked one', async () => {
    const { stage, complete } = await started();
    const [item] = await complete('/every__args');
    expect(item).toMatchObject({ insertText: '/every__args-prompt ' });
    stage.host.agent.turn.complete();
    await stage.host.run();
    await stage.client.act(stage.chat, turnStarted('t2', '/every__args-prompt Paris Texas'));
    await stage.until(() => stage.host.agent.turns.length === 2);
    expect(stage.host.agent.turn.input.context.join('\n')).toContain(
      "The message invokes the prompt args-prompt of the MCP server every:\n\nWhat's weather in Paris, Texas?",
    );
  });

  test('a prompt without a required argument is told in the chat', async () => {
    const { stage } = await started();
    stage.host.agent.turn.complete();
    await stage.host.run();
    await stage.client.act(stage.chat, turnStarted('t2', '/every__args-prompt'));
    await stage.until(() => stage.host.agent.turns.length === 2);
    await stage.host.run();
    expect((await stage.lastTurn())?.responseParts).toMatchObject([
      {
        kind: 'systemNotification',
        content: 'The prompt was not read: /args-prompt needs the argument city',
      },
    ]);
  });
});

test('server-filesystem reads a file in the working directory, which it gets as a root', async () => {
  const stage = await mcpStage({
    mcpServers: { files: { command: process.execPath, args: [FILES] } },
    files: (folder) => writeFileSync(join(folder, 'a.txt'), 'one\ntwo\n'),
  });
  await stage.turn();
  await stage.inState('ready', 'mcp-host-files');
  const read = () => stage.call('files__read_text_file', { path: join(stage.folder, 'a.txt') });
  // The server asks for the roots after its start.
  const text = await stage.until(async () => {
    const result = await read();
    return result.success ? textOf(result) : undefined;
  });
  expect(text).toBe('one\ntwo\n');
});
