// The first visit: signing in, and the pages that say what to do when it fails.
import { describe, expect, test } from 'vitest';
import { hasChromium } from '../access/chromium.ts';
import { stageOfFile, WITH_WORKER } from './stage.ts';

describe.skipIf(!hasChromium)('the first visit', () => {
  const stage = stageOfFile();

  test('the link with a token signs the browser in and removes the token from the address', async () => {
    const page = await stage().open('/', { context: await stage().context(WITH_WORKER) });
    await page.getByRole('link', { name: 'Terminals' }).first().waitFor();
    expect(page.url()).toBe(`${stage().origin}/`);
    expect(await page.evaluate('document.documentElement.outerHTML')).not.toContain(stage().token);
  });

  test('without a token the page asks for one, says where it is, and shows why a wrong one fails', async () => {
    const page = await (await stage().context(WITH_WORKER)).newPage();
    stage().watch(page);
    await page.goto(stage().origin);
    const field = page.getByLabel('Access token');
    await field.waitFor();
    await page.getByText('data/owner-token').waitFor();
    await field.fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').filter({ hasText: 'refused the token' }).waitFor();
    await field.fill(stage().token);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('link', { name: 'Terminals' }).first().waitFor();
  });

  test('a browser stays signed in after the host was killed and started again', async () => {
    const page = await stage().open('/', { context: await stage().context(WITH_WORKER) });
    await page.getByRole('link', { name: 'Terminals' }).first().waitFor();
    // Parts of the page that still load would fail.
    await page.waitForLoadState('networkidle');
    await stage().host.kill();
    await page.getByText('does not answer').waitFor();
    await stage().restart();
    await page.getByText('does not answer').waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('link', { name: 'Terminals' }).first().waitFor();
  });
});
