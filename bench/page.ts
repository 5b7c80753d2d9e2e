import { pageFolder } from '@agenthost/web';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { launchChromium } from '../test/access/chromium.ts';
import { type Measured, median, quantile } from './bar.ts';
import { filterMs, firstPageMs, takeLoop, watchFirstPage, watchLoop } from './page-scripts.ts';
import { BenchProcess, withFolder } from './process.ts';
import { plainSessions, storeSessions } from './stored-sessions.ts';

const chatOf = (name: string, turnCount: number) => ({
  session: `ahp-session:/${name}`,
  chat: `ahp-chat:/${name}`,
  turnCount,
});
const LONG = chatOf('long', 2_000);
const LONGER = chatOf('longer', 10_000);
const SHORT = chatOf('short', 20);
const SESSIONS = 2_000;
const LOADS = 7;

/** Deltas of the measured turn, at 200 a second. */
const DELTAS = 20_000;
const DELTA_INTERVAL_MS = 5;
/** Characters typed while the answer streams. */
const TYPED = 'the quick brown fox jumps over the lazy dog '.repeat(4).trim();
const KEY_INTERVAL_MS = 100;

interface Site {
  readonly browser: Browser;
  readonly url: string;
  readonly token: string;
}

/** The page in Chromium: streaming into a long chat, opening one, and filtering the board. Baselines: an idle page, and a chat of 20 turns. */
export async function page(): Promise<Measured[]> {
  return [
    ...(await withSite([LONG, LONGER, SHORT], chats)),
    ...(await withSite(plainSessions(SESSIONS), board)),
  ];
}

async function withSite(
  stored: Parameters<typeof storeSessions>[1],
  work: (site: Site) => Promise<Measured[]>,
): Promise<Measured[]> {
  return withFolder(async (folder) => {
    await storeSessions(folder, stored);
    const host = new BenchProcess('./page-host.ts');
    const browser = await launchChromium('--enable-precise-memory-info', '--js-flags=--expose-gc');
    try {
      const address = await host.ask<{ url: string; token: string }>({ folder, page: pageFolder });
      return await work({ browser, ...address });
    } finally {
      await browser.close();
      await host.end();
    }
  });
}

async function chats(site: Site): Promise<Measured[]> {
  const times = new Map([LONG, LONGER, SHORT].map((chat) => [chat, [] as number[]]));
  for (let load = 0; load <= LOADS; load += 1)
    for (const [chat, list] of times) {
      const ms = await openChat(site, chat);
      // The first load compiles the page.
      if (load > 0) list.push(ms);
    }
  const [long = 0, longer = 0, short = 0] = Array.from(times.values(), median);
  const text = (ms: number): string => `${ms.toFixed(0)} ms`;
  return [
    ...(await streaming(site)),
    {
      name: `last page of ${LONG.turnCount} turns after the socket opened (baseline: ${SHORT.turnCount} turns)`,
      figure: text(long),
      baseline: text(short),
      ratio: long,
      bar: { atMost: 300 },
    },
    {
      name: `the same with ${LONGER.turnCount} turns (baseline: ${LONG.turnCount} turns)`,
      figure: text(longer),
      baseline: text(long),
      ratio: longer / long,
      bar: { atMost: 1.2 },
    },
  ];
}

async function signedIn({ browser, url, token }: Site): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-US' });
  const opened = await context.newPage();
  await opened.goto(`${url}/?token=${token}`);
  await opened.getByRole('link', { name: 'Terminals' }).first().waitFor();
  return opened;
}

const addressOf = ({ url }: Site, { session }: { session: string }): string =>
  `${url}/s/${encodeURIComponent(session)}`;

