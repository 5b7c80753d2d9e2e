// One session in two windows and on the command line.
import { describe, expect, test } from 'vitest';
import { hasChromium } from '../access/chromium.ts';
import { fieldOf, messagesOf, say } from './acts.ts';
import { commandLine } from './command-line.ts';
import { Network } from './network.ts';
import { stageOfFile } from './stage.ts';

describe.skipIf(!hasChromium)('a session that several clients share', () => {
  const stage = stageOfFile();

  test('prompts of two windows and a command line show in all of them', async () => {
    const { uri, path } = await stage().session(await stage().client());
    const [one, two] = [await stage().open(path), await stage().open(path)];
    await say(one, 'say Answer for the first window');
    await messagesOf(one).getByText('Answer for the first window', { exact: true }).waitFor();
    await messagesOf(two).getByText('Answer for the first window', { exact: true }).waitFor();
    await say(two, 'say Answer for the second window');
    await messagesOf(one).getByText('Answer for the second window', { exact: true }).waitFor();
    const output = await commandLine(stage(), 'run', '--session', uri, 'say Answer for the command line');
    expect(output).toContain('Answer for the command line');
    for (const page of [one, two]) {
      const messages = messagesOf(page);
      await messages.getByText('say Answer for the command line', { exact: true }).waitFor();
      await messages.getByText('Answer for the command line', { exact: true }).waitFor();
    }
    const transcripts = [one, two].map((page) => messagesOf(page).getByRole('paragraph').allInnerTexts());
    const [first, second] = await Promise.all(transcripts);
    expect(first).toEqual(second);
    expect(first).toHaveLength(6);
    await messagesOf(one).getByText('agenthost-cli', { exact: true }).waitFor();
    await one
      .getByRole('list', { name: 'Others here' })
      .getByRole('img', { name: /Web page/ })
      .waitFor();
  });

  test('a new title and the archive show in the other window and on the command line', async () => {
    const { path } = await stage().session(await stage().client(), 'say Hello');
    const [one, two] = [await stage().open(path), await stage().open(path)];
    await one.getByRole('heading', { level: 1 }).getByRole('button').click();
    const field = one.getByRole('textbox', { name: 'Title of the session' });
    await field.fill('Bread for two');
    await field.press('Enter');
    await two.getByRole('heading', { level: 1, name: 'Bread for two' }).waitFor();
    await one.getByRole('button', { name: 'Session actions' }).click();
    await one.getByRole('menuitem', { name: 'Archive' }).click();
    await two.getByRole('main').getByText('Archived', { exact: true }).waitFor();
    const listed = await commandLine(stage(), 'sessions', '--archived', '--json');
    expect(listed).toContain('Bread for two');
    await one.getByRole('button', { name: 'Undo' }).click();
    await two.getByRole('main').getByText('Archived', { exact: true }).waitFor({ state: 'detached' });
  });

  test('the second window approves a call, and the first shows its name', async () => {
    const { path } = await stage().session(await stage().client());
    const [one, two] = [await stage().open(path), await stage().open(path)];
    await say(one, 'write bread.txt Rye');
    await one.getByRole('region', { name: 'Write bread.txt?' }).waitFor();
    await two.getByRole('button', { name: 'Allow once' }).click();
    await messagesOf(one).getByText('Done').first().waitFor();
    await one.getByRole('region', { name: 'Write bread.txt?' }).waitFor({ state: 'detached' });
    await messagesOf(one).getByText('Allowed by Web page').waitFor();
  });

  test('an answer that comes too late is reported', async () => {
    const client = await stage().client();
    const { uri, path } = await stage().session(client, 'ask');
    const context = await stage().context();
    const network = await Network.of(context);
    const page = await stage().open(path, { context });
    const allow = messagesOf(page).getByRole('button', { name: 'Allow', exact: true });
    await allow.and(page.locator('[aria-disabled=false]')).waitFor();
    network.hold();
    const session = await client.sessions.open(uri);
    await session.toolConfirmations()[0]?.deny();
    await allow.click();
    network.release();
    await page.getByText('Your answer came too late').waitFor();
    await messagesOf(page).getByText('Denied').first().waitFor();
    expect(await fieldOf(page).isVisible()).toBe(true);
  });
});
