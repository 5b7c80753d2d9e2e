// Workers of a chat: a person stops one, and the turn that started it goes on.
import { describe, expect, test } from 'vitest';
import { hasChromium } from '../access/chromium.ts';
import { messagesOf } from './acts.ts';
import { stageOfFile } from './stage.ts';

describe.skipIf(!hasChromium)('a worker', () => {
  const stage = stageOfFile();

  test('is stopped at its card, and the other worker goes on', async () => {
    const { path } = await stage().session(await stage().client(), 'delegate 2 hang');
    const page = await stage().open(path);
    const card = (name: string) => messagesOf(page).getByRole('button', { name, expanded: false });
    await card('Worker: Worker 1: hang').click();
    const stop = messagesOf(page).getByRole('button', { name: 'Stop worker' });
    await stop.click();
    await stop.waitFor({ state: 'detached' });
    await card('Worker: Worker 2: hang').click();
    await stop.click();
    await messagesOf(page).getByText('2 of 2 failed: the worker was cancelled.').waitFor();
  });

  test('is stopped in its own tab, and not by a token that may only watch', async () => {
    const owner = await stage().client();
    const { path } = await stage().session(owner, 'delegate hang');
    const { secret: token } = await owner.tokens.create({ scope: 'observe' });
    const watcher = await stage().open(path, { token });
    await messagesOf(watcher)
      .getByRole('button', { name: /^Worker: Worker 1/ })
      .click();
    await messagesOf(watcher).getByRole('button', { name: 'Open as tab' }).waitFor();
    expect(await messagesOf(watcher).getByRole('button', { name: 'Stop worker' }).count()).toBe(0);
    const page = await stage().open(path);
    await messagesOf(page)
      .getByRole('button', { name: /^Worker: Worker 1/ })
      .click();
    await messagesOf(page).getByRole('button', { name: 'Open as tab' }).click();
    await page.getByText('This chat is read-only.').waitFor();
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await messagesOf(page).getByText('Stopped').waitFor();
    await page.goBack();
    await messagesOf(page).getByText('1 of 1 failed: the worker was cancelled.').waitFor();
  });
});
