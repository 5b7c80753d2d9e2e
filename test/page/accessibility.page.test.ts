// No view breaks WCAG 2.1 AA as far as axe can tell: light, dark, and on a phone.
import type { BrowserContextOptions, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hasChromium } from '../access/chromium.ts';
import { messagesOf, SECTIONS, visit, visitSettings, workingIn } from './acts.ts';
import { ALL_RULES, COLOUR_RULES, violationsOf } from './axe.ts';
import { LAPTOP, PHONE, stageOfFile } from './stage.ts';

const DEVICES: readonly (readonly [string, BrowserContextOptions])[] = [
  ['laptop', LAPTOP],
  ['phone', PHONE],
];

describe.skipIf(!hasChromium)('accessibility', () => {
  const stage = stageOfFile();

  let made: Promise<{ readonly approval: string; readonly form: string }> | undefined;
  /** Two chats that wait: one with all kinds of content, a queue and an approval, and one with a form. */
  const chats = () => (made ??= makeChats());
  async function makeChats(): Promise<{ readonly approval: string; readonly form: string }> {
    const client = await stage().client();
    const asking = await stage().session(client, 'question form');
    const { uri, path } = await stage().session(client);
    const session = await client.sessions.open(uri);
    await session.configure({ askBeforeWriting: false });
    const lines = [
      ...['reason Thinking hard', 'say A list: **bold**, `code`, [link](https://example.com)', 'progress 2'],
      ...['say ![image](https://example.com/a.png)', 'write a.txt Rye', 'run echo hi', 'list', 'read a.txt'],
      'delegate say from a worker',
    ];
    await session.prompt(lines.join('\n')).result;
    await session.prompt('fail on purpose').result.catch(() => undefined);
    session.prompt('ask').result.catch(() => undefined);
    await expect.poll(() => session.toolConfirmations().length).toBe(1);
    await session.chat.enqueue('say queued');
    return { approval: path, form: asking.path };
  }

  describe.each(DEVICES)('on a %s', (device, options) => {
    const clean = async (page: Page, view: string): Promise<void> => {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        await page.locator(`html${colorScheme === 'dark' ? '.dark' : ':not(.dark)'}`).waitFor();
        // The views differ in their colours only.
        const rules = colorScheme === 'light' ? ALL_RULES : COLOUR_RULES;
        expect(await violationsOf(page, rules), `${view}, ${device}, ${colorScheme}`).toEqual([]);
      }
    };

    test('sign-in, board, new session and settings are clean', async () => {
      const context = await stage().context(options);
      const page = await context.newPage();
      stage().watch(page);
      await page.goto(stage().origin);
      await page.getByLabel('Access token').waitFor();
      await clean(page, 'sign-in');
      await page.goto(`${stage().origin}/?token=${stage().token}`);
      await page.getByRole('main').getByRole('heading').first().waitFor();
      await clean(page, 'board');
      await visit(page, '/new');
      await page.getByRole('textbox', { name: 'First message' }).waitFor();
      await page.getByRole('button', { name: 'Start session' }).waitFor();
      await clean(page, 'new session');
      for (const section of SECTIONS) {
        await visitSettings(page, section);
        await clean(page, `settings, ${section}`);
      }
    });

    test('a chat with cards, an approval, a form and a queue, and the board that lists it, are clean', async () => {
      const { approval, form } = await chats();
      const context = await stage().context(options);
      const page = await stage().open(approval, { context });
      await messagesOf(page).getByRole('button', { name: 'Allow', exact: true }).waitFor();
      await page.getByRole('region', { name: 'Queued messages' }).waitFor();
      await clean(page, 'chat with an approval');
      await visit(page, form);
      await messagesOf(page).getByRole('form').waitFor();
      await clean(page, 'chat with a form');
      await visit(page, '/');
      await page.getByRole('main').getByRole('link').first().waitFor();
      await clean(page, 'board with sessions');
    });

    test('a terminal is clean', async () => {
      const client = await stage().client();
      const terminal = await client.createTerminal({
        command: ['/bin/sh', '-c', 'echo made; cat'],
        name: 'Builds',
      });
      const context = await stage().context(options);
      const page = await stage().open(`/terminals?open=${encodeURIComponent(terminal.uri)}`, { context });
      await page.getByRole('group', { name: 'Screen of Builds' }).waitFor();
      await clean(page, 'terminals');
      await terminal.dispose();
    });
  });

  test('a page with reduced motion has no transitions', async () => {
    const page = await stage().open('/settings/appearance');
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
    await page.locator('html:not(.dark)').waitFor();
    await page.getByRole('main').getByRole('heading').first().waitFor();
    const transitions = `document.documentElement.classList.add('dark');
      document.getAnimations().filter((each) => each instanceof CSSTransition).length`;
    expect(await page.evaluate<number>(transitions)).toBe(0);
  });

  test('menus, dialogs and the palette are clean', async () => {
    const { path } = await stage().session(await stage().client(), 'hang');
    const page = await stage().open(path);
    await workingIn(page).waitFor();
    await page.getByRole('button', { name: 'Session actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete session' }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('menuitem', { name: 'Delete session' }).click();
    await page.getByRole('dialog').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').waitFor();
    expect(await violationsOf(page)).toEqual([]);
  });
});
