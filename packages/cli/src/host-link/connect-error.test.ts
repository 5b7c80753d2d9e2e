import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Server } from 'node:net';
import { promisify } from 'node:util';
import type { RefusalDetails } from '@agenthost/protocol';
import { afterEach, expect, test } from 'vitest';
import { Machine } from '../../test/cli-process.ts';
import { FakeContext } from '../../test/fake-context.ts';
import { runCli } from '../program/program.ts';
import { whoAnswersAt } from './connect-error.ts';

const ended: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ended.splice(0).toReversed()) await end();
});

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ended.push(() => new Promise((resolve) => server.close(resolve)));
  const address = server.address() satisfies AddressInfo | string | null;
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}

interface Refusing {
  readonly status: number;
  readonly reason: string;
  readonly details?: RefusalDetails;
}

/** Answers all requests with this refusal, except `/readyz` if `isReady`. */
async function refusing({ status, reason, details }: Refusing, isReady: boolean): Promise<string> {
  const say = (response: ServerResponse, code: number, text: string): unknown =>
    response
      .writeHead(code, { 'content-type': 'text/plain; charset=utf-8', 'content-length': text.length })
      .end(text);
  const server = createServer((request, response) => {
    response.setHeader('connection', 'close');
    if (request.url === '/readyz' && isReady) return say(response, 200, 'ready\n');
    if (details !== undefined) response.setHeader('x-refusal', JSON.stringify(details));
    return say(response, status, `${reason}\n`);
  });
  return `http://127.0.0.1:${await listen(server)}`;
}

async function toldOf(url: string): Promise<string> {
  const context = new FakeContext();
  context.env['AGENTHOST_TOKEN'] = 'given';
  expect(await runCli(context, ['sessions', '--url', url])).toBe(4);
  expect(context.err).toMatch(/^agenthost: [^\n]+\n$/);
  return context.err;
}

test.each([
  [401, 'this token has expired', 'AGENTHOST_TOKEN holds no valid token of this host'],
  [429, 'too many wrong tokens: wait 2 s', 'wait, and check that AGENTHOST_TOKEN holds a valid token'],
  [503, 'the host has 2 connections, the maximum (maxConnections)', 'try again later'],
])('[AUTH-1] a refusal with status %i is shown with the next step', async (status, reason, step) => {
  const url = await refusing({ status, reason }, true);
  expect(await toldOf(url)).toContain(`the host at ${url} refused the connection: ${reason}; ${step}`);
});

test.each([
  [
    { kind: 'setting', setting: 'allowedHosts', value: 'desk.example:4711' } as const,
    'this address is not one of its own, and not in its allowedHosts; add "allowedHosts": ["desk.example:4711"] to its agenthost.json',
  ],
  [
    { kind: 'setting', setting: 'allowedHosts', value: 'desk.example' } as const,
    'add "allowedHosts": ["desk.example:80"] to its agenthost.json',
  ],
  [
    { kind: 'setting', setting: 'allowedOrigins', value: 'https://a.example' } as const,
    'the request has an Origin that is not in its allowedOrigins; programs send no Origin',
  ],
])(
  '[AUTH-1] a refusal by a setting is explained from its data, whatever its text: %j',
  async (details, told) => {
    const url = await refusing({ status: 403, reason: 'Nein.', details }, false);
    const err = await toldOf(url);
    expect(err).toContain(told);
    expect(err).not.toContain('Nein.');
  },
);

test('[AUTH-1] the refusal of a name by the gateway in front of a host names the option of the gateway', async () => {
  const details = { kind: 'setting', setting: 'allowedHosts', value: 'desk.example' } as const;
  const url = await refusing({ status: 403, reason: '', details }, false);
  expect(await toldOf(`${url}/h/team-a/ahp`)).toMatch(
    /the gateway at .* restart it with --allowed-host desk\.example\n$/,
  );
});

test('a host with TLS is recognised by data, whatever its text', async () => {
  const url = await refusing({ status: 400, reason: 'Nein.', details: { kind: 'tls' } }, false);
  expect(await whoAnswersAt(url)).toBe('tls');
});

test('[AUTH-1] a refusal behind a forwarded port of another number blames the name of the host, not the token', async () => {
  const machine = new Machine();
  ended.push(() => machine.dispose());
  const { line } = await machine.serve();
  const port = await listen(
    createTcpServer((socket) => {
      const onward = connect(Number(new URL(line.url).port), '127.0.0.1');
      for (const [end, other] of [
        [socket, onward],
        [onward, socket],
      ] as const)
        end.on('error', () => other.destroy()).pipe(other);
    }),
  );
  const { code, err } = await machine.run(['sessions', '--url', `http://127.0.0.1:${port}`], {
    AGENTHOST_TOKEN: line.token,
  });
  expect(code).toBe(4);
  expect(err).toContain(`"allowedHosts": ["127.0.0.1:${port}"] to its agenthost.json`);
  expect(err).not.toContain('AGENTHOST_TOKEN');
});

let server: Server | undefined;
afterEach(async () => {
  if (server !== undefined) await promisify(server.close.bind(server))();
  server = undefined;
});

async function addressOf(made: Server): Promise<string> {
  server = made;
  await new Promise<void>((resolve) => {
    made.listen(0, '127.0.0.1', resolve);
  });
  const address = made.address() satisfies AddressInfo | string | null;
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}

const http = (listener: RequestListener): Promise<string> =>
  addressOf(
    createServer((request, response) => {
      response.setHeader('connection', 'close');
      listener(request, response);
    }),
  );

test('a host is recognised by its readiness answer', async () => {
  expect(await whoAnswersAt(await http((_, response) => response.end('ready\n')))).toBe('host');
});

test.each([
  ['refuses', 404],
  ['has an answer to everything', 200],
])('a web server that %s is distinguished from a host', async (_, status) => {
  const url = await http((_request, response) => response.writeHead(status).end('hello'));
  const context = new FakeContext();
  expect(await runCli(context, ['sessions', '--url', url])).toBe(4);
  expect(context.err).toBe(
    `agenthost: a server answers at ${url}, but it is not agenthost: check the address and the port\n`,
  );
});

test('a server of another protocol is distinguished from a host', async () => {
  const url = await addressOf(
    createTcpServer((socket) => {
      // A socket without a reader never closes.
      socket.on('error', () => socket.destroy()).resume();
      socket.end('SSH-2.0-x\r\n');
    }),
  );
  const context = new FakeContext();
  expect(await runCli(context, ['sessions', '--url', url])).toBe(4);
  expect(context.err).toContain('it is not agenthost');
});

test('an unknown path is distinguished from a wrong token', async () => {
  const url = await http((request, response) =>
    response.writeHead(request.url === '/readyz' ? 200 : 404).end(request.url === '/readyz' ? 'ready\n' : ''),
  );
  const context = new FakeContext();
  expect(await runCli(context, ['sessions', '--url', `${url}/foo`])).toBe(4);
  expect(context.err).toBe(`agenthost: the host at ${url} has nothing at the path /foo: remove the path\n`);
});
