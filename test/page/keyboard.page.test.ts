// Everything by keyboard alone: the focus is always visible, and no view traps it.
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hasChromium } from '../access/chromium.ts';
import { fieldOf, messagesOf } from './acts.ts';
import { stageOfFile } from './stage.ts';

/** Tab stops of the largest view are fewer. */
const MOST_STOPS = 120;

/** Name of the focused element, and whether it looks focused: by an outline, its frame or the frame around it. */
const FOCUS = `(() => {
  const element = document.activeElement;
  const looks = (each) => {
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(each);
    return (outlineStyle !== 'none' && parseFloat(outlineWidth) > 0) || boxShadow.includes('inset') || boxShadow.includes('0px 0px 0px');
  };
  const framed = element.matches('textarea, input') && element.closest('[class*="focus-within:"], form, fieldset') !== null;
  const { width, height } = element.getBoundingClientRect();
  return {
    name: element.getAttribute('aria-label') ?? element.textContent.trim().slice(0, 60),
    isVisible: element !== document.body && width > 0 && height > 0 && (looks(element) || framed),
    isBody: element === document.body,
    isFirst: element.matches('a[href="#content"]'),
  };
})()`;

interface Focus {
  readonly name: string;
  readonly isVisible: boolean;
  readonly isBody: boolean;
  readonly isFirst: boolean;
}

/** Name of the focused element. */
const focusOf = async (page: Page): Promise<string> => (await page.evaluate<Focus>(FOCUS)).name;

/** Presses Tab until the focus comes around. Returns the names of the stops without a visible focus. */
async function hiddenStops(page: Page): Promise<string[]> {
  const hidden: string[] = [];
  await page.evaluate('document.activeElement.blur()');
  for (let stop = 0; stop < MOST_STOPS; stop++) {
    await page.keyboard.press('Tab');
    const focus = await page.evaluate<Focus>(FOCUS);
    if (stop > 2 && (focus.isBody || focus.isFirst)) return hidden;
    if (!focus.isVisible && !focus.isBody) hidden.push(focus.name);
  }
  throw new Error(`the focus does not come around within ${MOST_STOPS} stops: it is trapped`);
}

describe.skipIf(!hasChromium)('the keyboard alone', () => {
  const stage = stageOfFile();

  test('starts a session, approves, and uses the palette and the settings', async () => {
    const page = await stage().open();
    await page.getByText('No session yet').first().waitFor();
    await page.keyboard.press('n');
    await page.getByRole('textbox', { name: 'First message' }).waitFor();
    await page.keyboard.type('ask');
    await page.keyboard.press('Control+Enter');
    const panel = messagesOf(page).getByRole('button', { name: 'Allow', exact: true });
    await panel.and(page.locator('[aria-disabled=false]')).waitFor();
    await fieldOf(page).focus();
    await page.keyboard.type('a');
    expect(await fieldOf(page).inputValue()).toBe('a');
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Escape');
    await page.keyboard.press('a');
    await messagesOf(page).getByText('Done').first().waitFor();

    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Command palette' }).waitFor();
    await page.keyboard.type('appearance');
    await page.getByRole('option', { name: /Appearance/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/settings\/appearance/);
    await page.getByRole('heading', { name: 'Appearance' }).first().waitFor();
    await page.keyboard.press('Control+k');
    // All at once, like a paste.
    await page.keyboard.insertText('theme: dark');
    await page.getByRole('option', { name: 'Theme: dark' }).waitFor();
    await page.keyboard.press('Enter');
    await page.locator('html.dark, html[data-theme=dark]').waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('ask');
    await page.getByRole('option', { name: /ask/ }).first().waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/s\//);
  });

  test('reaches every control of every view, with a visible focus, and gets out again', async () => {
    const { path } = await stage().session(await stage().client(), 'write a.txt Rye');
    const page = await stage().open(path);
    await page.getByRole('button', { name: 'Allow once' }).waitFor();
    expect(await hiddenStops(page), 'chat').toEqual([]);
    for (const view of ['/', '/new', '/settings/host', '/settings/notifications', '/terminals']) {
      await page.goto(stage().origin + view);
      await page
        .getByRole('main')
        .getByRole('button')
        .or(page.getByRole('main').getByRole('link'))
        .first()
        .waitFor();
      expect(await hiddenStops(page), view).toEqual([]);
    }
  });

  test('leaves a terminal, a menu and a dialog', async () => {
    const client = await stage().client();
    const terminal = await client.createTerminal({ command: ['/bin/cat'], name: 'Cat' });
    const page = await stage().open(`/terminals?open=${encodeURIComponent(terminal.uri)}`);
    await page.getByRole('textbox', { name: /^Terminal Cat/ }).focus();
    await page.keyboard.press('Tab');
    expect(await focusOf(page)).toContain('Terminal Cat');
    await page.keyboard.press('Control+Shift+L');
    await expect.poll(() => focusOf(page)).not.toContain('Terminal Cat');
    await page.getByRole('button', { name: 'Actions of Cat' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Rename' }).waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => focusOf(page)).toBe('Actions of Cat');
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Rename' }).press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await terminal.dispose();
  });
});
