// Sessions of several hosts on one board.
import { ROOT_URI } from '@agenthost/protocol';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasChromium } from '../access/chromium.ts';
import { messagesOf, say } from './acts.ts';
import { PageStage, stageOfFile } from './stage.ts';

describe.skipIf(!hasChromium)('several hosts', () => {
  const stage = stageOfFile();
  let second: PageStage | undefined;
  beforeAll(async () => {
    second = await PageStage.start({ allowedOrigins: [stage().origin] });
  });
  afterAll(() => second?.dispose());

  test('a person adds a host, works on both, and one that is away does not disturb the other', async () => {
    if (second === undefined) throw new Error('no second host');
    const owner = await stage().client();
    const config = { pageHosts: [second.origin] };
    expect(await owner.dispatch(ROOT_URI, { type: 'root/configChanged', config })).toMatchObject({
      outcome: 'accepted',
    });
    await stage().session(owner, 'title Here; say One');
    await second.session(await second.client(), 'title There; say Two');
    stage().allow(second.origin);
    const page = await stage().open();
    const board = page.getByRole('complementary', { name: 'Sessions' });
    await board.getByRole('link', { name: /Here/ }).waitFor();
    await page.getByRole('button', { name: 'Manage hosts' }).first().click();
    await page.getByRole('dialog').getByRole('button', { name: 'Add a host' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Builder');
    await dialog.getByRole('textbox', { name: 'Address' }).fill(`${second.origin}/`);
    await dialog.getByLabel('Access token').fill(second.token);
    await dialog.getByRole('button', { name: 'Add a host' }).click();
    await dialog.getByText('Online', { exact: true }).nth(1).waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await board.getByRole('link', { name: /There/ }).click();
    await messagesOf(page).getByText('Two', { exact: true }).waitFor();
    await say(page, 'say Three');
    await messagesOf(page).getByText('Three', { exact: true }).waitFor();
    await page.reload();
    await messagesOf(page).getByText('Three', { exact: true }).waitFor();
    await second.host.kill();
    await page.getByText('Builder does not answer').waitFor();
    await page.getByRole('complementary').getByRole('link', { name: /Here/ }).click();
    await say(page, 'say Still here');
    await messagesOf(page).getByText('Still here', { exact: true }).waitFor();
    await second.restart();
    await page.getByText('Builder does not answer').waitFor({ state: 'detached' });
    expect(page.url()).not.toContain('host=');
  });
});
