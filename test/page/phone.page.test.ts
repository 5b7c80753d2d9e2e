// A phone, by touch.
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hasChromium } from '../access/chromium.ts';
import { fieldOf, messagesOf, SECTIONS, visit, visitSettings } from './acts.ts';
import { PHONE, stageOfFile } from './stage.ts';

/** Drags a finger over the screen. */
async function swipe(page: Page, from: number, to: number): Promise<void> {
  const cdp = await page.context().newCDPSession(page);
  const at = (x: number) => [{ x, y: 300 }];
  await cdp.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: at(from) });
  for (let step = 1; step <= 8; step++)
    await cdp.send('Input.dispatchTouchEvent', {
      type: 'touchMove',
      touchPoints: at(from + ((to - from) * step) / 8),
    });
  await cdp.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  await cdp.detach();
}

/** Names of controls that are lower than the least size of a target in WCAG 2.2 AA; links inside of sentences are exempt. */
const SMALL = `Array.from(document.querySelectorAll('main button, main a, nav a'), (element) => {
  const { width, height } = element.getBoundingClientRect();
  const isInline = getComputedStyle(element).display === 'inline';
  return width > 0 && height > 0 && height < 24 && !isInline && element.parentElement.tagName !== 'P' ? (element.getAttribute('aria-label') ?? element.textContent) : '';
}).filter((name) => name !== '')`;

/** Nothing is wider than the screen, and nothing tappable is tiny. */
async function fits(page: Page): Promise<void> {
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
  const main = await page.getByRole('main').boundingBox();
  expect(main?.width).toBeLessThanOrEqual(360);
  expect(await page.evaluate(SMALL)).toEqual([]);
}

describe.skipIf(!hasChromium)('a phone', () => {
  const stage = stageOfFile();

  test('signs in, opens a session from the board, sends, approves, and swipes back and forth', async () => {
    const client = await stage().client();
    await stage().session(client, 'title A long title that does not fit on the screen of a phone; say Hello');
    const page = await (await stage().context(PHONE)).newPage();
    stage().watch(page);
    await page.goto(stage().origin);
    await page.getByLabel('Access token').fill(stage().token);
    await page.getByRole('button', { name: 'Sign in' }).tap();
    const row = page.getByRole('main').getByRole('link', { name: /A long title/ });
    await row.waitFor();
    await fits(page);
    await row.tap();
    await messagesOf(page).getByText('Hello', { exact: true }).waitFor();
    await fits(page);
    await fieldOf(page).tap();
    await fieldOf(page).fill('write phone.txt Rye');
    await page.getByRole('button', { name: 'Send', exact: true }).tap();
    await page.getByRole('button', { name: 'Allow once' }).tap();
    await messagesOf(page).getByText('is written: 4 characters.').waitFor();
    await fits(page);
    await page.getByRole('link', { name: 'Back' }).tap();
    await row.tap();
    await messagesOf(page).getByText('is written: 4 characters.').waitFor();
    const session = page.url();
    await swipe(page, 4, 300);
    await row.waitFor();
    expect(page.url()).toBe(`${stage().origin}/`);
    await swipe(page, 356, 60);
    await messagesOf(page).getByText('is written: 4 characters.').waitFor();
    expect(page.url()).toBe(session);
  });

  test('starts a session, and every other view fits its screen', async () => {
    const page = await stage().open('/new', { context: await stage().context(PHONE) });
    const field = page.getByRole('textbox', { name: 'First message' });
    await field.waitFor();
    await fits(page);
    await field.fill('question form');
    await page.getByRole('button', { name: 'Start session' }).tap();
    const form = messagesOf(page).getByRole('form');
    await form.getByRole('radio', { name: 'Small' }).tap();
    await fits(page);
    await form.getByRole('checkbox', { name: 'Seeds' }).tap();
    await form.getByRole('button', { name: 'Submit' }).tap();
    await messagesOf(page).getByText('Answered', { exact: true }).waitFor();
    await visit(page, '/settings');
    await page.getByRole('navigation', { name: 'Sections of the settings' }).waitFor();
    await fits(page);
    for (const section of SECTIONS) {
      await visitSettings(page, section);
      await fits(page);
    }
  });

  test('types into a terminal with the row of keys that its keyboard lacks', async () => {
    const client = await stage().client();
    const terminal = await client.createTerminal({ command: ['/bin/cat', '-v'], name: 'Keys' });
    await terminal.claim({
      client: `agenthost-nobody-${terminal.uri.slice(terminal.uri.lastIndexOf('/') + 1)}`,
    });
    const address = `/terminals?open=${encodeURIComponent(terminal.uri)}`;
    const page = await stage().open(address, { context: await stage().context(PHONE) });
    await page.getByRole('button', { name: 'Take over' }).tap();
    await page.getByText('You type here').waitFor();
    const keys = page.getByRole('toolbar', { name: 'Terminal keys' });
    await keys.getByRole('button', { name: 'Up' }).tap();
    await keys.getByRole('button', { name: 'Esc' }).tap();
    await keys.getByRole('button', { name: '|' }).tap();
    await page.keyboard.press('Enter');
    const output = (): string =>
      terminal.state.content.map((part) => ('value' in part ? part.value : part.output)).join('');
    await expect.poll(output).toContain('^[[A^[|');
    await fits(page);
    await terminal.dispose();
  });
});
