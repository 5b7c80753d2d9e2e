import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FakeContext } from '../../test/fake-context.ts';
import { runCli } from '../program/program.ts';
import { Screen } from '../render/screen.ts';
import { askGateway } from './ask-gateway.ts';
import { findHost } from './find-host.ts';

const TOKEN = 'of-the-gateway';

let folder: string;
let url: string;
/** Names of the hosts in the gateway's list. */
let hosts: string[];
/** Whether its database answers. */
let isUp: boolean;
let requests: string[];
/** Whether it ends the connection after the first bytes of an answer, or sends none. */
let fault: 'cut' | 'mute' | undefined;
const server = createServer(({ url: path, headers: { authorization } }, response) => {
  requests.push(`${path} ${authorization}`);
  const [status, text] =
    path === '/readyz'
      ? [200, 'ready\n']
      : path?.startsWith('/h/')
        ? [503, 'the host is down\n']
        : authorization !== `Bearer ${TOKEN}`
          ? [401, 'the token of the gateway is required\n']
          : isUp
            ? [200, JSON.stringify({ items: hosts.map((host) => ({ host, state: 'down' })) })]
            : [503, 'the database of the gateway does not answer\n'];
  const type = status === 200 && path === '/hosts' ? 'application/json' : 'text/plain';
  if (fault === 'mute') return;
  if (fault === 'cut') {
    response.writeHead(200, { 'content-length': 100 }).write('{', () => response.destroy());
    return;
  }
  response.writeHead(status, { 'content-type': type, 'content-length': text.length, connection: 'close' });
  response.end(text);
});

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'agenthost-gateway-'));
  writeFileSync(join(folder, 'token'), TOKEN);
  hosts = ['team-a', 'team-b'];
  isUp = true;
  requests = [];
  fault = undefined;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
});
afterEach(async () => {
  if (server.listening) await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true });
});

function contextOf(token?: string): FakeContext {
  const context = new FakeContext();
  Object.assign(context.env, { XDG_STATE_HOME: folder, XDG_CONFIG_HOME: folder, AGENTHOST_TOKEN: token });
  context.stdin.end();
  return context;
}
async function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const context = contextOf();
  const code = await runCli(context, args);
  return { code, out: context.out, err: context.err };
}
const add = () => run('hosts', 'add', 'fleet', url, '--token-file', join(folder, 'token'));
const found = (host: string, context = contextOf()) => findHost(context, new Screen(context), { host });

test('a gateway is added once, and lists have its hosts as <gateway>/<host>', async () => {
  expect(await add()).toMatchObject({
    code: 0,
    err: expect.stringMatching(
      /^added fleet, a gateway with 2 hosts; .*\n`agenthost sessions --host fleet\/team-a`/,
    ),
  });
  expect(JSON.parse(readFileSync(join(folder, 'agenthost/hosts.json'), 'utf8'))).toEqual({
    format: 1,
    hosts: [{ name: 'fleet', url, token: TOKEN, gateway: true }],
  });
  // A host with a name of its own is not listed twice.
  await run('hosts', 'add', 'own', `${url}/h/team-c/ahp`, '--no-check');
  hosts.push('team-c');
  const { out, err } = await run('hosts', 'list');
  expect(out.replaceAll(url, 'URL').replaceAll(/ +/g, ' ')).toBe(
    `fleet gateway URL
fleet/team-a problem URL/h/team-a/ahp
fleet/team-b problem URL/h/team-b/ahp
own problem URL/h/team-c/ahp
`,
  );
  expect(err).toContain('fleet/team-a: the host at ');
  expect((await run('sessions')).err).toMatch(
    /agenthost: fleet\/team-b: .*the host is down; try again later\n/,
  );
  const words = await run('completion', 'words', '--', 'run', '--host', 'fleet/team-b');
  expect(words.out).toBe(`fleet/team-b\t${url}\n`);
  expect(await found('fleet/team-b')).toEqual({
    ...{ url: `${url}/h/team-b/ahp`, token: TOKEN, isOwn: false, name: 'fleet/team-b' },
  });
});

