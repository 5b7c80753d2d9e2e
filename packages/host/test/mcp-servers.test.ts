import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
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
