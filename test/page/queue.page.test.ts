// Messages that are sent while a turn runs, and actions on earlier messages.
import type { SessionHandle } from '@agenthost/client';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hasChromium } from '../access/chromium.ts';
import { atRest, fieldOf, messagesOf, say, untilInView, workingIn } from './acts.ts';
import { stageOfFile } from './stage.ts';

describe.skipIf(!hasChromium)('messages of a chat', () => {
  const stage = stageOfFile();

  test('wait in a queue that can be edited and reordered by keyboard, and are sent in that order', async () => {
    const { path } = await stage().session(await stage().client());
    const page = await stage().open(path);
    await say(page, 'hang');
    await workingIn(page).waitFor();
    for (const word of ['one', 'two', 'three']) await say(page, `say ${word}`);
    const queue = page.getByRole('region', { name: 'Queued messages' });
    await queue.getByText('say three').waitFor();
    const items = (): Promise<string[]> => queue.getByRole('listitem').allInnerTexts();
    expect((await items()).map((each) => each.trim())).toEqual(['say one', 'say two', 'say three']);
    await queue.getByRole('button', { name: 'Move message 3 of 3' }).focus();
    await page.keyboard.press('Alt+ArrowUp');
    await page.keyboard.press('Alt+ArrowUp');
    await expect.poll(async () => (await items())[0]?.trim()).toBe('say three');
    await queue.getByRole('listitem').nth(1).getByRole('button', { name: 'Edit queued message' }).click();
    const editor = queue.getByRole('textbox');
    await editor.fill('say uno');
    await editor.press('Enter');
    await queue.getByText('say uno').waitFor();
    await queue.getByRole('listitem').nth(2).getByRole('button', { name: 'Remove queued message' }).click();
    await queue.getByText('say two').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Stop' }).click();
    await messagesOf(page).getByText('Stopped', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Continue' }).click();
    await messagesOf(page).getByText('uno', { exact: true }).waitFor();
    const texts = await messagesOf(page).getByRole('paragraph').allInnerTexts();
    expect(texts.filter((each) => /^(three|uno|two|one)$/.test(each))).toEqual(['three', 'uno']);
  });

  test('steer a running turn', async () => {
    const { path } = await stage().session(await stage().client());
    const page = await stage().open(path);
    await say(page, 'hang');
    await workingIn(page).waitFor();
    await fieldOf(page).fill('say Steered');
    await page.getByRole('button', { name: 'Other ways to send' }).click();
    await page.getByRole('menuitem', { name: 'Steer now' }).click();
    await messagesOf(page).getByText('Steered', { exact: true }).waitFor();
    await workingIn(page).waitFor({ state: 'detached' });
  });

  test('are edited and sent again, forked, and found', async () => {
    const { path } = await stage().session(await stage().client(), 'say First answer');
    const page = await stage().open(path);
    await messagesOf(page).getByText('First answer', { exact: true }).waitFor();
    await say(page, 'say Second answer');
    await messagesOf(page).getByText('Second answer', { exact: true }).waitFor();
    await messagesOf(page).getByRole('button', { name: 'Edit and send again' }).last().click();
    const editor = page.getByRole('textbox', { name: 'Edit message' });
    await editor.fill('say Better answer');
    await editor.press('Enter');
    await messagesOf(page).getByText('Better answer', { exact: true }).waitFor();
    expect(await messagesOf(page).getByText('Second answer').count()).toBe(0);

    await messagesOf(page).getByRole('button', { name: 'Message actions' }).first().click();
    await page.getByRole('menuitem', { name: 'Fork into a new session' }).click();
    await page.getByText('Forked', { exact: true }).waitFor();
    await messagesOf(page).getByText('First answer', { exact: true }).waitFor();
    await messagesOf(page).getByText('Better answer', { exact: true }).waitFor({ state: 'detached' });
    expect(page.url()).not.toContain(path);

    await page.goBack();
    await messagesOf(page).getByText('Better answer', { exact: true }).waitFor();
    await page.keyboard.press('Control+f');
    const find = page.getByRole('textbox', { name: 'Find in this chat' });
    await find.fill('answer');
    await page.getByText('4 of 4').waitFor();
    await find.press('Enter');
    await page.getByText('1 of 4').waitFor();
    await find.press('Escape');
    await find.waitFor({ state: 'detached' });
  });

  test('keep an edit that is scrolled out of view', async () => {
    const { path } = await stage().session(await stage().client(), 'parts 60; say The end');
    const page = await stage().open(path);
    await untilInView(page, 'The end');
    await say(page, 'say Later');
    await messagesOf(page).getByText('Later', { exact: true }).waitFor();
    await messagesOf(page).getByRole('button', { name: 'Edit and send again' }).last().click();
    const editor = page.getByRole('textbox', { name: 'Edit message' });
    await editor.fill('say Edited');
    await messagesOf(page).hover();
    for (let wheel = 0; wheel < 8; wheel += 1) await page.mouse.wheel(0, -600);
    await editor.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Jump to latest' }).click();
    await expect.poll(() => editor.inputValue()).toBe('say Edited');
    await editor.press('Escape');
    await messagesOf(page).getByText('say Later', { exact: true }).waitFor();
  });

  /** A chat whose reader has scrolled up to the paragraph `read`. */
  const scrolledUp = async (): Promise<{ page: Page; session: SessionHandle; read: Locator }> => {
    const client = await stage().client();
    const { uri, path } = await stage().session(client, 'parts 60; say The old end');
    const page = await stage().open(path);
    await untilInView(page, 'The old end');
    await messagesOf(page).hover();
    await page.mouse.wheel(0, -600);
    const read = messagesOf(page).getByText('Part 41 of 60.', { exact: true });
    await page.getByRole('button', { name: 'Jump to latest' }).waitFor();
    await atRest(read);
    return { page, session: await client.sessions.open(uri), read };
  };

  test('stay in place while a turn of another client writes, until the reader jumps to the latest', async () => {
    const { page, session, read } = await scrolledUp();
    const before = await read.boundingBox();
    const turn = session.prompt('stream 40 every 25; parts 30; say The new end').result;
    const jump = page.getByRole('button', { name: '1 new message', exact: true });
    await jump.waitFor();
    await expect.poll(() => read.boundingBox()).toEqual(before);
    await turn;
    await page
      .getByRole('status')
      .filter({ hasText: /^Answer: / })
      .waitFor();
    await expect.poll(() => read.boundingBox()).toEqual(before);
    await jump.click();
    await untilInView(page, 'The new end');
    await jump.waitFor({ state: 'detached' });
  });

  test('are followed to their end after the reader sends one, wherever the reader was', async () => {
    const { page, read } = await scrolledUp();
    await fieldOf(page).fill('stream 40 every 25; parts 30; say The new end');
    // The scroll to the end comes right after one of the reader.
    await page.mouse.wheel(0, -200);
    await fieldOf(page).press('Enter');
    await untilInView(page, 'The new end');
    expect(await page.getByRole('button', { name: /Jump to latest|new message/ }).count()).toBe(0);
    expect(await read.count()).toBe(0);
  });

  test('a session that is deleted from the board comes back by undo, and goes without it', async () => {
    const owner = await stage().client();
    const { uri } = await stage().session(owner, 'title Kept after all; say Hello');
    const page = await stage().open();
    const board = page.getByRole('complementary', { name: 'Sessions' });
    const row = board.getByRole('link', { name: /Kept after all/ });
    await row.hover();
    await board.getByRole('button', { name: 'Actions for Kept after all' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await row.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await row.waitFor();
    await row.focus();
    await page.keyboard.press('Delete');
    await row.waitFor({ state: 'detached' });
    await page.getByRole('region').getByRole('button', { name: 'Dismiss' }).click();
    const isListed = async (): Promise<boolean> =>
      (await Array.fromAsync(owner.sessions.list())).some(({ resource }) => resource === uri);
    await expect.poll(isListed).toBe(false);
    expect(await row.count()).toBe(0);
  });
});
