// The trace of a turn, while it runs and afterwards.
import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hasChromium } from '../access/chromium.ts';
import { messagesOf } from './acts.ts';
import { violationsOf } from './axe.ts';
import { LAPTOP, PHONE, stageOfFile } from './stage.ts';

/** Opens the trace of the shown turn. */
async function openTrace(page: Page): Promise<Locator> {
  await messagesOf(page).getByRole('button', { name: 'Show the trace' }).last().click();
  const dialog = page.getByRole('dialog', { name: 'Trace of a turn' });
  await dialog.getByRole('table', { name: 'Steps' }).waitFor();
  return dialog;
}

describe.skipIf(!hasChromium)('the trace of a turn', () => {
  const stage = stageOfFile();

  test('follows the running turn on laptop and phone, and shows the facts of a step by the keyboard', async () => {
    const client = await stage().client();
    const { uri, path } = await stage().session(client, 'reason Hm; progress 2 every 1; ask; say The end');
    const session = await client.sessions.open(uri);
    await expect.poll(() => session.toolConfirmations().length).toBe(1);
    const laptop = await stage().open(path, { context: await stage().context(LAPTOP) });
    const phone = await stage().open(path, { context: await stage().context(PHONE) });
    const dialogs = [await openTrace(laptop), await openTrace(phone)];
    for (const dialog of dialogs) {
      await dialog.getByRole('row', { name: /Turn of demo running/ }).waitFor();
      await dialog.getByRole('row', { name: /Wait for approval running/ }).waitFor();
    }
    await stage().picture(phone, 'trace-running-phone');
    await session.toolConfirmations()[0]?.approve();
    for (const dialog of dialogs) {
      await dialog.getByRole('row', { name: /Wait for approval approved/ }).waitFor();
      await dialog.getByText('running').first().waitFor({ state: 'detached' });
    }

    const [first] = dialogs;
    const turn = laptop.getByRole('button', { name: /Turn of demo/ });
    await turn.focus();
    await laptop.keyboard.press('ArrowDown');
    await laptop.keyboard.press('ArrowRight');
    await first?.getByText('Time to the first output').waitFor();
    for (const [page, name] of [
      [laptop, 'trace-laptop'],
      [phone, 'trace-phone'],
    ] as const) {
      for (const colorScheme of ['dark', 'light'] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        await page.locator(`html${colorScheme === 'dark' ? '.dark' : ':not(.dark)'}`).waitFor();
        expect(await violationsOf(page)).toEqual([]);
        await stage().picture(page, `${name}-${colorScheme}`);
      }
    }
    expect(await phone.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    const step = await phone.getByRole('button', { name: /Wait for approval/ }).boundingBox();
    expect(step?.height).toBeGreaterThanOrEqual(44);
    await laptop.keyboard.press('Escape');
    await first?.waitFor({ state: 'detached' });
    session.dispose();
  });
});
