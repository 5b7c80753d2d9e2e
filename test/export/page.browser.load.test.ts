// An exported page with hostile content in a real browser.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ExportPart } from '@agenthost/client';
import type { ResponsePart, Turn } from '@agenthost/protocol';
import { completedTurn, userMessage } from '@agenthost/testkit';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { htmlPage } from '../../packages/cli/src/export/html-page.ts';
import { hasChromium, launchChromium } from '../access/chromium.ts';

let folder = '';
let browser: Browser;
/** Counts requests. The page must make none. */
let elsewhere: Server;
let address = '';
const visits: string[] = [];

beforeAll(async () => {
  if (!hasChromium) return;
  folder = await mkdtemp(join(tmpdir(), 'agenthost-page-'));
  elsewhere = createServer((request, response) => {
    visits.push(request.url ?? '');
    response.end('globalThis.pwned = "by a script of elsewhere"');
  });
  await new Promise<void>((resolve) => void elsewhere.listen(0, '127.0.0.1', resolve));
  const bound = elsewhere.address();
  if (bound === null || typeof bound === 'string') throw new Error('no port');
  address = `http://127.0.0.1:${bound.port}`;
  browser = await launchChromium();
});

afterAll(async () => {
  await browser?.close();
  elsewhere?.close();
  await rm(folder, { recursive: true, force: true });
});

/** Content that runs code, loads a resource, hides text or navigates if it escapes its place in the page. */
const attacks = (): string[] => [
  `<script>globalThis.pwned = 1</script>`,
  `<script src="${address}/script.js"></script>`,
  `<img src="${address}/image.png" onerror="globalThis.pwned = 1">`,
  `<svg onload="globalThis.pwned = 1"><image href="${address}/svg.png"/></svg>`,
  `<iframe src="${address}/frame" srcdoc="<script>parent.pwned = 1</script>"></iframe>`,
  `<link rel="stylesheet" href="${address}/style.css"><style>@import "${address}/import.css"; * { display: none }</style>`,
  `<meta http-equiv="refresh" content="0; url=${address}/refresh"><base href="${address}/">`,
  `<form action="${address}/form"><input autofocus onfocus="globalThis.pwned = 1"></form>`,
  `<object data="${address}/object"></object><embed src="${address}/embed">`,
  `<video src="${address}/video" poster="${address}/poster"></video><audio src="${address}/audio"></audio>`,
  `<link rel="dns-prefetch" href="//127.0.0.1"><link rel="prefetch" href="${address}/prefetch">`,
  `</title></head><body><!--`,
  `</pre></code></figure></details></section></main><div hidden><template><textarea><plaintext>`,
  `<div style="position:fixed;inset:0;background:url(${address}/style)">`,
  `![picture](${address}/markdown.png) ![x](data:image/svg+xml,<svg/onload=globalThis.pwned=1>)`,
  `[click](javascript:globalThis.pwned=1) [me](data:text/html,<script>pwned=1</script>)`,
  `[a](${address}/x"onmouseover="globalThis.pwned=1)`,
  `[1]: ${address}/definition 'title'`,
  '```"><script>globalThis.pwned = 1</script>\n</code></pre><script>globalThis.pwned = 1</script>\n```',
  `\u202e\u2066 turned around \u0000\u001b]8;;${address}/link\u0007`,
];

const call = (text: string): ResponsePart => ({
  kind: 'toolCall',
  toolCall: {
    toolCallId: text,
    toolName: text,
    displayName: text,
    status: 'completed',
    invocationMessage: text,
    confirmed: 'setting',
    success: true,
    pastTenseMessage: text,
    toolInput: text,
    content: [
      { type: 'text', text: `${text} END` },
      { type: 'embeddedResource', data: 'PHN2Zy8+', contentType: `image/svg+xml` },
      { type: 'embeddedResource', data: `AAAA"onerror="globalThis.pwned=1`, contentType: 'image/png' },
      { type: 'embeddedResource', data: 'AAAA', contentType: `image/png"onerror="globalThis.pwned=1` },
    ],
  },
});

const turnOf = (text: string, index: number): Turn => ({
  ...completedTurn(`t${index}`),
  message: {
    ...userMessage(`ASKED-${index} ${text}`),
    attachments: [
      { type: 'embeddedResource', label: text, data: 'AAAA', contentType: 'image/png' },
      { type: 'resource', label: text, uri: `${address}/attached` },
    ],
  },
  responseParts: [
    { kind: 'markdown', id: 'm', content: `ANSWER-${index}\n\n${text}` },
    { kind: 'reasoning', id: 'r', content: `${text}\n\nREASON-${index}` },
    call(text),
    { kind: 'markdown', id: 'e', content: `END-${index}` },
  ],
});