async function openChat(site: Site, chat: typeof LONG): Promise<number> {
  const opened = await signedIn(site);
  await opened.addInitScript(watchFirstPage(`Answer ${chat.turnCount - 1}.`));
  await opened.goto(addressOf(site, chat));
  let ms: number | undefined;
  // The content security policy of the page refuses `waitForFunction`.
  while (ms === undefined) {
    await opened.waitForTimeout(50);
    ms = await opened.evaluate<number | undefined>(firstPageMs);
  }
  await opened.context().close();
  return ms;
}

async function streaming(site: Site): Promise<Measured[]> {
  const opened = await signedIn(site);
  await opened.goto(addressOf(site, LONG));
  const field = opened.getByRole('textbox', { name: 'Message', exact: true });
  await field.waitFor();
  await opened.evaluate(watchLoop);
  await opened.waitForTimeout(5_000);
  const idle = await opened.evaluate<Loop>(takeLoop);
  const cdp = await opened.context().newCDPSession(opened);

  await field.fill(`stream ${DELTAS} every ${DELTA_INTERVAL_MS}`);
  await field.press('Enter');
  await opened.getByRole('button', { name: 'Stop' }).waitFor();
  const before = await heapMb(cdp);
  await field.pressSequentially(TYPED, { delay: KEY_INTERVAL_MS });
  const typed = await field.inputValue();
  if (typed !== TYPED) throw new Error(`${TYPED.length} keys were pressed, the field has: ${typed}`);
  await opened.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached', timeout: 600_000 });
  const busy = await opened.evaluate<Loop>(takeLoop);
  const after = await heapMb(cdp);
  await opened.context().close();
  const p95 = ({ waits }: Loop): number => quantile(waits, 0.95);
  const longest = Math.max(0, ...busy.tasks);
  return [
    {
      name: `wait for the main thread at 200 deltas a second, p95 (baseline: idle page; ${busy.tasks.length} long tasks, the longest ${longest.toFixed(0)} ms)`,
      figure: `${p95(busy).toFixed(1)} ms`,
      baseline: `${p95(idle).toFixed(1)} ms`,
      ratio: p95(busy),
      bar: { atMost: 50 },
    },
    {
      name: `long tasks among them, p95 of their length (baseline: idle page)`,
      figure: `${(quantile(busy.tasks, 0.95) || 0).toFixed(0)} ms`,
      baseline: `${(quantile(idle.tasks, 0.95) || 0).toFixed(0)} ms`,
      ratio: quantile(busy.tasks, 0.95) || 0,
      bar: { atMost: 50 },
    },
    {
      name: `growth of the page's heap over ${DELTAS} deltas (baseline: the heap before)`,
      figure: `${(after - before).toFixed(1)} MB`,
      baseline: `${before.toFixed(1)} MB`,
      ratio: after - before,
      bar: { atMost: 30 },
    },
  ];
}

interface Loop {
  readonly waits: readonly number[];
  readonly tasks: readonly number[];
}

async function heapMb(cdp: CDPSession): Promise<number> {
  await cdp.send('HeapProfiler.collectGarbage');
  return (await cdp.send('Runtime.getHeapUsage')).usedSize / 1e6;
}

async function board(site: Site): Promise<Measured[]> {
  const opened = await signedIn(site);
  const field = opened.getByRole('complementary').getByLabel('Search sessions');
  await field.waitFor();
  await opened.getByText(`${SESSIONS}`).first().waitFor();
  const times: number[] = [];
  for (let round = 0; round < LOADS; round += 1) {
    times.push(await opened.evaluate<number>(filterMs('Search sessions', 'nothing has this name', 'Bread')));
    await field.fill('');
    await opened.getByRole('complementary').getByText('Bread').first().waitFor();
  }
  await opened.context().close();
  const frame = 1_000 / 60;
  return [
    {
      name: `filter a board of ${SESSIONS} sessions, to the next frame (baseline: one frame)`,
      figure: `${median(times).toFixed(0)} ms`,
      baseline: `${frame.toFixed(0)} ms`,
      ratio: median(times),
      bar: { atMost: 50 },
    },
  ];
}
