// Terminals in the page: typing, exit codes, two windows on one terminal, and a host that is started again.
import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hasChromium } from '../access/chromium.ts';
import { Network } from './network.ts';
import { stageOfFile } from './stage.ts';

const screenOf = (page: Page): Locator => page.getByRole('group', { name: /^Screen of/ });

/** The lines of the shown screen; for screen readers the page has them as text. */
const rowsOf = (page: Page): Locator => screenOf(page).getByRole('list');

/** Opens a terminal from the page, with screen reader mode, so that its lines are text. */
async function openTerminal(page: Page, command: string): Promise<void> {
  await page.getByRole('button', { name: 'New terminal' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'New terminal' });
  await dialog.getByRole('textbox', { name: 'Command' }).fill(command);
  await dialog.getByRole('button', { name: 'Open terminal' }).click();
  await screenOf(page).waitFor();
  await readAloud(page);
}

async function readAloud(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Actions of/ }).click();
  const entry = page.getByRole('menuitemcheckbox', { name: 'Screen reader mode' });
  if ((await entry.getAttribute('aria-checked')) === 'true') await page.keyboard.press('Escape');
  else await entry.click();
  await screenOf(page).getByRole('textbox').focus();
}

describe.skipIf(!hasChromium)('a terminal in the page', () => {
  const stage = stageOfFile();

  test('runs typed commands, and marks the exit code of each', async () => {
    const page = await stage().open('/terminals');
    await page.getByText('No terminals').waitFor();
    await openTerminal(page, '');
    await page.keyboard.type('echo rye-$((40 + 2))\n');
    await rowsOf(page).getByText('rye-42').first().waitFor();
    await screenOf(page)
      .getByRole('button', { name: /^echo .*, succeeded/ })
      .first()
      .waitFor();
    await page.keyboard.type('(exit 7)\n');
    await screenOf(page)
      .getByRole('button', { name: /^\(exit 7\), failed with exit code 7/ })
      .first()
      .waitFor();
    await page.keyboard.type('exit 3\n');
    await page.getByText('The program ended with exit code 3.').waitFor();
  });

  test('two windows see one terminal, and the second takes it over', async () => {
    const one = await stage().open('/terminals');
    await openTerminal(one, 'cat');
    const two = await stage().open(new URL(one.url()).pathname + new URL(one.url()).search);
    await screenOf(two).waitFor();
    await readAloud(two);
    await one.getByText('You type here').waitFor();
    await two.getByText(/^Web page .* types here/).waitFor();
    await screenOf(one).getByRole('textbox').focus();
    await one.keyboard.type('from the first\n');
    await rowsOf(two).getByText('from the first').first().waitFor();
    await one.getByRole('button', { name: 'Stop typing here' }).click();
    await two.getByRole('button', { name: 'Take over' }).click();
    await two.getByText('You type here').waitFor();
    await screenOf(two).getByRole('textbox').focus();
    await two.keyboard.type('from the second\n');
    await rowsOf(one).getByText('from the second').first().waitFor();
    await one.getByText(/^Web page .* types here/).waitFor();
  });

  test('keys that are pressed before the host has answered a take-over reach the program', async () => {
    const context = await stage().context();
    const network = await Network.of(context);
    const page = await stage().open('/terminals', { context });
    await openTerminal(page, 'cat');
    await page.getByRole('button', { name: 'Stop typing here' }).click();
    await page.getByText('Nobody types here').waitFor();
    network.hold();
    await page.getByRole('button', { name: 'Take over' }).click();
    await screenOf(page).getByRole('textbox').focus();
    await page.keyboard.type('early, ');
    expect(await page.getByText('You type here').count()).toBe(0);
    expect(await page.getByText('Nobody types here').count()).toBe(1);
    network.release();
    await page.keyboard.type('then late\n');
    await rowsOf(page).getByText('early, then late').first().waitFor();
    await page.getByText('You type here').waitFor();
  });

  test('a terminal outlives its host, and the page has every byte of it', async () => {
    const page = await stage().open('/terminals');
    await openTerminal(
      page,
      'i=0; while [ $i -lt 400 ]; do i=$((i+1)); echo line-$i; sleep 0.02; done; echo finished; cat',
    );
    await rowsOf(page).getByText('line-20').first().waitFor();
    await stage().host.kill();
    await page.getByText('does not answer').waitFor();
    await stage().restart();
    await rowsOf(page).getByText('finished').first().waitFor();
    const uri = new URL(page.url()).searchParams.get('open') ?? '';
    const terminal = await (await stage().client()).terminal(uri);
    const output = terminal.state.content
      .map((part) => ('value' in part ? part.value : part.output))
      .join('');
    const numbers = Array.from(output.matchAll(/line-(\d+)/g), ([, number]) => Number(number));
    expect(numbers).toEqual(Array.from({ length: 400 }, (_, index) => index + 1));
    await page.keyboard.type('still typing\n');
    await rowsOf(page).getByText('still typing').first().waitFor();
  });
});
