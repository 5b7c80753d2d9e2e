// A host of its own and a browser for the tests of the page.
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AhpClient, connect } from '@agenthost/client';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { hasChromium, launchChromium } from '../access/chromium.ts';
import { type HostAddress, HostProcess } from '../agents/host-process.ts';
import { removeFolder } from '../remove-folder.ts';
import { root } from '../source-graph.ts';

/** Pictures of failed and finished stages. */
const pictures = join(root, '.cache/page');

/** Longest wait for an element, in milliseconds. */
const PATIENCE_MS = 20_000;

/** A phone with a touch screen. */
export const PHONE: BrowserContextOptions = {
  viewport: { width: 360, height: 740 },
  deviceScaleFactor: 2,
  hasTouch: true,
  isMobile: true,
  locale: 'en-US',
};

/** A laptop. */
export const LAPTOP: BrowserContextOptions = { viewport: { width: 1280, height: 800 }, locale: 'en-US' };

/** A laptop with the page's service worker, which stores all files of the page. */
export const WITH_WORKER: BrowserContextOptions = { ...LAPTOP, serviceWorkers: 'allow' };

/** Messages of the browser's console that are expected: a host that is away cannot be reached, and browsers of tests have no push service. */
const EXPECTED_MESSAGES =
  /WebSocket connection to|net::ERR_|Failed to load resource|error occurred when fetching the script|Push API in incognito mode/;

/**
 * Gives the tests of a file a stage: it starts before the first test and ends after the last. After each test its windows are
 * closed; the test fails when a page reported an error or sent a request to another address. Pictures of the windows of a
 * failed test are in `.cache/page`. `config`: the host's config file, or a function that makes it, `more`: further arguments of the host.
 */
export function stageOfFile(
  config: object | (() => Promise<object>) = {},
  more: readonly string[] = [],
): () => PageStage {
  let stage: PageStage | undefined;
  beforeAll(async () => {
    if (hasChromium)
      stage = await PageStage.start(typeof config === 'function' ? await config() : config, more);
  });
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') await stage?.tellFailure(task.name);
    await stage?.closeWindows();
    // A failed test may have left the host killed.
    if (stage?.host.isStarted === false) await stage.restart();
    stage?.expectNoFaults();
  });
  afterAll(() => stage?.dispose());
  return () => {
    if (stage === undefined) throw new Error('the stage is used before it is ready');
    return stage;
  };
}

/** A folder, a host and a browser, all ended by `dispose`. */
export class PageStage {
  readonly folder: string;
  readonly host: HostProcess;
  readonly browser: Browser;
  /** Errors and violations of the content security policy that pages reported. */
  readonly faults: string[] = [];
  #address: HostAddress;
  readonly #allowed = new Set<string>();
  readonly #clients: AhpClient[] = [];
  readonly #contexts: BrowserContext[] = [];

  private constructor(folder: string, host: HostProcess, browser: Browser, address: HostAddress) {
    this.folder = folder;
    this.host = host;
    this.browser = browser;
    this.#address = address;
  }

  /** Starts host and browser. `config`: the host's config file. */
  static async start(config: unknown = {}, more: readonly string[] = []): Promise<PageStage> {
    if (!existsSync(join(root, 'packages/web/dist/page/index.html')))
      throw new Error('the page is not built: run npm run build');
    const folder = await mkdtemp(join(tmpdir(), 'agenthost-page-'));
    await mkdir(join(folder, 'work'));
    await mkdir(pictures, { recursive: true });
    const host = new HostProcess(folder, config, more);
    const address = await host.start();
    return new PageStage(folder, host, await launchChromium(), address);
  }

  get token(): string {
    return this.#address.token;
  }

  /** `http://127.0.0.1:<port>`. */
  get origin(): string {
    return new URL(this.#address.wsUrl).origin.replace('ws', 'http');
  }

  /** Folder that sessions work in, as a `file:` URI. */
  get workUri(): string {
    return `file://${join(this.folder, 'work')}`;
  }

  /** Starts the host again, on its port. */
  async restart(): Promise<void> {
    this.#address = await this.host.start();
  }

  /** A browser with cookies and storage of its own. The service worker is blocked by default: it takes as much time as a load of the page. */
  async context(options: BrowserContextOptions = LAPTOP): Promise<BrowserContext> {
    const context = await this.browser.newContext({ serviceWorkers: 'block', ...options });
    context.setDefaultTimeout(PATIENCE_MS);
    this.#contexts.push(context);
    return context;
  }

  /** A window that is signed in with a token (the owner's by default) and shows `path`. */
  async open(
    path = '/',
    { context, token = this.token }: { context?: BrowserContext; token?: string } = {},
  ): Promise<Page> {
    const page = await (context ?? (await this.context())).newPage();
    this.watch(page);
    // The host signs the browser in and redirects to the path.
    await page.goto(`${this.origin}${path}${path.includes('?') ? '&' : '?'}token=${token}`);
    return page;
  }

  /** Lets pages send requests to another origin. */
  allow(origin: string): void {
    this.#allowed.add(origin);
  }

  /** Records the faults of a page, and its requests to other addresses. */
  watch(page: Page): void {
    page.on('request', (request) => {
      const url = request.url();
      if (/^(data|blob):/.test(url)) return;
      const { origin } = new URL(url);
      if (origin !== this.origin && !this.#allowed.has(origin)) this.faults.push(`request to ${url}`);
    });
    page.on('pageerror', (error) => this.faults.push(error.stack ?? String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error' && !EXPECTED_MESSAGES.test(message.text()))
        this.faults.push(message.text());
    });
  }

  /** A client of the host beside the pages, such as a command line; with the token of the owner by default. */
  async client(title = 'Command line', token = this.token): Promise<AhpClient> {
    const client = await connect(this.#address.wsUrl, {
      token,
      clientInfo: { name: 'test', title, version: '1' },
    });
    this.#clients.push(client);
    return client;
  }

  /** Creates a session of the demo agent. Returns its path in the page. */
  async session(client: AhpClient, prompt?: string): Promise<{ uri: string; path: string }> {
    const session = await client.sessions.create({ provider: 'demo', workingDirectories: [this.workUri] });
    if (prompt !== undefined) session.prompt(prompt).result.catch(() => undefined);
    return { uri: session.uri, path: sessionPath(session.uri) };
  }

  /** Writes a picture into `.cache/page`. */
  async picture(page: Page, name: string): Promise<void> {
    await page.screenshot({ path: join(pictures, `${name}.png`) });
  }

  /** Writes a picture of each window, and what a screen reader gets from it, into `.cache/page`. */
  async tellFailure(title: string): Promise<void> {
    const pages = this.#contexts.flatMap((context) => context.pages());
    for (const [index, page] of pages.entries()) {
      const name = `${title.replaceAll(/[^\w]+/g, '-').slice(0, 60)}-${index + 1}`;
      await this.picture(page, name);
      await writeFile(join(pictures, `${name}.txt`), await page.locator('body').ariaSnapshot());
    }
  }

  /** Closes all windows and forgets their cookies and storage. */
  async closeWindows(): Promise<void> {
    for (const context of this.#contexts.splice(0)) await context.close();
  }

  /** Fails when a page reported an error or broke the content security policy. */
  expectNoFaults(): void {
    expect(this.faults.splice(0)).toEqual([]);
  }

  async dispose(): Promise<void> {
    for (const client of this.#clients) client.close();
    await this.closeWindows();
    await this.browser.close();
    await this.host.stop();
    await removeFolder(this.folder);
  }
}

/** The address of a session in the page. */
export const sessionPath = (uri: string): string => `/s/${encodeURIComponent(uri)}`;
