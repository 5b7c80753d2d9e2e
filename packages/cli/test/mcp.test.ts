import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type AhpClient, connect, openMcpServers } from '@agenthost/client';
import { processStartTime } from '@agenthost/host/agent';
import { authorizationServer, remoteServer } from '@agenthost/testkit/mcp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { jsonLines, Machine, type RunningCli } from './cli-process.ts';

/** A real server, which the tests of the host use too. */
const PROGRAM = fileURLToPath(new URL('../../host/test/mcp-program.ts', import.meta.url));

const machine = new Machine();
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'cli-mcp-')));
let client: AhpClient;
let host: RunningCli;
let id: string;
let uuid: string;
const config = join(folder, 'agenthost.json');

beforeAll(async () => {
  const entry = { command: process.execPath, args: [PROGRAM] };
  const stubborn = { command: process.execPath, args: [PROGRAM, '--stubborn', join(folder, 'stubborn.pid')] };
  writeFileSync(config, JSON.stringify({ mcpServers: { own: entry, stubborn }, roots: [folder] }));
  writeFileSync(join(folder, '.mcp.json'), JSON.stringify({ mcpServers: { theirs: entry } }));
  const { line, host: started } = await machine.serve('--config', config);
  host = started;
  client = await connect(line.wsUrl, { token: line.token });
  const session = await client.sessions.create({
    provider: 'demo',
    workingDirectories: [pathToFileURL(folder).href],
  });
  uuid = session.uri.replace('ahp-session:/', '');
  id = uuid.slice(0, 8);
}, 30_000);

afterAll(async () => {
  client?.close();
  await machine.dispose();
  rmSync(folder, { recursive: true });
});

test('agenthost mcp lists servers, controls them, and decides about those of the project', async () => {
  const started = await machine.run(['mcp', 'start', id, 'own']);
  expect(started).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^own +ready +host +11 tools {2}\S+node\n$/),
  });
  const listed = (await machine.run(['mcp', 'list', id])).out.split('\n');
  expect(listed[2]).toMatch(/^theirs +stopped +project \(ask\) +0 tools {3}\S+node \S+mcp-program\.ts$/);
  const tools = await machine.run(['mcp', 'tools', id, 'own']);
  expect(tools.out).toMatch(/^own__echo {25}reads {2}Repeats$/m);
  expect(tools.out).toMatch(/^own__remove {23}asks$/m);
  expect(await machine.run(['mcp', 'start', id, 'theirs'])).toMatchObject({
    code: 1,
    out: expect.stringContaining('Nobody has allowed this server of .mcp.json yet.'),
  });
  expect((await machine.run(['mcp', 'allow', id, 'theirs'])).out).toContain('project (allowed)');
  expect((await machine.run(['mcp', 'restart', id, 'theirs'])).out).toMatch(/^theirs +ready +/);
  const ran = await machine.run(['run', '--session', id, 'tool theirs__echo {"a":1}']);
  expect(ran).toMatchObject({
    code: 0,
    out: expect.stringContaining('`theirs__echo` answered: echo {"a":1}'),
  });
  expect((await machine.run(['mcp', 'forget', id, 'theirs'])).out).toContain('project (ask)');
  const rows = jsonLines((await machine.run(['mcp', 'stop', id, 'own', '--json'])).out);
  expect(rows).toMatchObject([{ name: 'own', state: { kind: 'stopped' }, tools: [] }]);
  expect(await machine.run(['mcp', 'stop', id, 'other'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('the session has no such MCP server other'),
  });
  expect(await machine.run(['mcp', 'allow', id, 'own'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('own is a server of the config file of the host'),
  });
}, 60_000);

test('agenthost mcp login signs in by the browser, and agenthost mcp log shows what a server wrote', async () => {
  const remote = await remoteServer();
  await authorizationServer(remote);
  const project = { mcpServers: { theirs: { command: 'true' }, far: { url: remote.url } } };
  writeFileSync(join(folder, '.mcp.json'), JSON.stringify(project));
  expect((await machine.run(['mcp', 'allow', id, 'far'])).out).toContain('project (allowed)');
  const login = machine.start(['mcp', 'login', id, 'far']);
  await login.until('code_challenge=');
  await login.until('\n');
  const [url = ''] = /http\S+authorize\S+/.exec(login.out) ?? [];
  expect(await (await fetch(url)).text()).toContain('agenthost continues in your terminal');
  expect(await login.ended).toMatchObject({ code: 0, out: expect.stringMatching(/^far +ready /m) });
  const log = await machine.run(['mcp', 'log', id, 'far']);
  expect(log).toMatchObject({ code: 0, err: '' });
  expect(log.out).toMatch(/^\S+Z {2}debug +a token for http\S+ is needed\n$/);
  const silent = await machine.run(['mcp', 'log', id, 'theirs']);
  expect(silent).toMatchObject({ code: 0, out: '', err: expect.stringContaining('has written nothing') });
}, 60_000);

test('a server that ignores the end of its input does not outlive a killed host', async () => {
  const started = await machine.run(['mcp', 'start', id, 'stubborn']);
  expect(started.code).toBe(0);
  const pid = Number(readFileSync(join(folder, 'stubborn.pid'), 'utf8'));
  process.kill(host.pid, 'SIGKILL');
  await host.ended;
  client.close();
  expect(await isRunning(pid)).toBe(true);
  const { line } = await machine.serve('--config', config);
  expect(await isRunning(pid)).toBe(false);
  client = await connect(line.wsUrl, { token: line.token });
  const servers = await (await openMcpServers(client)).list(`ahp-session:/${uuid}`);
  expect(servers.map(({ state }) => state.kind)).toEqual(['stopped', 'stopped', 'stopped', 'stopped']);
}, 60_000);

/** A process that has ended and is not reaped yet does not run. */
const isRunning = async (pid: number): Promise<boolean> => (await processStartTime(pid)) !== undefined;
