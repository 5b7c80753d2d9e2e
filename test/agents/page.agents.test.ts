// The page with a real agent, from the link to the first answer. The agent talks to the stand-in model.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hasChromium } from '../access/chromium.ts';
import { fieldOf, messagesOf, say, workingIn } from '../page/acts.ts';
import { agentAbilities } from './agent-abilities.ts';
import { AGENT, agentPage, hasAgent } from './agent-page.ts';
import { textIn } from './chat-reading.ts';
import { afterTool, greeting, slowPrompt, writePrompt } from './stand-in-model.ts';

const TURN_TIMEOUT_MS = 180_000;

describe.skipIf(!hasChromium || !hasAgent)('the page with a real agent', () => {
  const stage = agentPage({ defaultAgent: 'demo' });

  const open = async (path: string): Promise<Page> => {
    const context = await stage().context();
    context.setDefaultTimeout(TURN_TIMEOUT_MS);
    return stage().open(path, { context });
  };

  test('a new user chooses the agent and a folder, reads answers as they are written, and approves a change', {
    timeout: 2 * TURN_TIMEOUT_MS,
  }, async () => {
    const page = await open('/');
    await page.getByText('No session yet').first().waitFor();
    await page.getByRole('link', { name: 'New session' }).first().click();
    await page
      .getByRole('combobox', { name: 'Agent' })
      .selectOption({ label: agentAbilities[AGENT].displayName });
    await page.getByRole('button', { name: 'Browse…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Choose a folder' });
    await dialog
      .getByRole('list', { name: 'Folders' })
      .getByRole('button', { name: 'work', exact: true })
      .click();
    await dialog.getByRole('button', { name: 'Use this folder' }).click();
    await page.getByRole('textbox', { name: 'First message' }).fill('Hello, who are you?');
    await page.getByRole('button', { name: 'Start session' }).click();
    await page.waitForURL(/\/s\//);
    await messagesOf(page).getByText(greeting, { exact: true }).waitFor();
    await workingIn(page).waitFor({ state: 'detached' });

    await say(page, slowPrompt);
    await messagesOf(page).getByText('word1 word2').waitFor();
    await messagesOf(page).getByText('word9 word10').waitFor();
    await workingIn(page).waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await messagesOf(page).getByText('Stopped', { exact: true }).waitFor();

    const file = join(stage().folder, 'work', 'bread.txt');
    await say(page, writePrompt(file, 'Rye, not wheat'));
    const panel = messagesOf(page).getByRole('region').filter({ hasText: 'Rye, not wheat' });
    const allow = panel.getByRole('button', { name: /^(Allow|Yes)/ }).first();
    await allow.and(page.locator('[aria-disabled=false]')).waitFor();
    expect(await textIn(file)).toBeUndefined();
    await allow.click();
    await messagesOf(page).getByText(afterTool, { exact: true }).waitFor();
    expect(await readFile(file, 'utf8')).toBe('Rye, not wheat');
    expect(await fieldOf(page).isVisible()).toBe(true);
  });
});
