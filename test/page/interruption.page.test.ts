// Reloads, lost networks and a host that is killed: nothing is lost, and the page recovers by itself.
import { describe, expect, test } from 'vitest';
import { hasChromium } from '../access/chromium.ts';
import { fieldOf, messagesOf, say, workingIn } from './acts.ts';
import { Network } from './network.ts';
import { stageOfFile, WITH_WORKER } from './stage.ts';

describe.skipIf(!hasChromium)('an interruption', () => {
  const stage = stageOfFile();

  test('a page that is reloaded in mid-turn follows the turn to its end', async () => {
    const { path } = await stage().session(await stage().client());
    const page = await stage().open(path);
    await say(page, 'say The first half.; hang');
    await messagesOf(page).getByText('The first half.', { exact: true }).waitFor();
    await fieldOf(page).fill('A draft that is not sent');
    await page.reload();
    await messagesOf(page).getByText('The first half.', { exact: true }).waitFor();
    await workingIn(page).waitFor();
    expect(await fieldOf(page).inputValue()).toBe('A draft that is not sent');
    await fieldOf(page).fill('say The second half.');
    await fieldOf(page).press('Alt+Enter');
    await messagesOf(page).getByText('The second half.', { exact: true }).waitFor();
    await workingIn(page).waitFor({ state: 'detached' });
    expect(await messagesOf(page).getByText('The first half.', { exact: true }).count()).toBe(1);
  });

  test('a turn that a killed host left ends visibly, and the page goes on by itself', async () => {
    const { path } = await stage().session(await stage().client());
    const page = await stage().open(path);
    await say(page, 'say Before the crash.; hang');
    await messagesOf(page).getByText('Before the crash.', { exact: true }).waitFor();
    await stage().host.kill();
    await page.getByText('does not answer').waitFor();
    await stage().restart();
    await page.getByText('does not answer').waitFor({ state: 'detached' });
    await messagesOf(page).getByRole('button', { name: 'Resume' }).waitFor();
    await messagesOf(page).getByText('Before the crash.', { exact: true }).waitFor();
    await say(page, 'say After the crash.');
    await messagesOf(page).getByText('After the crash.', { exact: true }).waitFor();
  });

  test('a part of the page that cannot be loaded while the host is away leads to no error of the browser', async () => {
    const page = await stage().open('/');
    await page.getByRole('link', { name: 'Terminals' }).first().waitFor();
    await page.waitForLoadState('networkidle');
    await stage().host.kill();
    await page.getByText('does not answer').first().waitFor();
    const asksAgain = page.waitForEvent('requestfailed', (request) =>
      request.url().endsWith('/sign-in/state'),
    );
    await page.keyboard.press('Control+k');
    await asksAgain;
    await page.getByText('does not answer').first().waitFor();
    const reloaded = page.waitForEvent('load');
    await stage().restart();
    await reloaded;
    await page.getByRole('link', { name: 'Terminals' }).first().waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').waitFor();
    const faults = stage().faults.splice(0);
    expect(faults).toEqual(faults.map(() => expect.stringContaining('Failed to fetch dynamically imported')));
  });

  test('a message that is sent while the host is away arrives once', async () => {
    const { path } = await stage().session(await stage().client(), 'say Hello');
    const page = await stage().open(path);
    await messagesOf(page).getByText('Hello', { exact: true }).waitFor();
    await stage().host.kill();
    const line = page.getByRole('status').filter({ hasText: 'Your changes are kept and sent later.' });
    await line.waitFor();
    await say(page, 'say Sent while away');
    await messagesOf(page).getByText('say Sent while away', { exact: true }).waitFor();
    expect(await fieldOf(page).inputValue()).toBe('');
    await stage().restart();
    await messagesOf(page).getByText('Sent while away', { exact: true }).waitFor();
    await line.waitFor({ state: 'detached' });
    expect(await messagesOf(page).getByText('say Sent while away', { exact: true }).count()).toBe(1);
    expect(await messagesOf(page).getByText('Sent while away', { exact: true }).count()).toBe(1);
  });

  test('a page that is reloaded while the host is down shows its copy, and still sends what was written', async () => {
    const { path } = await stage().session(await stage().client(), 'say Something to keep');
    const page = await stage().open(path, { context: await stage().context(WITH_WORKER) });
    await messagesOf(page).getByText('Something to keep', { exact: true }).waitFor();
    await page.evaluate('navigator.serviceWorker.ready.then(() => undefined)');
    await stage().host.kill();
    await page.getByText('does not answer').waitFor();
    await say(page, 'say Written before the reload');
    await messagesOf(page).getByText('say Written before the reload', { exact: true }).waitFor();
    await messagesOf(page).getByText('Waiting to be sent', { exact: true }).waitFor();
    await say(page, 'say Queued as well');
    await page.getByRole('button', { name: 'Remove queued message' }).waitFor();
    await page.reload();
    await page.getByRole('status').filter({ hasText: 'does not answer' }).waitFor();
    await messagesOf(page).getByText('Something to keep', { exact: true }).waitFor();
    await messagesOf(page).getByText('say Written before the reload', { exact: true }).waitFor();
    await messagesOf(page).getByText('Waiting to be sent', { exact: true }).waitFor();
    await page.getByRole('list', { name: 'Queued messages' }).getByText('say Queued as well').waitFor();
    expect(await fieldOf(page).count()).toBe(0);
    await stage().restart();
    await messagesOf(page).getByText('Queued as well', { exact: true }).waitFor();
    await messagesOf(page).getByText('Written before the reload', { exact: true }).waitFor();
    expect(await messagesOf(page).getByText('Written before the reload', { exact: true }).count()).toBe(1);
    await fieldOf(page).waitFor();
  });

  test('a browser without network shows one calm line, and catches up afterwards', async () => {
    const client = await stage().client();
    const { uri, path } = await stage().session(client, 'say Hello');
    const context = await stage().context(WITH_WORKER);
    const network = await Network.of(context);
    const page = await stage().open(path, { context });
    await messagesOf(page).getByText('Hello', { exact: true }).waitFor();
    await network.cut();
    const line = page.getByRole('status').filter({ hasText: 'Your changes are kept and sent later.' });
    await line.waitFor();
    await say(page, 'say From the train');
    const session = await client.sessions.open(uri);
    await session.prompt('say From the office').result;
    expect(await messagesOf(page).getByText('From the office').count()).toBe(0);
    await network.mend();
    await messagesOf(page).getByText('From the train', { exact: true }).waitFor();
    await messagesOf(page).getByText('From the office', { exact: true }).waitFor();
    await line.waitFor({ state: 'detached' });
    expect(await messagesOf(page).getByText('say From the train', { exact: true }).count()).toBe(1);
  });

  test('a browser that goes offline says so within seconds, though its connection looks open', async () => {
    const { path } = await stage().session(await stage().client(), 'say Hello');
    const context = await stage().context(WITH_WORKER);
    const network = await Network.of(context);
    const page = await stage().open(path, { context });
    await messagesOf(page).getByText('Hello', { exact: true }).waitFor();
    const line = page.getByRole('status').filter({ hasText: 'This device is offline.' });
    await network.silence();
    // The pings of the client alone need 25 s.
    await line.waitFor({ timeout: 8_000 });
    await say(page, 'say From the tunnel');
    await messagesOf(page).getByText('Waiting to be sent', { exact: true }).waitFor();
    await network.mend();
    await messagesOf(page).getByText('From the tunnel', { exact: true }).waitFor();
    await line.waitFor({ state: 'detached' });
  });

  test('a running turn does not look live while the host is away, and what waits to be sent says so', async () => {
    const { path } = await stage().session(await stage().client());
    const page = await stage().open(path);
    await say(page, 'ask');
    await page.getByRole('button', { name: 'Allow', exact: true }).waitFor();
    await stage().host.kill();
    await page.getByText('does not answer').waitFor();
    await page.getByText('Not connected', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    await messagesOf(page).getByText('Your answer waits to be sent', { exact: true }).waitFor();
    expect(await workingIn(page).count()).toBe(0);
    await say(page, 'say Queued while away');
    const queue = page.getByRole('listitem').filter({ hasText: 'say Queued while away' });
    await queue.getByText('Waiting to be sent', { exact: true }).waitFor();
    expect(await page.getByText('open question').count()).toBe(0);
    await stage().restart();
    await queue.getByText('Waiting to be sent', { exact: true }).waitFor({ state: 'detached' });
  });
});
