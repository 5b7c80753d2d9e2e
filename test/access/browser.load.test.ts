// Attacks of foreign pages on a host, in a real browser that is signed in to it.
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { jsonLines, Machine, type ServeLine } from '../../packages/cli/test/cli-process.ts';
import { hasChromium, launchChromium } from './chromium.ts';
import { attackScript, linkScript, openScript, postScript } from './page-scripts.ts';

const machine = new Machine();
let host: ServeLine;
let hostPort: string;
let browser: Browser;
let context: BrowserContext;
/** Serves an empty page under every name, and redirects to the target of `?to=`. */
let pages: Server;
let pagesPort: number;

async function listen(): Promise<[Server, number]> {
  const server = createServer((request, response) => {
    const to = new URLSearchParams(request.url?.split('?')[1]).get('to');
    if (to === null)
      response
        .setHeader('content-type', 'text/html')
        .end('<!doctype html><title>elsewhere</title><body></body>');
    else response.writeHead(302, { location: to }).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return [server, address.port];
}

beforeAll(async () => {
  if (!hasChromium) return;
  [pages, pagesPort] = await listen();
  const config = join(machine.home, 'agenthost.json');
  writeFileSync(config, JSON.stringify({ allowedOrigins: [`http://localhost:${pagesPort}`] }));
  ({ line: host } = await machine.serve('--config', config));
  hostPort = new URL(host.url).port;
  browser = await launchChromium('--host-resolver-rules=MAP *.example 127.0.0.1');
  context = await browser.newContext();
  // Signs in under both names of the host.
  for (const name of ['127.0.0.1', 'localhost']) {
    const page = await context.newPage();
    await page.goto(`http://${name}:${hostPort}/?token=${host.token}`);
    await page.close();
  }
});

afterAll(async () => {
  await browser?.close();
  pages?.close();
  pages?.closeAllConnections();
  await machine.dispose();
});

async function open(url: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(url);
  return page;
}

const attack = (page: Page, authority: string, path = '/'): Promise<Record<string, string>> =>
  page.evaluate(attackScript(authority, path));

const NOTHING = {
  socket: 'refused',
  'socket at /': 'refused',
  'socket with a guess': 'refused',
  'page by fetch': 'blocked',
  'page without cors': 'blocked',
  'state by fetch': 'blocked',
  'state without cors': 'blocked',
  'post without cors': 'blocked',
  image: 'blocked',
  script: 'blocked',
  style: 'blocked',
  frame: 'not readable',
};

describe.skipIf(!hasChromium)('a signed-in browser', () => {
  test('[AUTH-1] shows the page of the host with its style, and the page learns its address', async () => {
    const page = await open(`http://127.0.0.1:${hostPort}/`);
    await page.locator('#root > *').first().waitFor();
    expect(await page.title()).toContain('agenthost');
    expect(await page.evaluate('[...document.styleSheets].some((sheet) => sheet.cssRules.length > 0)')).toBe(
      true,
    );
    // No script can read the cookie, not even one of the host.
    expect(await page.evaluate('document.cookie')).toBe('');
    expect(page.url()).not.toContain(host.token);
    await page.close();
  });

  test('[AUTH-1] stays signed in for 90 days, until it signs out', async () => {
    const own = await browser.newContext();
    const page = await own.newPage();
    await page.goto(`http://127.0.0.1:${hostPort}/?token=${host.token}`);
    const [cookie] = await own.cookies();
    expect((cookie?.expires ?? 0) * 1_000).toBeGreaterThan(Date.now() + 89 * 86_400_000);
    // The worker of the page loads the page for its cache, and the answer renews the cookie.
    await page.evaluate('navigator.serviceWorker.ready.then(() => undefined)');
    const stateOf = (): Promise<unknown> =>
      page.evaluate('fetch("/sign-in/state").then((answer) => answer.json())');
    expect(await stateOf()).toMatchObject({ signedIn: true, scope: 'admin' });
    const signOut =
      'fetch("/logout", { method: "POST", headers: { accept: "application/json" } }).then((answer) => answer.status)';
    expect(await page.evaluate(signOut)).toBe(200);
    expect(await own.cookies()).toEqual([]);
    expect(await stateOf()).toMatchObject({ signedIn: false });
    await own.close();
  });

  test.each(['127.0.0.1', 'localhost', 'evil.example'])(
    '[AUTH-1] a page of %s cannot change its token by itself, but a person who follows a link there can',
    async (name) => {
      const own = await browser.newContext();
      const page = await own.newPage();
      const target = `http://127.0.0.1:${hostPort}/?token=${host.token}`;
      await page.goto(`http://${name}:${pagesPort}/`);
      // As a chat or a mail in a browser shows the link. A script's click counts like a person's.
      await page.evaluate(linkScript(target));
      await page.getByRole('button', { name: 'Sign in' }).waitFor();
      expect(await own.cookies()).toEqual([]);
      expect(page.url()).not.toContain(host.token);
      expect(await page.evaluate('history.length')).toBe(3);
      // Frames and images of a page do not even ask.
      const other = await own.newPage();
      await other.goto(`http://${name}:${pagesPort}/`);
      await attack(other, `127.0.0.1:${hostPort}`, `/?token=${host.token}`);
      await other.evaluate(postScript(page.url()));
      await other.waitForURL(page.url());
      expect(await own.cookies()).toEqual([]);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.locator('#root > *').first().waitFor();
      expect(await own.cookies()).toHaveLength(1);
      expect(page.url()).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:${hostPort}/(?!sign-in)`));
      await own.close();
    },
  );

  test('[AUTH-1] a redirect to a link with another token does not change its token unasked', async () => {
    const made = await machine.run(['token', 'create', '--json']);
    const [{ secret } = {}] = jsonLines(made.out);
    const own = await browser.newContext();
    const page = await own.newPage();
    await page.goto(`http://127.0.0.1:${hostPort}/?token=${host.token}`);
    // The page extends the lifetime of its cookie when it loads.
    const secrets = async () => (await own.cookies()).map(({ name, value }) => [name, value]);
    const before = await secrets();
    const target = encodeURIComponent(`http://127.0.0.1:${hostPort}/?token=${String(secret)}`);
    await page.goto(`http://evil.example:${pagesPort}/?to=${target}`);
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(await page.locator('body').innerText()).toContain('signed in with another token');
    expect(await secrets()).toEqual(before);
    await own.close();
  });

  test('[AUTH-1] lets a page of a listed origin speak the protocol with the cookie', async () => {
    const page = await open(`http://localhost:${pagesPort}/`);
    const got = await attack(page, `localhost:${hostPort}`);
    expect(got['socket']).toBe('open');
    expect(got['socket at /']).toBe('open');
    // The page still does not count as a page of the host.
    expect(got['page by fetch']).toBe('blocked');
    await page.close();
  });

  test.each(['127.0.0.1', 'evil.example'])(
    '[AUTH-1] a page on another port of %s reaches nothing, cookie or not',
    async (name) => {
      const page = await open(`http://${name}:${pagesPort}/`);
      expect(await attack(page, `127.0.0.1:${hostPort}`)).toEqual(NOTHING);
      expect(await attack(page, `localhost:${hostPort}`)).toEqual(NOTHING);
      await page.close();
      const stranger = await browser.newContext();
      const other = await stranger.newPage();
      await other.goto(`http://${name}:${pagesPort}/`);
      expect(await attack(other, `127.0.0.1:${hostPort}`)).toEqual(NOTHING);
      await stranger.close();
    },
  );

  test('[AUTH-1] a form of a foreign page is refused, and the page cannot reach a window that it opens', async () => {
    const page = await open(`http://evil.example:${pagesPort}/`);
    const answered = page.waitForResponse((response) => response.url().includes(`:${hostPort}/`));
    await page.evaluate(postScript(`http://127.0.0.1:${hostPort}/`));
    expect((await answered).status()).toBe(403);
    await page.close();
    const opener = await open(`http://evil.example:${pagesPort}/`);
    const opened = context.waitForEvent('page');
    await opener.evaluate(openScript(`http://127.0.0.1:${hostPort}/`));
    const popup = await opened;
    await popup.locator('#root > *').first().waitFor();
    expect(await popup.evaluate('window.opener')).toBe(null);
    await popup.close();
    await opener.close();
  });

  test('[AUTH-1] a name that resolves to this machine later (DNS rebinding) is refused', async () => {
    // As if the page had come from the attacker's server before the name changed: scripts run under that name, without a policy of the
    // host.
    const rebound = await browser.newContext({ bypassCSP: true });
    const page = await rebound.newPage();
    const answer = await page.goto(`http://evil.example:${hostPort}/?token=${host.token}`);
    expect(answer?.status()).toBe(403);
    expect(await rebound.cookies()).toEqual([]);
    const refused =
      'basic 403 this address is not allowed: to allow it, add it to the allowedHosts of the host\n';
    expect(await attack(page, `evil.example:${hostPort}`)).toMatchObject({
      socket: 'refused',
      'socket at /': 'refused',
      'page by fetch': refused,
      'state by fetch': refused,
      'post without cors': refused,
      script: 'blocked',
      frame: 'not readable',
    });
    await rebound.close();
  });

  test('keeps the cookie of the host out of reach of scripts and of other sites', async () => {
    const cookies = await context.cookies(`http://127.0.0.1:${hostPort}/`);
    expect(cookies).toHaveLength(1);
    expect(cookies[0]).toMatchObject({ httpOnly: true, sameSite: 'Strict' });
  });
});