test('a host of a gateway has to be named if there are several, and one that does not exist is told with those that do', async () => {
  await add();
  const choice = 'fleet is a gateway with 2 hosts: choose one with --host: fleet/team-a, fleet/team-b';
  await expect(found('fleet')).rejects.toThrow(choice);
  await expect(found('fleet/nope')).rejects.toThrow(
    'the gateway fleet has no host nope; its hosts are fleet/team-a, fleet/team-b',
  );
  await expect(found('fleet/../x')).rejects.toThrow('has no host ../x');
  await expect(found('other/team-a')).rejects.toThrow(
    'no host is called other/team-a; the known hosts are fleet',
  );
  hosts = ['team-a'];
  expect(await found('fleet')).toMatchObject({ name: 'fleet/team-a' });
  hosts = [];
  await expect(found('fleet')).rejects.toThrow('the gateway fleet has no hosts yet');
  // A gateway routes without its database.
  isUp = false;
  expect(await found('fleet/team-b')).toMatchObject({ url: `${url}/h/team-b/ahp` });
  await expect(found('fleet')).rejects.toThrow(
    'the database of the gateway does not answer; try again later',
  );
  await run('hosts', 'add', 'plain', 'http://127.0.0.1:1', '--no-check');
  await expect(found('plain/team-a')).rejects.toThrow('plain was added as a host');
});

test('[AUTH-1] a wrong token is told, one is sent only if the command names the gateway, and a gateway that is down is one line', async () => {
  writeFileSync(join(folder, 'token'), 'wrong');
  expect(await add()).toMatchObject({
    code: 4,
    err: expect.stringMatching(
      /requires the token of the gateway; the token that was sent is not valid.*; nothing was added\n$/,
    ),
  });
  writeFileSync(join(folder, 'token'), TOKEN);
  await add();
  const file = join(folder, 'agenthost/hosts.json');
  writeFileSync(file, readFileSync(file, 'utf8').replace(/,\s*"token": "[^"]+"/, ''));
  requests = [];
  const context = contextOf(TOKEN);
  expect(await runCli(context, ['hosts', 'list'])).toBe(0);
  expect(context.err).toMatch(
    /^fleet: no token: .*`agenthost hosts add fleet http.* --force --token-file FILE` stores one\n$/,
  );
  expect(requests).toEqual(['/hosts undefined']);
  expect(await found('fleet/team-a', contextOf(TOKEN))).toMatchObject({ token: TOKEN });
  await new Promise((resolve) => server.close(resolve));
  const { out, err } = await run('sessions');
  expect([out, err]).toEqual([
    '',
    `no sessions to show\nagenthost: fleet: no gateway answers at ${url}: check the address, and whether it runs\n`,
  ]);
});

test('a command about a gateway reports a missing or incomplete answer, and a refusal', async () => {
  const list = () => run('gateway', 'hosts', '--url', url);
  expect(await list()).toEqual({
    code: 4,
    out: '',
    err: `agenthost: the gateway at ${url} refused the connection: it requires the token of the gateway; set AGENTHOST_TOKEN to its token\n`,
  });
  const context = contextOf(TOKEN);
  const ask = () =>
    askGateway(context, new Screen(context), { url, token: TOKEN }, { path: '/hosts', limitMs: 50 });
  isUp = false;
  expect(await runCli(context, ['gateway', 'hosts', '--url', url])).toBe(1);
  expect(context.err).toBe(
    'agenthost: the gateway refused the request: the database of the gateway does not answer\n',
  );
  fault = 'cut';
  expect((await list()).err).toBe(
    `agenthost: no gateway answers at ${url}: the connection ended before the end of its answer\n`,
  );
  fault = 'mute';
  await expect(ask()).rejects.toThrow(`no gateway answers at ${url}: it did not answer within 0.05 s`);
});
