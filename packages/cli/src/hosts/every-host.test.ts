import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { FakeContext } from '../../test/fake-context.ts';
import { announceHost, processStart } from '../host-link/discovery.ts';
import { findHost } from '../host-link/find-host.ts';
import { hostsFolder } from '../process/files.ts';
import { Screen } from '../render/screen.ts';
import { askEach, everyHost, type HostAnswer } from './every-host.ts';

afterEach(() => vi.useRealTimers());

/** Listens on a free port until the test has ended; its URL. */
async function listen(server: Server, sockets: readonly Socket[] = []): Promise<string> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
}

test('answers of the first 3 s come together, a host that never answers is given up, and one that is not waited for is left', async () => {
  const sockets: Socket[] = [];
  const url = await listen(
    createServer((socket) => sockets.push(socket.on('error', () => undefined))),
    sockets,
  );
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const context = new FakeContext();
  const hosts = [
    { label: 'mute', target: { url, isOwn: false } },
    { label: 'down', target: { url: 'http://127.0.0.1:1', isOwn: false } },
  ];
  const ask = (): AsyncGenerator<readonly HostAnswer<string>[]> =>
    askEach(context, new Screen(context), hosts, async () => 'answered');
  const asking = ask();
  const first = asking.next();
  await vi.waitUntil(() => sockets.length > 0, { timeout: 60_000 });
  await vi.advanceTimersByTimeAsync(3_000);
  expect((await first).value).toMatchObject([{ host: { label: 'down' }, isAbsent: false }]);
  const second = asking.next();
  await vi.advanceTimersByTimeAsync(7_000);
  expect((await second).value).toMatchObject([{ problem: 'no answer within 10 s', isAbsent: false }]);
  expect(await asking.next()).toEqual({ done: true, value: undefined });

  const left = ask();
  const answered = left.next();
  await vi.waitUntil(() => sockets.length > 1, { timeout: 60_000 });
  const closed = new Promise((resolve) => sockets[1]?.once('close', resolve));
  await vi.advanceTimersByTimeAsync(3_000);
  expect((await answered).value).toHaveLength(1);
  await left.return(undefined);
  await closed;
});

test('[AUTH-1] AGENTHOST_TOKEN goes only to a host that the command names; another one without a token is told', async () => {
  const requests: string[] = [];
  const server = createHttpServer((request, response) => {
    requests.push(`${request.url} ${request.headers.authorization}`);
    const [status, text] = request.url === '/readyz' ? [200, 'ready\n'] : [401, 'refused'];
    response.writeHead(status, { 'content-type': 'text/plain', 'content-length': text.length }).end(text);
  });
  const url = await listen(server);
  const folder = mkdtempSync(join(tmpdir(), 'every-host-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const context = new FakeContext();
  Object.assign(context.env, {
    XDG_STATE_HOME: folder,
    XDG_CONFIG_HOME: folder,
    AGENTHOST_TOKEN: 'of-one-host',
  });
  mkdirSync(join(folder, 'agenthost'));
  const listed = [
    { name: 'bare', url },
    { name: 'kept', url: `${url}/kept/ahp`, token: 'of-kept' },
  ];
  writeFileSync(join(folder, 'agenthost/hosts.json'), JSON.stringify({ format: 1, hosts: listed }));
  const screen = new Screen(context);
  const answers: HostAnswer<string>[] = [];
  const hosts = await everyHost(context, screen);
  for await (const some of askEach(context, screen, hosts, async () => 'answered')) answers.push(...some);
  expect(answers).toMatchObject([
    { host: { label: 'bare' }, problem: expect.stringMatching(/^no token: .*hosts add bare .*--token-file/) },
    { host: { label: 'kept' }, problem: expect.stringContaining('refused') },
  ]);
  expect(requests.join('\n')).toContain('of-kept');
  expect(requests.join('\n')).not.toContain('of-one-host');
  expect(await findHost(context, screen, { host: 'bare' })).toMatchObject({ token: 'of-one-host' });
  expect(await findHost(context, screen, { host: 'kept' })).toMatchObject({ token: 'of-kept' });
});

test('hosts of this machine have the names of the list; without one, several have their addresses', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'every-host-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const context = new FakeContext();
  Object.assign(context.env, { XDG_STATE_HOME: folder, XDG_CONFIG_HOME: folder });
  const [one, two] = ['127.0.0.1:4711', '127.0.0.1:4712'];
  const record = {
    url: `http://${one}`,
    wsUrl: `ws://${one}/ahp`,
    token: 'own',
    dataDir: folder,
    version: '1.2.3',
    startedAt: '2026-01-01T00:00:00Z',
  };
  await announceHost(hostsFolder(context), record);
  const listed = ['lab', 'other'].map((name) => ({ name, url: `http://localhost:4712/${name}` }));
  writeFileSync(join(folder, 'agenthost/hosts.json'), JSON.stringify({ format: 1, hosts: listed }));
  const labels = async (): Promise<string[]> =>
    (await everyHost(context, new Screen(context))).map(({ label }) => label);
  expect(await labels()).toEqual(['local', 'lab', 'other']);
  const first: object = JSON.parse(
    readFileSync(join(hostsFolder(context), `${process.pid}.json`), 'utf8'),
  ) satisfies object;
  const { ppid } = process;
  const second = { pid: ppid, processStart: await processStart(ppid), url: `http://${two}` };
  writeFileSync(join(hostsFolder(context), `${ppid}.json`), JSON.stringify({ ...first, ...second }));
  expect((await labels()).toSorted()).toEqual([one, 'lab']);
  rmSync(join(hostsFolder(context), `${process.pid}.json`));
  expect(await labels()).toEqual(['lab']);
});
