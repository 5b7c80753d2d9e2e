import { randomBytes } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, Unauthorized } from '@agenthost/client';
import type { ActionEnvelope, Turn } from '@agenthost/protocol';
import { turnStarted } from '@agenthost/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Connection } from '../../packages/host/src/journal/postgres/connection.ts';
import {
  findPrograms,
  TestServer,
} from '../../packages/host/src/journal/postgres/postgres-server-fixture.ts';
import { Witness } from '../kill/witness.ts';
import { removeFolder } from '../remove-folder.ts';
import { ProgramProcess } from './program-process.ts';

const programs = findPrograms();
const SESSION = 'ahp-session:/moved';
const TAKEOVER = { timeout: 60_000, interval: 100 };

describe.skipIf(programs === undefined)(
  'a gateway over two cells and a standby (needs initdb in PATH or /usr/lib/postgresql/*/bin)',
  () => {
    let server: TestServer;
    let folder = '';
    let gatewayUrl = '';
    const token = randomBytes(32).toString('base64url');
    const running: ProgramProcess[] = [];
    const witnesses: Witness[] = [];

    const start = (...args: string[]): ProgramProcess => {
      const program = new ProgramProcess(folder, args);
      running.push(program);
      return program;
    };
    const serve = (cell: string, data: string, ...args: string[]): ProgramProcess =>
      start(
        ...['serve', '--json', '--port', '0', '--root', folder, '--data', join(folder, data), '--no-keeper'],
        ...['--token-file', join(folder, 'token'), '--trust-proxy'],
        ...['--journal', `${server.url}&cell=${cell}`, ...args],
      );
    const get = (path: string, headers: Record<string, string> = { authorization: `Bearer ${token}` }) =>
      fetch(`${gatewayUrl}${path}`, { headers, redirect: 'manual' });
    const json = async (path: string): Promise<unknown> => (await get(path)).json();
    const follow = async (name: string, cell = 'team-a'): Promise<Witness> => {
      const url = `${gatewayUrl.replace('http', 'ws')}/h/${cell}/ahp?token=${token}`;
      const witness = new Witness(name, () => url);
      witnesses.push(witness);
      await witness.client.connect();
      return witness;
    };
    /** The numbers of the envelopes in the database. */
    const journaled = async (): Promise<Set<unknown>> => {
      const connection = await Connection.open({ url: server.url }, 'test');
      const { rows } = await connection.query('SELECT seq FROM agenthost.envelopes');
      await connection.end();
      return new Set(rows.map(({ seq }) => seq));
    };
    const begin = (witness: Witness, turnId: string): void => {
      const { chat } = witness;
      if (chat === undefined) throw new Error('the chat is not open');
      void chat.dispatch(turnStarted(turnId, 'stream 100000 every 2'));
    };
    /** The first line of JSON. Commands that take long print what they wait for before it. */
    const firstJson = (output: string): unknown =>
      JSON.parse(output.split('\n').find((line) => line.startsWith('{')) ?? '');
    const turnOf = ({ chat }: Witness, id: string): Turn | undefined =>
      chat?.confirmed.turns.find((turn) => turn.id === id);

    beforeAll(async () => {
      if (programs === undefined) return;
      server = await TestServer.start(programs);
      folder = mkdtempSync(join(tmpdir(), 'agenthost-fleet-'));
      writeFileSync(join(folder, 'token'), token, { mode: 0o600 });
      const gateway = start(
        ...['gateway', 'serve', '--json', '--port', '0', '--token-file', join(folder, 'token')],
        ...['--journal', server.url],
      );
      gatewayUrl = (await gateway.ready).url;
    }, 120_000);
    afterAll(async () => {
      for (const { client } of witnesses) client.close();
      await Promise.all(running.map((program) => program.end('SIGKILL')));
      await server?.stop();
      if (folder !== '') await removeFolder(folder);
    }, 60_000);

    test('[CONN-4] [CONN-5] [CONN-8] a client continues at the standby when the host is killed, and when it is paused', async () => {
      const first = serve('team-a', 'a', '--label', 'gpu');
      await first.ready;
      const standby = serve('team-a', 'b', '--standby', '--label', 'gpu');
      await expect.poll(() => standby.output, TAKEOVER).toContain('waiting: cell team-a is in use');
      const { output } = await start('status', '--json', '--data', join(folder, 'b')).ended();
      const holder = `${hostname()} (process ${(await first.ready).pid})`;
      expect(firstJson(output)).toMatchObject({ state: 'waiting', cell: 'team-a', holder });
      const witness = await follow('first');
      await witness.client.request('createSession', { channel: SESSION, provider: 'demo' });
      await witness.watch(SESSION);

      begin(witness, 'killed');
      await witness.until(() => witness.seen.length > 200);
      const killedAt = performance.now();
      await first.end('SIGKILL');
      await standby.ready;
      const takeoverMs = Math.round(performance.now() - killedAt);
      await witness.until(() => turnOf(witness, 'killed') !== undefined);
      const backMs = Math.round(performance.now() - killedAt);
      expect(witness.reconnects).toEqual(['initialize', 'replay']);
      expect(turnOf(witness, 'killed')).toMatchObject({ state: 'error' });
      const lost = async (seen: readonly ActionEnvelope[]): Promise<number[]> => {
        // More may be seen while the database is read.
        const numbers = seen.map(({ serverSeq }) => serverSeq);
        const known = await journaled();
        return numbers.filter((seq) => !known.has(seq));
      };
      expect(await lost(witness.seen)).toEqual([]);
      const envelopes = witness.seen.length;

      // The host that was killed is now the standby, and the new one is paused.
      const next = serve('team-a', 'a', '--standby');
      await expect.poll(() => next.output, TAKEOVER).toContain('waiting: cell team-a is in use');
      witness.forget();
      begin(witness, 'paused');
      await witness.until(() => witness.seen.length > 200);
      standby.signal('SIGSTOP');
      await next.ready;
      await witness.until(() => turnOf(witness, 'paused') !== undefined);
      expect(witness.reconnects).toEqual(['initialize', 'replay', 'replay']);
      expect(turnOf(witness, 'paused')).toMatchObject({ state: 'error' });
      expect(await lost(witness.seen)).toEqual([]);
      standby.signal('SIGCONT');
      expect(await standby.ended()).toMatchObject({
        code: 1,
        output: expect.stringContaining('another host took over this journal'),
      });

      const second = await follow('second');
      await second.watch(SESSION);
      expect(second.chat?.confirmed.turns).toEqual(witness.chat?.confirmed.turns);
      process.stdout.write(
        `gateway: standby ready ${takeoverMs} ms after the kill, client back after ${backMs} ms, ${envelopes} envelopes, 0 lost\n`,
      );
    }, 300_000);

    test('lists hosts and sessions of all cells, and places sessions by label, repository and load', async () => {
      const other = serve('team-b', 'c');
      await other.ready;
      const client = await follow('third', 'team-b');
      await client.client.request('createSession', {
        channel: 'ahp-session:/other',
        provider: 'demo',
        workingDirectories: [`file://${folder}`],
      });
      await expect
        .poll(() => json('/hosts'))
        .toMatchObject({
          items: [
            { host: 'team-a', path: '/h/team-a/', state: 'running' },
            { host: 'team-b', path: '/h/team-b/', state: 'running', labels: [] },
          ],
        });
      expect(await json('/sessions?limit=1')).toMatchObject({
        items: [{ host: 'team-b', uri: 'ahp-session:/other', page: '/h/team-b/s/ahp-session%3A%2Fother' }],
      });
      const { nextCursor }: { nextCursor?: string } = Object(await json('/sessions?limit=1'));
      expect(await json(`/sessions?limit=1&cursor=${nextCursor}`)).toMatchObject({
        items: [{ host: 'team-a', uri: SESSION, summary: { title: expect.any(String) } }],
      });
      expect(await json(`/place?repository=file://${folder}`)).toEqual({
        host: 'team-b',
        path: '/h/team-b/',
        ahp: '/h/team-b/ahp',
      });
      const refused = await get('/place?label=gpu');
      expect([refused.status, await refused.text()]).toEqual([
        503,
        'no host with the labels ["gpu"] accepts new sessions now\n',
      ]);
      expect((await get('/h/nowhere/ahp')).status).toBe(404);
      // Another gateway needs no more rights than to read.
      const connection = await Connection.open({ url: server.url }, 'test');
      await connection.execute(
        `CREATE ROLE reader LOGIN; GRANT USAGE ON SCHEMA agenthost TO reader;
         GRANT SELECT ON agenthost.cells, agenthost.sessions, agenthost.version TO reader`,
      );
      await connection.end();
      const reading = start(
        ...['gateway', 'serve', '--json', '--port', '0', '--token-file', join(folder, 'token')],
        ...['--journal', server.url.replace('agenthost@', 'reader@')],
      );
      const lists = new ProgramProcess(
        folder,
        ['gateway', 'sessions', '--json', '--limit', '1', '--url', (await reading.ready).url],
        { AGENTHOST_TOKEN: token },
      );
      running.push(lists);
      expect(await lists.ready).toMatchObject({ host: 'team-b', uri: 'ahp-session:/other' });
    }, 120_000);

    test('[AUTH-1] a browser signs in once for all hosts, and other origins and tokens get nothing', async () => {
      const own = { accept: 'text/html', 'sec-fetch-site': 'same-origin' };
      expect((await get('/hosts', {})).status).toBe(401);
      expect((await get('/hosts', { authorization: `Bearer ${token}x` })).status).toBe(401);
      expect(await (await get('/', own)).text()).toContain('Sign in to agenthost');
      const wrong = await get('/h/team-b/ahp', { authorization: 'Bearer wrong' });
      expect(wrong.status).toBe(401);
      const signedIn = await fetch(`${gatewayUrl}/h/team-b/sign-in`, {
        method: 'POST',
        headers: { accept: 'application/json' },
        body: new URLSearchParams({ token }),
      });
      expect(await signedIn.json()).toEqual({ ok: true, scope: 'admin' });
      const [cookie = ''] = (signedIn.headers.get('set-cookie') ?? '').split(';');
      const state = await get('/h/team-a/sign-in/state', { cookie, ...own });
      expect(await state.json()).toMatchObject({ signedIn: true });
      const page = await (await get('/h/team-a/', { cookie, ...own })).text();
      expect(page).toContain('href="/h/team-a/"');
      expect(await (await get('/', { cookie, ...own })).text()).toContain('>team-b</a> (running');
      // The host answers a plain request like an upgrade: 426 for one that it would accept.
      expect((await get('/h/team-a/ahp', { cookie })).status).toBe(426);
      const foreign = await new Promise<number | undefined>((resolve, reject) => {
        request(`${gatewayUrl}/h/team-a/ahp`, { headers: { cookie, origin: 'https://evil.example' } })
          .on('response', (answer) => {
            answer.resume();
            resolve(answer.statusCode);
          })
          .on('error', reject)
          .end();
      });
      expect(foreign).toBe(403);
      // The files of the page are the same for everybody, and their addresses are below the cell.
      const [, file = ''] = /<script[^>]+src="([^"]+)"/.exec(page) ?? [];
      const script = await get(new URL(file, `${gatewayUrl}/h/team-a/`).pathname, { cookie });
      expect(script.status).toBe(200);
      expect(script.headers.get('content-type')).toContain('javascript');
    }, 60_000);

    test('[TERM-1] a terminal is opened, typed into and read through a gateway, only with its token', async () => {
      const url = `${gatewayUrl}/h/team-b/ahp`;
      await expect(connect(url, { token: `${token}x` })).rejects.toThrow(Unauthorized);
      await expect(connect(url)).rejects.toThrow(Unauthorized);
      const client = await connect(url, { token });
      let text = '';
      const terminal = await client.createTerminal({ cwd: `file://${folder}` });
      terminal.onOutput((output) => {
        text += output;
      });
      // The shell prints a text that was not typed.
      await terminal.input('echo typed-$((20 + 22))\r');
      await expect.poll(() => text, TAKEOVER).toContain('typed-42');
      await terminal.input('exit 3\r');
      expect(await terminal.exited).toBe(3);
      client.close();
    }, 120_000);

    test('hosts behind a gateway have names in the list of hosts', async () => {
      const run = (...args: string[]) => {
        const program = new ProgramProcess(folder, args);
        running.push(program);
        return program.ended();
      };
      const url = `${gatewayUrl}/h/team-b/ahp`;
      const added = await run('hosts', 'add', 'b', url, '--json', '--token-file', join(folder, 'token'));
      expect(added).toMatchObject({ code: 0 });
      const { output } = await run('sessions', '--host', 'b', '--json');
      expect(output).toContain('ahp-session:/other');
      expect(output).not.toContain(SESSION);
      // The gateway itself has all of them.
      const fleet = await run('hosts', 'add', 'fleet', gatewayUrl, '--json', '--token-file', 'token');
      expect(fleet.output).toContain('"hosts":["fleet/team-a","fleet/team-b"]');
      const all = (await run('sessions', '--json')).output;
      // The hosts run on this machine, so each is listed once, with its own address.
      const hostsOf = (uri: string) =>
        [...all.matchAll(/"resource":"([^"]+)".*"host":"([^"]+)"/g)].flatMap(([, session, host]) =>
          session === uri ? [host] : [],
        );
      const [local = '', ...more] = hostsOf(SESSION);
      expect([more, hostsOf('ahp-session:/other')]).toEqual([[], ['b']]);
      const list = await run('hosts', 'list', '--json');
      expect(firstJson(list.output)).toMatchObject({ name: 'fleet', hosts: [local, 'b'] });
      const one = await run('sessions', '--host', 'fleet/team-b', '--json');
      expect(one.output).toContain('ahp-session:/other');
      expect(one.output).not.toContain(SESSION);
    }, 120_000);

    test('a mistyped cell is forgotten with --yes, and one that a host holds is not', async () => {
      const connection = await Connection.open({ url: server.url }, 'test');
      await connection.execute(`INSERT INTO agenthost.cells (name) VALUES ('typo')`);
      await connection.end();
      const forget = (...args: string[]) =>
        start('gateway', 'forget', '--journal', server.url, ...args).ended();
      expect(await forget('typo')).toMatchObject({ code: 2, output: expect.stringContaining('--yes') });
      expect(await forget('team-b', '--yes')).toMatchObject({
        code: 1,
        output: expect.stringMatching(/cell team-b is in use by .*: stop that host first/),
      });
      expect(await forget('typo', '--yes', '--json')).toMatchObject({
        code: 0,
        output: '{"type":"forgotten","cell":"typo","sessions":0}\n',
      });
      expect(await json('/hosts')).toMatchObject({ items: [{ host: 'team-a' }, { host: 'team-b' }] });
    }, 60_000);

    test('a data folder belongs to one cell and to one host at a time', async () => {
      const twice = serve('team-c', 'c');
      expect(await twice.ended()).toMatchObject({
        code: 1,
        output: expect.stringMatching(/the data folder .* is in use by /),
      });
      const moved = serve('team-c', 'b');
      expect(await moved.ended()).toMatchObject({
        code: 1,
        output: expect.stringContaining('belongs to cell team-a, not to team-c: choose another folder'),
      });
    }, 60_000);
  },
);
