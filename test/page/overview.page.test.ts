import { describe, expect, test } from 'vitest';
import { hasChromium } from '../access/chromium.ts';
import { PHONE, stageOfFile } from './stage.ts';

describe.skipIf(!hasChromium)('the overview', () => {
  const stage = stageOfFile();

  test('a change is reviewed and allowed there, and keys work in the focused card only', async () => {
    const client = await stage().client();
    await stage().session(client, 'title First; write first.txt Rye');
    const page = await stage().open();
    const card = page.getByRole('main').getByRole('article', { name: 'First' });
    const panel = card.getByRole('region', { name: 'Write first.txt?' });
    await panel.getByText('Rye').waitFor();
    await page.getByRole('heading', { name: 'Overview' }).click();
    // Longer than the moment in which new buttons take no clicks.
    await panel
      .getByRole('button', { name: 'Allow once' })
      .and(page.locator('[aria-disabled=false]'))
      .waitFor();
    await page.keyboard.press('a');
    await panel.getByRole('button', { name: 'Deny' }).focus();
    expect(await panel.isVisible()).toBe(true);
    await page.keyboard.press('a');
    await card.waitFor({ state: 'detached' });
    await page.getByRole('main').getByRole('link', { name: /First/ }).click();
    await page.getByRole('log').getByText('first.txt is written').waitFor();
  });

  test('the card of a running session shows the last line of its turn', async () => {
    const client = await stage().client();
    await stage().session(client, 'title Runs on; say Looking for the cause; hang');
    const page = await stage().open();
    const card = page.getByRole('main').getByRole('link', { name: /Runs on/ });
    await card.getByText('Looking for the cause').waitFor();
  });

  test('a phone has the list instead', async () => {
    const client = await stage().client();
    await stage().session(client, 'title Second; ask');
    const page = await stage().open('/', { context: await stage().context(PHONE) });
    await page.getByRole('main').getByText('Asks for approval').first().waitFor();
    expect(await page.getByRole('heading', { name: 'Overview' }).count()).toBe(0);
  });
});
