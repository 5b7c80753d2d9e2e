// The customizations of a session in a real browser: found in the project and published by a client, with problems and switches.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hasChromium } from '../access/chromium.ts';
import { violationsOf } from './axe.ts';
import { PHONE, stageOfFile } from './stage.ts';

describe.skipIf(!hasChromium)('customizations', () => {
  const stage = stageOfFile();

  test('[CUST-20] are shown as a tree with problems, and a switch decides at the chosen level', async () => {
    const write = (path: string, text: string): void => {
      const file = join(stage().folder, 'work', path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    };
    write('.agents/rules/style.mdc', '---\ndescription: Style of the code\nglobs: "*.ts"\n---\nUse tabs.');
    write('.agents/rules/broken.mdc', '---\nalwaysApply: perhaps\n---\nText.');
    write(
      '.agents/hooks/format.json',
      '{"hooks": {"PostToolUse": [{"matcher": "Edit", "hooks": [{"type": "command", "command": "npm run format"}]}]}}',
    );
    const client = await stage().client('Editor');
    const { uri, path } = await stage().session(client);
    const session = await client.sessions.open(uri);
    const files = {
      'plugin.json': '{"name": "Reviews", "version": "2.1"}',
      'agents/reviewer.md':
        '---\ndescription: Reviews changes\nmodel: large\ntools: Read, Search\n---\nYou review.',
      'skills/pdf/SKILL.md': '---\ndescription: Reads PDF files\n---\nUse pdftotext.',
    };
    await session.publishPlugin({ id: 'reviews', name: 'Reviews', files }, { displayName: 'Editor' });
    await expect.poll(() => session.mirror.state.customizations?.length, { timeout: 20_000 }).toBe(3);
    const page = await stage().open(path);
    await page.getByRole('button', { name: 'Session actions' }).click();
    await page.getByRole('menuitem', { name: 'Customizations' }).click();
    const dialog = page.getByRole('dialog', { name: 'Customizations' });
    await dialog.getByText('.agents/rules/broken.mdc:2:14: alwaysApply: expected true or false').waitFor();
    await dialog.getByText('from Editor').waitFor();
    await dialog.getByText('asks before it runs').waitFor();
    await stage().picture(page, 'customizations');
    await page.emulateMedia({ colorScheme: 'dark' });
    await stage().picture(page, 'customizations-dark');
    await dialog.getByRole('combobox', { name: 'A switch decides' }).selectOption('for this folder');
    const style = dialog.getByRole('switch', { name: 'Enable style' });
    await style.click();
    await dialog.getByText('decided for this folder').waitFor();
    expect(await style.getAttribute('aria-checked')).toBe('false');
    await dialog.getByRole('button', { name: 'Take back the decision about style' }).click();
    await dialog.getByText('decided for this folder').waitFor({ state: 'detached' });
    expect(await style.getAttribute('aria-checked')).toBe('true');
    expect(await violationsOf(page)).toEqual([]);
    const phone = await stage().open(path, { context: await stage().context(PHONE) });
    await phone.getByRole('button', { name: 'Session actions' }).click();
    await phone.getByRole('menuitem', { name: 'Customizations' }).click();
    await phone.getByRole('dialog', { name: 'Customizations' }).getByText('Reviews changes').waitFor();
    await stage().picture(phone, 'customizations-phone');
    expect(await violationsOf(phone)).toEqual([]);
  });
});
