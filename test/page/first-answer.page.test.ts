// The first minutes of a new user: from the printed link to the first answer.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hasChromium } from '../access/chromium.ts';
import { messagesOf } from './acts.ts';
import { stageOfFile } from './stage.ts';

describe.skipIf(!hasChromium)('from the printed link to the first answer', () => {
  const stage = stageOfFile();

  test('a new user picks a folder, sends the first message, and gets an answer', async () => {
    await mkdir(join(stage().folder, 'work', 'project'));
    const page = await stage().open();
    await page.getByText('No session yet').first().waitFor();
    await page.getByRole('link', { name: 'New session' }).first().click();
    await page.getByRole('textbox', { name: 'First message' }).fill('say Hello from the demo');
    await page.getByRole('button', { name: 'Browse…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Choose a folder' });
    const folders = dialog.getByRole('list', { name: 'Folders' });
    await folders.getByRole('button', { name: 'work', exact: true }).click();
    await folders.getByRole('button', { name: 'project' }).click();
    await dialog.getByText('No folders', { exact: true }).waitFor();
    await dialog.getByRole('button', { name: 'Use this folder' }).click();
    expect(await page.getByRole('combobox', { name: 'Folder' }).inputValue()).toBe(
      join(stage().folder, 'work', 'project'),
    );
    await page.getByRole('button', { name: 'Start session' }).click();

    await page.waitForURL(/\/s\//);
    await messagesOf(page).getByText('Hello from the demo', { exact: true }).waitFor();
    const [listed] = await Array.fromAsync((await stage().client()).sessions.list());
    expect(listed?.workingDirectories).toEqual([`${stage().workUri}/project`]);
  });
});
