import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Server } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { Machine } from '../../test/cli-process.ts';
import { FakeContext } from '../../test/fake-context.ts';
import { runCli } from '../program/program.ts';

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

/** Answers everything by `status` and `reason`, but says that it is ready, unless it says that to nobody. */
async function refusing(status: number, reason: string, isReady: boolean): Promise<string> {
  const say = (response: ServerResponse, code: number, text: string): unknown =>
    response
      .writeHead(code, { 'content-type': 'text/plain; charset=utf-8', 'content-length': text.length })
      .end(text);
  const server = createServer((request, response) => {
    response.setHeader('connection', 'close');
    if (request.url === '/readyz' && isReady) say(response, 200, 'ready\n');
    else say(response, status, `${reason}\n`);
  });
  return `http://127.0.0.1:${await listen(server)}`;
}

test.each([
  [401, 'this token has expired', 'AGENTHOST_TOKEN is not its token', true],
  [403, 'this address is not mine: add it to its allowedHosts', '"allowedHosts": ["127.0.0.1:', false],
  [403, 'this origin is not allowed: add it to allowedOrigins', 'a proxy in between adds an Origin', false],
  [429, 'too many wrong tokens: wait 2 s', 'see that AGENTHOST_TOKEN is its token', true],
  [503, 'the host has 2 connections, the most it takes (maxConnections)', 'try again in a while', true],
])(
  '[AUTH-1] a refusal by %i is told in the words of the host, and what to do',
  async (status, reason, step, isReady) => {
    const url = await refusing(status, reason, isReady);
    const context = new FakeContext();
    context.env['AGENTHOST_TOKEN'] = 'given';
    expect(await runCli(context, ['sessions', '--url', url])).toBe(4);
    expect(context.err).toMatch(/^agenthost: [^\n]+\n$/);
    expect(context.err).toContain(`the host at ${url} does not let us in: ${reason}; ${step}`);
  },
);

test('[AUTH-1] a host behind a forwarded port of another number says that its name is the matter, not the token', async () => {
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
  expect(err).toContain(`"allowedHosts": ["127.0.0.1:${port}"] in its agenthost.json`);
  expect(err).not.toContain('AGENTHOST_TOKEN');
});
