// The page below a path of a reverse proxy, and the sessions of a second host on one board.
import { once } from 'node:events';
import { createServer, get, request, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasChromium } from '../access/chromium.ts';
import { fieldOf, messagesOf, say } from './acts.ts';
import { stageOfFile } from './stage.ts';

/** A reverse proxy in front of a host, as docs/web-proxy.md describes. It passes on requests below `/agents/`, and counts WebSockets. */
class Proxy {
  webSocketCount = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  constructor(hostPort: () => number) {
    const headersOf = (headers: NodeJS.Dict<string | string[]>): NodeJS.Dict<string | string[]> => ({
      ...headers,
      ...{ 'x-forwarded-host': headers['host'], host: `127.0.0.1:${hostPort()}` },
      ...{ 'x-forwarded-proto': 'http', 'x-forwarded-for': '192.0.2.7', 'x-forwarded-prefix': '/agents' },
    });
    this.#server = createServer((asked, answer) => {
      const { method, url, headers } = asked;
      if (url?.startsWith('/agents/') !== true) {
        answer.writeHead(404).end();
        return;
      }
      const port = hostPort();
      const passed = request(
        { port, host: '127.0.0.1', method, path: url, headers: headersOf(headers) },
        (given) => {
          answer.writeHead(given.statusCode ?? 502, given.headers);
          given.pipe(answer);
        },
      );
      passed.on('error', () => answer.destroy());
      asked.pipe(passed);
    });
    this.#server.on('upgrade', (asked, socket: Socket, head) => {
      this.webSocketCount += 1;
      const host = connect(hostPort(), '127.0.0.1', () => {
        const headers = Object.entries(headersOf(asked.headers)).map(
          ([name, value]) => `${name}: ${String(value)}`,
        );
        host.write([`GET ${asked.url} HTTP/1.1`, ...headers, '', ''].join('\r\n'));
        host.write(head);
        host.pipe(socket).pipe(host);
      });
      for (const each of [host, socket]) {
        this.#sockets.add(each);
        each.on('error', () => undefined);
        each.on('close', () => [host, socket].map((end) => end.destroy()));
      }
    });
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://agents.localhost:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

describe.skipIf(!hasChromium)('the page behind a proxy', () => {
  const stage = stageOfFile({ allowedHosts: ['agents.localhost'] }, [
    '--base-path',
    '/agents',
    '--trust-proxy',
  ]);
  const proxy = new Proxy(() => Number(new URL(stage().origin).port));
  let origin = '';
  beforeAll(async () => {
    origin = await proxy.listen();
  });
  afterAll(() => proxy.close());

  test('signs in, sends and answers below its base path, over a WebSocket', async () => {
    const page = await (await stage().context()).newPage();
    stage().allow(origin);
    stage().watch(page);
    await page.goto(`${origin}/agents/?token=${stage().token}`);
    await page.getByText('No session yet').first().waitFor();
    expect(page.url()).toBe(`${origin}/agents/`);
    await page.getByRole('link', { name: 'New session' }).first().click();
    expect(page.url()).toBe(`${origin}/agents/new`);
    await page.getByRole('textbox', { name: 'First message' }).fill('say Through the proxy');
    await page.getByRole('button', { name: 'Start session' }).click();
    await messagesOf(page).getByText('Through the proxy', { exact: true }).waitFor();
    expect(page.url()).toContain(`${origin}/agents/s/`);
    await page.reload();
    await messagesOf(page).getByText('Through the proxy', { exact: true }).waitFor();
    await say(page, 'say Again');
    await messagesOf(page).getByText('Again', { exact: true }).waitFor();
    expect(proxy.webSocketCount).toBeGreaterThanOrEqual(2);
    expect(await fieldOf(page).isVisible()).toBe(true);
  });

  test('the health check is open', async () => {
    const { host, port } = new URL(origin);
    const asked = get({ host: '127.0.0.1', port, path: '/agents/healthz', headers: { host } });
    const [answer] = await once(asked, 'response');
    answer.resume();
    expect(answer.statusCode).toBe(200);
  });
});
