import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { createServer as createTls } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { loopbackServer } from '../../test/loopback-server.ts';
import { plainRequest } from '../../test/plain-request.ts';
import { Connection } from '../journal/postgres/connection.ts';
import { migrate } from '../journal/postgres/migrations.ts';
import { findPrograms, TestServer } from '../journal/postgres/postgres-server-fixture.ts';
import { systemTimers } from '../lib/clock.ts';
import { memoryLog } from '../lib/log.ts';
import { selfSigned } from '../tls/self-signed.ts';
import { Gateway, type GatewayOptions } from './gateway.ts';

const programs = findPrograms();
const TOKEN = 'the-token-of-the-gateway-0123456789';
const BEARER = { authorization: `Bearer ${TOKEN}` };
const HERE = `${hostname()} (process 1)`;

describe.skipIf(programs === undefined)(
  'a gateway (needs initdb in PATH or /usr/lib/postgresql/*/bin)',
  () => {
    let server: TestServer;
    let database: Connection;
    const ends: (() => unknown)[] = [];
    /** Time limits of the gateway, which tests end. */
    const limits = new Set<{ ms: number; fire: () => void }>();
    let skewMs = 0;

    const start = async (options: Partial<GatewayOptions> = {}) => {
      const gateway = new Gateway({
        url: server.url,
        port: 0,
        token: TOKEN,
        clock: { now: () => Date.now() + skewMs },
        timers: {
          ...systemTimers,
          after: (ms, fire) => {
            if (ms < 2_000) return systemTimers.after(ms, fire);
            const limit = { ms, fire };
            limits.add(limit);
            return () => void limits.delete(limit);
          },
        },
        ...options,
      });
      const { port } = await gateway.start();
      ends.push(() => gateway.stop());
      return { gateway, port };
    };
    /** Lets the limits of this length pass until the promise is settled. */
    const pass = async <T>(ms: number, wanted: Promise<T>): Promise<T> => {
      let isSettled = false;
      const settle = (): void => {
        isSettled = true;
      };
      wanted.then(settle, settle);
      await expect
        .poll(() => {
          for (const limit of [...limits].filter((each) => each.ms === ms)) {
            limits.delete(limit);
            limit.fire();
          }
          return isSettled;
        })
        .toBe(true);
      return wanted;
    };
    const announce = async (
      name: string,
      url: string,
      {
        holder = HERE,
        leftS = 600,
        fingerprint,
        labels = [],
      }: { holder?: string; leftS?: number; fingerprint?: string; labels?: string[] } = {},
    ): Promise<void> => {
      const announced = { url, labels, runningTurns: 0, isDraining: false, fingerprint };
      await database.query(
        `INSERT INTO agenthost.cells (name, epoch, holder, announced, expires_at)
       VALUES ($1, 1, $2, $3, clock_timestamp() + $4 * interval '1 second')
       ON CONFLICT (name) DO UPDATE SET holder = $2, announced = $3, expires_at = excluded.expires_at`,
        [name, holder, JSON.stringify(announced), leftS],
      );
      // The gateway reads the row again.
      skewMs += 2_000;
    };
    const listening = async (host: Server): Promise<number> => {
      const sockets = new Set<Socket>();
      host.on('connection', (socket: Socket) => {
        sockets.add(socket);
        // A server keeps its side open after the end of a client.
        socket.on('end', () => socket.end());
      });
      host.listen(0, '127.0.0.1');
      await once(host, 'listening');
      ends.push(async () => {
        host.close();
        for (const socket of sockets) socket.destroy();
        await once(host, 'close');
      });
      const { port }: AddressInfo = Object(host.address());
      return port;
    };
    const status = async (port: number, path: string, headers: Record<string, string> = BEARER) =>
      (await plainRequest(port, path, headers)).status;
    /** A client that asks for a WebSocket, and what it has read so far. */
    const upgrade = (port: number, cell: string, headers: Record<string, string> = {}) => {
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
      ends.push(() => socket.destroy());
      const read: Buffer[] = [];
      const client = { socket, text: () => Buffer.concat(read).toString('latin1'), isClosed: false };
      socket.on('data', (bytes: Buffer) => void read.push(bytes));
      socket.on('error', () => undefined);
      socket.on('close', () => {
        client.isClosed = true;
      });
      const all = {
        Host: `127.0.0.1:${port}`,
        Connection: 'Upgrade',
        Upgrade: 'websocket',
        ...BEARER,
        ...headers,
      };
      const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
      socket.write(`GET /h/${cell}/ahp HTTP/1.1\r\n${lines.join('')}\r\n`);
      return client;
    };

    beforeAll(async () => {
      if (programs === undefined) return;
      server = await TestServer.start(programs);
      database = await Connection.open({ url: server.url }, 'test');
    }, 120_000);
    afterEach(async () => {
      await database?.execute('ROLLBACK');
      for (const end of ends.splice(0).toReversed()) await end();
      limits.clear();
    });
    afterAll(async () => {
      await database?.end();
      await server?.stop();
    });

    test('makes no tables, and routes as soon as a host has made them', async () => {
      const { port } = await start();
      const early = await plainRequest(port, '/h/a/', BEARER);
      expect([early.status, early.body]).toEqual([
        503,
        expect.stringContaining('no host has used the database'),
      ]);
      expect(await status(port, '/readyz')).toBe(503);
      const { rows } = await database.query(`SELECT to_regnamespace('agenthost') IS NULL AS is_empty`);
      expect(rows).toEqual([{ is_empty: true }]);
      await migrate(database);
      expect(await status(port, '/h/a/')).toBe(404);
      expect(await status(port, '/readyz')).toBe(200);
    });

    test('[AUTH-1] only the host that holds a cell gets the token, and only its own', async () => {
      const got: IncomingMessage['headers'][] = [];
      let connectionCount = 0;
      const host = createServer((asked, answer) => {
        got.push(asked.headers);
        answer.end('hello');
      });
      host.on('connection', () => {
        connectionCount += 1;
      });
      const hostPort = await listening(host);
      const { port } = await start({
        tokenOf: (cell) => (cell === 'unlisted' ? undefined : `token-of-${cell}`),
      });
      const reason = async (cell: string) => (await plainRequest(port, `/h/${cell}/`, BEARER)).body;

      // The host was killed, and another program has its port.
      await announce('a', `http://127.0.0.1:${hostPort}`, { leftS: -1 });
      expect(await reason('a')).toMatch(/^the host is down/);
      await announce('a', `http://127.0.0.1:${hostPort}`, { holder: 'elsewhere (process 1)' });
      expect(await reason('a')).toMatch(/^the host listens only on its own machine/);
      expect(connectionCount).toBe(0);
      // An address of which only the connection shows that it is this machine.
      await announce('a', `http://0.0.0.0:${hostPort}`, { holder: 'elsewhere (process 1)' });
      expect(await reason('a')).toMatch(/^the host listens only on its own machine/);
      await announce('unlisted', `http://127.0.0.1:${hostPort}`);
      expect(await reason('unlisted')).toMatch(/^the gateway has no token for this host/);
      expect(got).toEqual([]);

      await announce('a', `http://127.0.0.1:${hostPort}`);
      expect(await reason('a')).toBe('hello');
      // A client with a token of its own needs none of the gateway.
      await plainRequest(port, '/h/unlisted/', { authorization: 'Bearer mine' });
      expect(got.map(({ authorization }) => authorization)).toEqual(['Bearer token-of-a', 'Bearer mine']);
      const list = await plainRequest(port, '/hosts', BEARER);
      expect(JSON.parse(list.body)).toMatchObject({ items: [{ host: 'a', state: 'running' }, {}] });
    });

    test('[AUTH-1] a client is not blamed for a wrong token of the gateway, and only for its own', async () => {
      let count = 0;
      const host = createServer(({ url = '' }, answer) => {
        count += 1;
        const isPage = url.startsWith('/sign-in');
        answer.writeHead(401, isPage ? {} : { 'www-authenticate': 'Bearer' }).end('wrong token');
      });
      host.on('upgrade', (_asked, socket: Socket) => {
        count += 1;
        socket.end(
          'HTTP/1.1 401 No\r\nWWW-Authenticate: Bearer\r\nContent-Length: 0\r\nConnection: close\r\n\r\n',
        );
      });
      await announce('wrong', `http://127.0.0.1:${await listening(host)}`, { labels: ['wrong'] });
      const log = memoryLog();
      const told: string[] = [];
      const { port } = await start({ tokenOf: () => 'wrong', log, tell: (line) => void told.push(line) });
      const answered =
        /the administrator of the gateway must correct the token of this host \(--host-tokens\)/;
      // An expired sign-in of a page.
      expect(await status(port, '/h/wrong/sign-in?ticket=old', BEARER)).toBe(401);
      const refused = upgrade(port, 'wrong');
      await expect.poll(refused.text).toMatch(answered);
      expect(refused.text()).toMatch(/^HTTP\/1.1 503 /);
      expect(log.lines).toMatchObject([{ level: 'error', fields: { host: 'wrong' } }]);
      // The host throttles an address after wrong tokens, so it is asked again only after some time.
      expect((await plainRequest(port, '/h/wrong/ahp', BEARER)).body).toMatch(answered);
      expect(await status(port, '/place?label=wrong', BEARER)).toBe(503);
      expect([count, log.lines.length, told]).toEqual([
        2,
        1,
        [expect.stringMatching(/^host wrong .*--host-tokens/)],
      ]);
      skewMs += 30_000;
      expect((await plainRequest(port, '/h/wrong/ahp', BEARER)).body).toMatch(answered);
      expect(count).toBe(3);
      expect(await status(port, '/h/wrong/ahp', { authorization: 'Bearer mine' })).toBe(401);
    });

    test('a host that cannot be reached at its announced address is shown so, and gets no new session', async () => {
      const host = createServer((_asked, answer) => void answer.end('hello'));
      const hostPort = await listening(host);
      await announce('lost', 'http://127.0.0.1:9', { labels: ['far'] });
      const log = memoryLog();
      const { port } = await start({ log });
      const state = async () => {
        const { items } = JSON.parse((await plainRequest(port, '/hosts', BEARER)).body);
        return items.find((item: { host: string }) => item.host === 'lost').state;
      };
      const placed = async () => (await plainRequest(port, '/place?label=far', BEARER)).status;
      expect([await state(), await placed()]).toEqual(['running', 200]);
      expect((await plainRequest(port, '/h/lost/', BEARER)).body).toMatch(
        /^the gateway cannot reach the host at http:\/\/127\.0\.0\.1:9: .*--announce/,
      );
      const foreign = await plainRequest(port, '/h/lost/', { authorization: 'Bearer mine' });
      expect(foreign.body).toMatch(/^the gateway cannot reach the host at the address that it announces: /);
      expect([await state(), await placed()]).toEqual(['unreachable', 503]);
      expect(log.lines).toMatchObject([
        { level: 'warn', fields: { host: 'lost', url: 'http://127.0.0.1:9' } },
      ]);
      await announce('lost', `http://127.0.0.1:${hostPort}`);
      expect([await status(port, '/h/lost/'), await state()]).toEqual([200, 'running']);
    });

    test('a body above 4 KiB gets 413 and reaches no host', async () => {
      const lengths: (string | undefined)[] = [];
      const host = createServer(({ headers }, answer) => {
        lengths.push(headers['content-length']);
        answer.end();
      });
      await announce('a', `http://127.0.0.1:${await listening(host)}`);
      const { port } = await start();
      const post = async (path: string, length: number) => {
        const options = { method: 'POST', headers: BEARER, body: 'x'.repeat(length) };
        return (await fetch(`http://127.0.0.1:${port}${path}`, options)).status;
      };
      const answers: number[] = [];
      for (const path of ['/h/a/', '/sign-in'])
        for (const length of [4_096, 4_097, 200_000]) answers.push(await post(path, length));
      expect(answers).toEqual([200, 413, 413, 401, 413, 413]);
      expect(lengths).toEqual(['4096']);
    });

    test('[AUTH-1] a host with another certificate than the announced one gets nothing', async () => {
      const credentials = await selfSigned({ names: ['localhost'], now: Date.now() });
      const paths: (string | undefined)[] = [];
      const host = createTls(credentials, (asked, answer) => {
        paths.push(asked.url);
        answer.end('hello');
      });
      const url = `https://127.0.0.1:${await listening(host)}`;
      const { port } = await start();
      await announce('pinned', url, {
        fingerprint: credentials.fingerprint.replace(/^../, (byte) => (byte === '00' ? '01' : '00')),
      });
      expect(await status(port, '/h/pinned/')).toBe(503);
      expect(paths).toEqual([]);
      await announce('pinned', url, { fingerprint: credentials.fingerprint });
      expect(await status(port, '/h/pinned/x')).toBe(200);
      expect(paths).toEqual(['/x']);
    });

    test('the page of a host allows WebSockets to the public name, and another origin gets no WebSocket', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'agenthost-page-'));
      ends.push(() => rmSync(folder, { recursive: true }));
      writeFileSync(join(folder, 'index.html'), '<title>page</title>');
      const host = loopbackServer(TOKEN, { page: { folder, pageHosts: () => [] }, proxies: [] });
      const hostPort = await host.start();
      ends.push(() => host.stop());
      await announce('page', `http://127.0.0.1:${hostPort}`);
      const { port } = await start({ allowedHosts: ['agents.example'] });
      const page = await plainRequest(port, '/h/page/', {
        ...BEARER,
        ...{ host: 'agents.example', accept: 'text/html', 'sec-fetch-mode': 'navigate' },
      });
      const policy = String(page.headers['content-security-policy']);
      expect(policy).toContain('ws://agents.example wss://agents.example');
      expect(policy).not.toContain(String(hostPort));
      const unknown = await plainRequest(port, '/h/page/', { ...BEARER, host: 'unknown.example' });
      expect([unknown.status, unknown.body]).toEqual([
        403,
        expect.stringMatching(/gateway .*--allowed-host/),
      ]);
      const foreign = upgrade(port, 'page', { Origin: 'https://evil.example' });
      await expect.poll(foreign.text).toMatch(/^HTTP\/1.1 403 /);
      // Its own page may.
      const own = upgrade(port, 'page', {
        ...{ Origin: `http://127.0.0.1:${port}`, 'Sec-WebSocket-Version': '13' },
        'Sec-WebSocket-Key': 'AAAAAAAAAAAAAAAAAAAAAA==',
      });
      await expect.poll(own.text).toMatch(/^HTTP\/1.1 101 /);
    });

    test('a host that accepts connections and never answers holds no client for long', async () => {
      const asked = new Set<Socket>();
      const host = createServer();
      host.on('upgrade', (_request, socket: Socket) => {
        asked.add(socket);
        socket.on('error', () => undefined);
        socket.on('close', () => asked.delete(socket));
        socket.resume();
      });
      await announce('frozen', `http://127.0.0.1:${await listening(host)}`);
      const { gateway, port } = await start();
      const waiting = upgrade(port, 'frozen');
      await expect.poll(() => asked.size).toBe(1);
      await pass(10_000, once(waiting.socket, 'end'));
      expect(waiting.text()).toMatch(/^HTTP\/1.1 503 [\s\S]*the host is down/);
      await expect.poll(() => asked.size).toBe(0);

      // A client that gives up frees the connection of the host.
      const leaving = upgrade(port, 'frozen');
      await expect.poll(() => asked.size).toBe(1);
      leaving.socket.end();
      await expect.poll(() => asked.size).toBe(0);
      expect(leaving.text()).toBe('');

      const stopped = upgrade(port, 'frozen');
      await expect.poll(() => asked.size).toBe(1);
      await database.execute('BEGIN; LOCK TABLE agenthost.cells IN ACCESS EXCLUSIVE MODE');
      skewMs += 2_000;
      const reading = upgrade(port, 'frozen');
      await expect.poll(() => [...limits].some(({ ms }) => ms === 2_000)).toBe(true);
      const stop = gateway.stop();
      await expect
        .poll(() => [stopped, reading].map(({ socket }) => socket.readableEnded || socket.destroyed))
        .toEqual([true, true]);
      await database.execute('ROLLBACK');
      await stop;
      await expect.poll(() => asked.size).toBe(0);
      expect([...limits].filter(({ ms }) => ms === 10_000)).toEqual([]);
    });

    test('the last bytes of a host and its refusals reach slow clients, and then the connection ends', async () => {
      const size = 4_000_000;
      const host = createServer();
      host.on('upgrade', ({ headers }, socket: Socket) => {
        if (headers['x-refused'] !== undefined) {
          socket.end('HTTP/1.1 418 No\r\nContent-Length: 5\r\nConnection: close\r\n\r\nnever');
          return;
        }
        socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
        socket.end(Buffer.alloc(size, 'x'));
      });
      await announce('last', `http://127.0.0.1:${await listening(host)}`);
      const { port } = await start();
      const slow = upgrade(port, 'last');
      await once(slow.socket, 'data');
      slow.socket.pause();
      slow.socket.write('unread by the host');
      slow.socket.resume();
      await once(slow.socket, 'end');
      expect(slow.text().split('\r\n\r\n')[1]).toHaveLength(size);
      const refused = upgrade(port, 'last', { 'X-Refused': '1' });
      await once(refused.socket, 'end');
      expect(refused.text()).toMatch(/^HTTP\/1.1 418 No\r\n[\s\S]*\r\n\r\nnever$/);
      // The client ends nothing, so its side closes only when the gateway has closed.
      refused.socket.write('more');
      await expect
        .poll(() => {
          if (!refused.isClosed) refused.socket.write('more');
          return refused.isClosed;
        })
        .toBe(true);
    });

    test('a role without grants is told the grants of a gateway, and they suffice', async () => {
      await database.execute('CREATE ROLE reader LOGIN');
      const url = server.url.replace('agenthost@', 'reader@');
      const failure = await start({ url }).catch(String);
      const grants = /GRANT USAGE ON SCHEMA agenthost TO reader; GRANT SELECT ON .* TO reader;/.exec(
        String(failure),
      );
      await database.execute(String(grants));
      const { port } = await start({ url });
      expect(await status(port, '/sessions')).toBe(200);
    });

    test('known hosts stay reachable while the database hangs, and no client waits for a list', async () => {
      const host = createServer((_asked, answer) => void answer.end('hello'));
      await announce('known', `http://127.0.0.1:${await listening(host)}`);
      const { port } = await start();
      expect(await status(port, '/h/known/')).toBe(200);
      await database.execute('BEGIN; LOCK TABLE agenthost.sessions IN ACCESS EXCLUSIVE MODE');
      const list = status(port, '/sessions');
      await expect.poll(() => [...limits].some(({ ms }) => ms === 10_000)).toBe(true);
      expect(await status(port, '/h/nobody/')).toBe(404);
      expect(await pass(10_000, list)).toBe(503);

      await database.execute('LOCK TABLE agenthost.cells IN ACCESS EXCLUSIVE MODE');
      skewMs += 2_000;
      expect(await pass(2_000, status(port, '/h/known/'))).toBe(200);
      // From now on nobody waits for the limit.
      expect(await status(port, '/h/known/')).toBe(200);
      expect(await pass(2_000, status(port, '/h/unknown/'))).toBe(503);
      await database.execute('ROLLBACK');
      await expect.poll(() => status(port, '/readyz')).toBe(200);
      await expect.poll(() => status(port, '/h/unknown/')).toBe(404);
    });
  },
);
