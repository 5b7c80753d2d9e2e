// Previews in a real browser: the page opens a port of a session in a new tab, on an origin that can do nothing with the host.
import { join } from 'node:path';
import type { AhpClient } from '@agenthost/client';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hasChromium } from '../access/chromium.ts';
import { root } from '../source-graph.ts';
import { type PageStage, stageOfFile } from './stage.ts';

const PROGRAM = join(root, 'packages/host/test/preview-program.ts');

/** Starts the program in a terminal of a session, and resolves with its port when the session shows it. */
async function program(stage: PageStage, client: AhpClient, uri: string): Promise<number> {
  const session = await client.sessions.open(uri);
  await client.request('createTerminal', {
    channel: 'ahp-terminal:/program',
    cwd: stage.workUri,
    claim: { kind: 'session', session: uri, chat: session.chat.mirror.uri },
    'x-command': [process.execPath, PROGRAM],
  });
  await expect.poll(() => session.ports.length, { timeout: 20_000 }).toBe(1);
  return session.ports[0]?.port ?? 0;
}

/** Opens the only port of the shown session, as a person does. */
async function openPort(page: Page): Promise<Page> {
  const opened = page.waitForEvent('popup');
  await page.getByRole('button', { name: '1 open port' }).click();
  await page.getByRole('menuitem', { name: /^Open \d+: node preview-program\.ts$/ }).click();
  const tab = await opened;
  await tab.waitForURL(/\.localhost:\d+\/$/);
  return tab;
}

describe.skipIf(!hasChromium)('a preview', () => {
  const stage = stageOfFile();

  test('opens in a new tab, with HTTP and WebSockets, and reaches nothing of the host', async () => {
    const client = await stage().client();
    const { uri, path } = await stage().session(client);
    const port = await program(stage(), client, uri);
    const { url } = await client.sessions.openPreview(uri, port);
    stage().allow(new URL(url).origin);
    const page = await stage().open(path);
    const tab = await openPort(page);
    stage().watch(tab);
    expect(new URL(tab.url()).origin).toBe(new URL(url).origin);
    expect(await tab.evaluate('window.opener === null')).toBe(true);
    // The program shows what it got.
    const got = await tab.evaluate(async () => (await fetch('/api', { method: 'POST', body: 'x' })).text());
    expect(got).toContain(`localhost:${port}`);
    expect(got).not.toContain('agenthost_');
    expect(got).not.toContain('ahs_');
    const echoed = await tab.evaluate(
      () =>
        new Promise<string>((resolve, reject) => {
          const socket = new WebSocket('/hot');
          const messages: string[] = [];
          socket.addEventListener('error', () => reject(new Error('the WebSocket failed')));
          socket.addEventListener('message', ({ data }) => {
            if (messages.push(String(data)) === 2) resolve(messages.join(' '));
            else socket.send('hello');
          });
        }),
    );
    expect(echoed).toBe(`{"origin":"http://localhost:${port}","host":"localhost:${port}"} hello`);
    // Neither cookies nor answers of the host.
    expect(await tab.evaluate('document.cookie')).toBe('');
    stage().allow(stage().origin);
    const read = await tab.evaluate(
      (origin) =>
        Promise.all([
          fetch(`${origin}/`, { credentials: 'include' }).then(
            () => 'read',
            () => 'refused',
          ),
          new Promise((resolve) => {
            const socket = new WebSocket(`${origin.replace('http', 'ws')}/ahp`);
            socket.addEventListener('open', () => resolve('open'));
            socket.addEventListener('error', () => resolve('refused'));
          }),
        ]),
      stage().origin,
    );
    expect(read).toEqual(['refused', 'refused']);
    // The browser reports what it refused.
    stage().faults.splice(0);
  });

  test('a page of another preview, and of the host, cannot read it', async () => {
    const client = await stage().client();
    const { uri, path } = await stage().session(client);
    const session = await client.sessions.open(uri);
    await client.request('createTerminal', {
      channel: 'ahp-terminal:/other',
      cwd: stage().workUri,
      claim: { kind: 'session', session: uri, chat: session.chat.mirror.uri },
      'x-command': [process.execPath, PROGRAM],
    });
    await expect.poll(() => session.ports.length, { timeout: 20_000 }).toBe(1);
    const { origin } = new URL((await session.openPreview(session.ports[0]?.port ?? 0)).url);
    stage().allow(origin);
    const page = await stage().open(path);
    const tab = await openPort(page);
    stage().watch(tab);
    // The same program at the address of a name that no preview has, in the same browser.
    const answer = await tab.goto(origin.replace(/-[a-z2-7]+\./, '-aaaaaaaaaaaaaaaa.'));
    stage().faults.splice(0);
    expect(answer?.status()).toBe(404);
    const read = await tab.evaluate(
      (target) =>
        fetch(`${target}/api`, { credentials: 'include', mode: 'no-cors' }).then(
          () => 'sent',
          () => 'refused',
        ),
      origin,
    );
    expect(read).toBe('refused');
    stage().faults.splice(0);
  });

  test('is not offered to a token that may only look', async () => {
    const client = await stage().client();
    const { uri, path } = await stage().session(client);
    const session = await client.sessions.open(uri);
    await client.request('createTerminal', {
      channel: 'ahp-terminal:/third',
      cwd: stage().workUri,
      claim: { kind: 'session', session: uri, chat: session.chat.mirror.uri },
      'x-command': [process.execPath, PROGRAM],
    });
    await expect.poll(() => session.ports.length, { timeout: 20_000 }).toBe(1);
    const { secret } = await client.tokens.create({ scope: 'observe' });
    const page = await stage().open(path, { token: secret });
    await page.getByRole('button', { name: 'Show 1 terminal' }).first().waitFor();
    expect(await page.getByRole('button', { name: '1 open port' }).count()).toBe(0);
  });
});
