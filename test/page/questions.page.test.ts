// Questions of agents and of their workers, answered by one person or by several.
import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hasChromium } from '../access/chromium.ts';
import { messagesOf, say } from './acts.ts';
import { PHONE, stageOfFile } from './stage.ts';

describe.skipIf(!hasChromium)('questions', () => {
  const stage = stageOfFile();

  test('a worker asks for approval in the chat of its parent', async () => {
    const { path } = await stage().session(await stage().client());
    const page = await stage().open(path);
    await say(page, 'delegate ask; say The worker has finished');
    await messagesOf(page).getByRole('button', { name: 'Allow', exact: true }).click();
    await messagesOf(page).getByText('The worker is done.', { exact: true }).waitFor();
    expect(page.url()).not.toContain('chat=');
    const card = messagesOf(page)
      .getByRole('button', { name: /Worker/ })
      .first();
    await card.click();
    await messagesOf(page).getByText('The worker has finished').first().waitFor();
  });

  test('a form of a worker is filled in where its parent is read', async () => {
    const { path } = await stage().session(await stage().client());
    const page = await stage().open(path);
    await say(page, 'delegate question text required');
    const form = messagesOf(page).getByRole('form');
    await form.getByRole('textbox', { name: 'Name' }).fill('R');
    await form.getByRole('button', { name: 'Submit' }).click();
    await form.getByRole('alert').waitFor();
    const submit = form.getByRole('button', { name: 'Submit' });
    const placeOf = async () => (await submit.boundingBox())?.y;
    const place = await placeOf();
    await form.getByRole('textbox', { name: 'Name' }).fill('Rye');
    await form.getByRole('alert').waitFor({ state: 'hidden' });
    // The button must not move away from a press when the line above it is solved.
    expect(await placeOf()).toBe(place);
    await submit.click();
    await messagesOf(page).getByText('The worker is done.', { exact: true }).waitFor();
  });

  test('two people fill in one form', async () => {
    const { path } = await stage().session(await stage().client());
    const [one, two] = [await stage().open(path), await stage().open(path)];
    await say(one, 'question form');
    const [mine, theirs] = [one, two].map((page) => messagesOf(page).getByRole('form'));
    if (mine === undefined || theirs === undefined) throw new Error('no form');
    await mine.getByRole('textbox', { name: 'Name' }).fill('Rye');
    await theirs.getByText(/Web page \(.+\) is writing here/).waitFor();
    await expect.poll(() => theirs.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Rye');
    await theirs.getByRole('radiogroup', { name: 'Size' }).getByRole('radio', { name: 'Large' }).click();
    const size = mine.getByRole('radiogroup', { name: 'Size' });
    await expect.poll(() => size.getByRole('radio', { name: 'Large' }).isChecked()).toBe(true);
    await theirs.getByLabel('Count').fill('3');
    await expect.poll(() => mine.getByLabel('Count').inputValue()).toBe('3');
    await theirs.getByRole('group', { name: 'Toppings' }).getByRole('checkbox', { name: 'Salt' }).click();
    await expect.poll(() => mine.getByRole('checkbox', { name: 'Salt' }).isChecked()).toBe(true);
    await theirs.getByRole('button', { name: 'Submit' }).click();
    await mine.waitFor({ state: 'detached' });
    await messagesOf(one).getByText('Answered', { exact: true }).waitFor();
    await messagesOf(one)
      .getByText(/^by Web page/)
      .waitFor();
    const answer = messagesOf(one).getByRole('list').last();
    await answer.getByText('Name: Rye').waitFor();
    await answer.getByText('Size: large').waitFor();
    await answer.getByText('Count: 3').waitFor();
    await answer.getByText('Toppings: salt').waitFor();
  });

  test('the input of a call can be edited before the approval, and a denial can have feedback', async () => {
    const { path } = await stage().session(await stage().client());
    const page = await stage().open(path);
    await say(page, 'write cake.txt plain');
    const panel = page.getByRole('region', { name: 'Write cake.txt?' });
    await panel.getByRole('button', { name: 'Edit' }).click();
    const input = panel.getByRole('textbox', { name: 'Input of the tool' });
    await input.fill(JSON.stringify({ path: 'cake.txt', content: 'with cherries' }));
    await panel.getByRole('button', { name: 'Allow with changes' }).click();
    await messagesOf(page).getByText('is written: 13 characters.').waitFor();
    await say(page, 'write cream.txt sour');
    const second = page.getByRole('region', { name: 'Write cream.txt?' });
    await second.getByRole('button', { name: 'Do something else' }).click();
    await second.getByRole('textbox').fill('Use the sweet one');
    await second.getByRole('button', { name: 'Deny with feedback' }).click();
    await messagesOf(page).getByText('Use the sweet one').first().waitFor();
  });

  test('a form that is higher than the screen begins at its start', async () => {
    const { path } = await stage().session(await stage().client(), 'say A line; question form');
    const page = await stage().open(path, { context: await stage().context(PHONE) });
    const first = messagesOf(page).getByRole('form').getByRole('heading');
    for (const isReloaded of [false, true]) {
      if (isReloaded) await page.reload();
      await expect.poll(() => isInView(page, first), { message: `reloaded: ${isReloaded}` }).toBe(true);
    }
  });
});

/** Whether an element is inside the visible part of the messages. */
async function isInView(page: Page, element: Locator): Promise<boolean> {
  const box = await element.boundingBox();
  const frame = await messagesOf(page).boundingBox();
  return box !== null && frame !== null && box.y >= frame.y && box.y < frame.y + frame.height;
}