async function* parts(turns: readonly Turn[]): AsyncGenerator<ExportPart> {
  const at = '2026-01-01T00:00:00.000Z';
  const title = attacks().join(' ');
  const session = {
    resource: 'ahp-session:/s',
    provider: title,
    title,
    status: 1,
    lifecycle: 'ready' as const,
  };
  yield {
    type: 'session',
    head: { format: 'agenthost-session', version: 1, exportedAt: at, host: title, session },
  };
  yield { type: 'chat', chat: { resource: 'ahp-chat:/c', title, status: 1, modifiedAt: at } };
  for (const turn of turns) yield { type: 'turn', turn: { turn } };
}

async function written(turns: readonly Turn[]): Promise<string> {
  let html = '';
  for await (const piece of htmlPage(parts(turns))) html += piece;
  return html;
}

/** Opens the page from a file. `requested` lists its requests for other URLs. */
async function opened(html: string): Promise<{ page: Page; requested: string[] }> {
  const file = join(folder, `${crypto.randomUUID()}.html`);
  await writeFile(file, html);
  const page = await browser.newPage();
  const requested: string[] = [];
  const own = pathToFileURL(file).href;
  page.on('request', (request) => {
    if (request.url() !== own && !request.url().startsWith('data:image/png')) requested.push(request.url());
  });
  page.on('dialog', (dialog) => void dialog.dismiss());
  await page.goto(own, { waitUntil: 'networkidle' });
  return { page, requested };
}

describe.skipIf(!hasChromium)('an exported page of HTML', () => {
  test('runs no script, makes no request and shows every turn, whatever its text', async () => {
    visits.length = 0;
    const turns = attacks().map(turnOf);
    const { page, requested } = await opened(await written(turns));
    const url = page.url();
    expect(await page.evaluate('globalThis.pwned')).toBeUndefined();
    const found = await page.evaluate(`({
      headings: [...document.querySelectorAll('main > h3')].map((each) => each.innerText),
      foreign: [...document.body.querySelectorAll('script, style, iframe, object, embed, form, input, svg, link, meta, base, template, video, audio')].length,
      pictures: [...document.images].filter((each) => !each.src.startsWith('data:image/png;base64,')).length,
      handlers: [...document.querySelectorAll('*')].flatMap((each) => each.getAttributeNames()).filter((name) => name.startsWith('on') || name === 'style').length,
    })`);
    expect(found).toEqual({
      headings: turns.map((_, index) => `Turn ${index + 1}`),
      foreign: 0,
      pictures: 0,
      handlers: 0,
    });
    await page.evaluate(`document.querySelectorAll('details').forEach((each) => { each.open = true; })`);
    // Nothing covers the text, and it has a size.
    const text = await page.locator('main').innerText();
    for (const [index] of turns.entries()) {
      for (const mark of ['ASKED', 'ANSWER', 'REASON', 'END']) {
        expect(text).toContain(`${mark}-${index}`);
        const isSeen = `(() => {
          const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
          for (let node = walker.nextNode(); node; node = walker.nextNode()) {
            if (!node.data.includes('${mark}-${index}')) continue;
            node.parentElement.scrollIntoView();
            const range = document.createRange();
            const at = node.data.indexOf('${mark}-${index}');
            range.setStart(node, at);
            range.setEnd(node, at + 3);
            const { x, y, width, height } = range.getBoundingClientRect();
            const top = document.elementFromPoint(x + width / 2, y + height / 2);
            return top !== null && (top === node.parentElement || node.parentElement.contains(top));
          }
          return false;
        })()`;
        expect(await page.evaluate(isSeen), `${mark}-${index}`).toBe(true);
      }
    }
    for (const link of await page.locator('main a').all()) await link.hover();
    expect(await page.evaluate('globalThis.pwned')).toBeUndefined();
    expect(page.url()).toBe(url);
    expect(requested).toEqual([]);
    expect(visits).toEqual([]);
    await page.close();
  }, 60_000);

  test('runs no script and makes no request even if hostile markup gets past its escaping', async () => {
    visits.length = 0;
    const html = await written([turnOf('harmless', 0)]);
    const holes = attacks()
      .filter((attack) => !attack.includes('http-equiv="refresh"'))
      .slice(0, 10);
    const { page } = await opened(html.replace('</main>', () => `${holes.join('\n')}</main>`));
    // The elements exist; the page's policy blocks them.
    expect(await page.locator('script').count()).toBeGreaterThan(0);
    expect(await page.evaluate('globalThis.pwned')).toBeUndefined();
    expect(visits).toEqual([]);
    expect(await page.locator('main h3').isVisible()).toBe(true);
    await page.close();
  }, 60_000);
});
