// A token that may only watch: the page shows everything, and offers nothing to act.
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hasChromium } from '../access/chromium.ts';
import { fieldOf, messagesOf } from './acts.ts';
import { stageOfFile } from './stage.ts';

/** Names of controls that change something. */
const ACTS =
  /^(Allow|Deny|Edit|Do something else|Send|Queue|Stop|Steer|Submit|Decline|Dismiss|Rename|Archive|Delete|Attach|New session|New terminal|New token|New chat|Fork|Take over|Stop typing here|Revoke|Make default|Resume|Send again|Edit and send again|Close)/;

async function controlsOf(page: Page): Promise<string[]> {
  const snapshot = await page.locator('body').ariaSnapshot();
  const names = snapshot.matchAll(/- '?(?:button|link|menuitem|textbox|switch|checkbox|radio) "([^"]*)"/g);
  return Array.from(names, ([, name]) => name ?? '');
}

const actsOf = async (page: Page): Promise<string[]> =>
  (await controlsOf(page)).filter((name) => ACTS.test(name));

describe.skipIf(!hasChromium)('a browser with the scope observe', () => {
  const stage = stageOfFile();
  const watcher = async (path?: string): Promise<Page> => {
    const owner = await stage().client();
    const { secret: token } = await owner.tokens.create({ scope: 'observe', name: crypto.randomUUID() });
    return stage().open(path, { token });
  };

  test('sees a turn and its questions, live, without a way to answer', async () => {
    const owner = await stage().client();
    const { uri, path } = await stage().session(owner, 'say Working on it; write notes.txt Rye');
    const page = await watcher(path);
    await messagesOf(page).getByText('Working on it', { exact: true }).waitFor();
    await page.getByRole('region', { name: 'Write notes.txt?' }).waitFor();
    await messagesOf(page).getByText('Read-only: somebody else has to answer.').waitFor();
    expect(await actsOf(page)).toEqual([]);
    expect(await fieldOf(page).count()).toBe(0);
    await page.keyboard.press('a');
    const session = await owner.sessions.open(uri);
    expect(session.toolConfirmations()).toHaveLength(1);
    await session.toolConfirmations()[0]?.approve();
    await messagesOf(page).getByText('is written: 4 characters.').waitFor();
    await page.getByText('Read-only: the token').waitFor();
    await page.getByRole('button', { name: 'Message actions' }).click();
    await page.getByRole('menuitem').first().waitFor();
    expect(await actsOf(page)).toEqual([]);
  });

  test('sees forms of questions with the input of others, without a field to write into', async () => {
    const { path } = await stage().session(await stage().client(), 'question text single');
    const writer = await stage().open(path);
    const page = await watcher(path);
    const form = messagesOf(page).getByRole('form');
    await messagesOf(writer).getByRole('textbox', { name: 'Name' }).fill('Rye');
    await expect.poll(() => form.getByLabel('Name').inputValue()).toBe('Rye');
    expect(await form.getByLabel('Name').isEditable()).toBe(false);
    expect(await form.getByRole('radio').first().isEnabled()).toBe(false);
    expect(await actsOf(page)).toEqual([]);
  });

  test('sees the board, the settings and the terminals, without a way to change them', async () => {
    const owner = await stage().client();
    await stage().session(owner, 'ask');
    const terminal = await owner.createTerminal({
      name: 'Builds',
      command: ['/bin/sh', '-c', 'echo made; cat'],
    });
    const page = await watcher();
    await page
      .getByRole('main')
      .getByRole('link', { name: /Needs an answer/ })
      .first()
      .waitFor();
    await page.getByRole('main').getByRole('region', { name: 'Ponder about everything?' }).waitFor();
    expect(await actsOf(page)).toEqual([]);
    await page.getByRole('link', { name: 'Terminals' }).first().click();
    await page.getByText('Read-only: this token does not allow typing.').waitFor();
    expect(await actsOf(page)).toEqual([]);
    await page.getByRole('link', { name: 'Settings' }).first().click();
    for (const section of ['Host', 'Agents', 'Access', 'Approvals']) {
      await page.getByRole('link', { name: section, exact: true }).click();
      await page.getByRole('heading', { name: section, exact: true }).first().waitFor();
      expect(await actsOf(page)).toEqual([]);
    }
    await page.goto(`${stage().origin}/new`);
    await page.getByText('Your token lets you view sessions, but not start them.').waitFor();
    await terminal.dispose();
  });
});
