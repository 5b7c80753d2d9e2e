// The end of a browser's sign-in: its connections end, and it keeps nothing of its hosts.
import { ROOT_URI } from '@agenthost/protocol';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hasChromium } from '../access/chromium.ts';
import { fieldOf, messagesOf } from './acts.ts';
import { stageOfFile, WITH_WORKER } from './stage.ts';

/** Everything that the page keeps in this browser, as text. */
const keptBy = (page: Page): Promise<string> =>
  page.evaluate(`(async () => {
    // To open a database that is missing would create it.
    if (!(await indexedDB.databases()).some(({ name }) => name === 'agenthost.states')) return '';
    const request = indexedDB.open('agenthost.states');
    await new Promise((resolve) => request.addEventListener('success', resolve));
    const database = request.result;
    const states = await Promise.all(Array.from(database.objectStoreNames, (name) => {
      const all = database.transaction(name).objectStore(name).getAll();
      return new Promise((resolve) => all.addEventListener('success', () => resolve(all.result)));
    }));
    database.close();
    return JSON.stringify([{ ...localStorage }, { ...sessionStorage }, states]);
  })()`);

/** Makes the page believe that it is hidden: it then saves the states that it shows. */
const hide = (page: Page): Promise<unknown> =>
  page.evaluate(`
    Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  `);

/** The title of the session, the draft, and the token of the other host. */
const SECRETS = ['Private matter', 'A draft of mine', 'aht_secret'];

describe.skipIf(!hasChromium)('the end of a sign-in', () => {
  const stage = stageOfFile();

  test('a sign-out shows the sign-in page in all windows, and leaves no session, draft, host or token', async () => {
    const client = await stage().client();
    const config = { pageHosts: ['http://127.0.0.1:9'] };
    stage().allow('http://127.0.0.1:9');
    await client.dispatch(ROOT_URI, { type: 'root/configChanged', config });
    const { path } = await stage().session(client, 'title Private matter; say Hello');
    const context = await stage().context(WITH_WORKER);
    const page = await stage().open(path, { context });
    await messagesOf(page).getByText('Hello', { exact: true }).waitFor();
    await page.evaluate(`localStorage.setItem('agenthost.hosts', ${JSON.stringify(OTHER_HOSTS)})`);
    await page.reload();
    await messagesOf(page).getByText('Hello', { exact: true }).waitFor();
    await fieldOf(page).fill('A draft of mine');
    for (const text of SECRETS)
      await expect.poll(() => hide(page).then(() => keptBy(page)), { timeout: 30_000 }).toContain(text);
    await page.goto(`${stage().origin}/settings/host`);
    const other = await stage().open(path, { context });
    await messagesOf(other).getByText('Hello', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click();
    for (const each of [page, other]) {
      await each.getByLabel('Access token').waitFor();
      // Both the click and the closed connection lead there: the second one ends the loading of the first.
      await expect.poll(() => each.url()).toBe(`${stage().origin}/`);
    }
    const after = await keptBy(page);
    for (const text of SECRETS) expect(after).not.toContain(text);
  });

  test('the host closes the connection of a window whose sign-in ends, and the window goes on after the next sign-in', async () => {
    const { path } = await stage().session(await stage().client(), 'say Hello');
    const context = await stage().context(WITH_WORKER);
    const page = await stage().open(path, { context });
    await messagesOf(page).getByText('Hello', { exact: true }).waitFor();
    await page.evaluate(`fetch('/logout', { method: 'POST' })`);
    await page.getByLabel('Access token').waitFor();
    await page.getByLabel('Access token').fill(stage().token);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await messagesOf(page).getByText('Hello', { exact: true }).waitFor();
    // Another window signs in with another token, which ends the sign-in of the first one.
    const { secret } = await (await stage().client()).tokens.create({ scope: 'observe' });
    await fieldOf(page).waitFor();
    await page.evaluate(
      `fetch('/sign-in', { method: 'POST', body: new URLSearchParams({ token: '${secret}' }) })`,
    );
    await fieldOf(page).waitFor({ state: 'detached' });
    await messagesOf(page).getByText('Hello', { exact: true }).waitFor();
  });
});

/** The stored list of a browser that knows another host, which does not answer. */
const OTHER_HOSTS = JSON.stringify([
  { id: 'b2', url: 'http://127.0.0.1:9/', name: 'Builder', token: 'aht_secret' },
]);
