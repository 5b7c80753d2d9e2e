import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { FakeContext } from '../../test/fake-context.ts';
import { runCli } from '../program/program.ts';
import { whoAnswersAt } from './address-check.ts';

let server: Server | undefined;
afterEach(() => new Promise((resolve) => server?.close(resolve)));

async function listen(made: Server): Promise<string> {
  server = made;
  await new Promise<void>((resolve) => {
    made.listen(0, '127.0.0.1', resolve);
  });
  const address = made.address() satisfies AddressInfo | string | null;
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}

const http = (listener: RequestListener): Promise<string> =>
  listen(
    createServer((request, response) => {
      response.setHeader('connection', 'close');
      listener(request, response);
    }),
  );

test('a host is known by how it says that it is ready', async () => {
  expect(await whoAnswersAt(await http((_, response) => response.end('ready\n')))).toBe('host');
});

test.each([
  ['refuses', 404],
  ['has an answer to everything', 200],
])('a web server that %s is told from a host', async (_, status) => {
  const url = await http((_request, response) => response.writeHead(status).end('hello'));
  const context = new FakeContext();
  expect(await runCli(context, ['sessions', '--url', url])).toBe(4);
  expect(context.err).toBe(
    `agenthost: something answers at ${url}, but it is no agenthost: check address and port\n`,
  );
});

test('what speaks another protocol is told from a host', async () => {
  const url = await listen(
    createTcpServer((socket) => {
      // What it is sent has to be read, or it never closes.
      socket.on('error', () => socket.destroy()).resume();
      socket.end('SSH-2.0-x\r\n');
    }),
  );
  const context = new FakeContext();
  expect(await runCli(context, ['sessions', '--url', url])).toBe(4);
  expect(context.err).toContain('it is no agenthost');
});

test('a path that no host has is told from a wrong token', async () => {
  const url = await http((request, response) =>
    response.writeHead(request.url === '/readyz' ? 200 : 404).end(request.url === '/readyz' ? 'ready\n' : ''),
  );
  const context = new FakeContext();
  expect(await runCli(context, ['sessions', '--url', `${url}/foo`])).toBe(4);
  expect(context.err).toBe(
    `agenthost: the host at ${url} has nothing at the path /foo: leave the path out\n`,
  );
});
