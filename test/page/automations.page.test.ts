// Automations in a real browser: one is added with its next times, started, and its run opened; on a laptop and on a phone.
import type { AhpClient } from '@agenthost/client';
import { openAutomations } from '@agenthost/client';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hasChromium } from '../access/chromium.ts';
import { ALL_RULES, COLOUR_RULES, violationsOf } from './axe.ts';
import { PHONE, stageOfFile } from './stage.ts';

const NIGHTLY = 'ahp-automation:/nightly';

/** An automation with a run that has ended, and one that the host has disabled. */
async function define(client: AhpClient, folder: string): Promise<void> {
  const automations = await openAutomations(client);
  const session = { provider: 'demo', workingDirectories: [folder] };
  const schedule = { expression: '*/30 9-17 * * MON-FRI', timeZone: 'Asia/Kathmandu' };
  await automations.define(
    {
      plugins: [
        {
          id: 'kit',
          name: 'Release kit',
          files: {
            'plugin.json': '{"name": "Release kit", "version": "2.1"}',
            'rules/style.md': 'Use tabs.',
            'hooks/hooks.json': 'no JSON',
          },
        },
      ],
      title: 'Look for new issues',
      message: 'say nothing new',
      session,
      triggers: [{ id: 's', kind: 'schedule', schedule }],
      disableConditions: [{ kind: 'afterRuns', max: 20 }],
    },
    NIGHTLY,
  );
  const ended = { kind: 'afterDate', date: '2020-01-01T00:00:00Z' } as const;
  await automations.define({ title: 'Past', message: 'say x', session, disableConditions: [ended] });
  const run = await automations.openRun(await automations.run(NIGHTLY));
  await run.ended();
  automations.dispose();
}

async function clean(page: Page, view: string): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  expect(await violationsOf(page, ALL_RULES), `${view}, light`).toEqual([]);
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
  await page.locator('html.dark').waitFor();
  expect(await violationsOf(page, COLOUR_RULES), `${view}, dark`).toEqual([]);
}

describe.skipIf(!hasChromium)('automations', () => {
  const stage = stageOfFile();

  test('[AUTO-8] [AUTO-10] one is added, shows its next times, runs, and leads to the session of the run', async () => {
    const page = await stage().open('/settings');
    await page.getByRole('link', { name: 'Automations' }).click();
    await page.getByRole('heading', { name: 'No automations yet' }).waitFor();
    await page.getByRole('button', { name: 'New automation' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Say what the agent is to do.').waitFor();
    await page.getByLabel('Prompt').fill('say hello from a run');
    await page.getByLabel('When').selectOption('Own times (cron)');
    await page.getByLabel('Cron expressions').fill('61 * * * *');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('minute: expected').waitFor();
    await page.getByLabel('When').selectOption('Every day');
    await page.getByLabel('Time', { exact: true }).fill('04:30');
    await page.getByLabel('Time zone').fill('Asia/Kathmandu');
    await page.getByLabel('The turn fails').check();
    await page.getByText(/^Next: .*4:30 AM ·/).waitFor();
    await stage().picture(page, 'automation-form');
    await page.getByRole('button', { name: 'Save' }).click();
    const entry = page.getByRole('list', { name: 'Automations' }).getByRole('listitem').first();
    await entry
      .getByText('Every day at 04:30 (Asia/Kathmandu) · On events: A turn of a session ends')
      .waitFor();
    await entry.getByRole('button', { name: 'Run now: “say hello from a run”' }).click();
    await entry.getByText('Completed').first().waitFor();
    await entry.getByRole('switch').click();
    await entry.getByText('Off', { exact: true }).waitFor();
    await stage().picture(page, 'automations');
    await entry.getByRole('link', { name: 'Open session' }).click();
    await page.getByText('hello from a run').last().waitFor();
  });

  test('[AUTO-12] the list and the form are clean on a phone, and a disabled automation says why', async () => {
    const client = await stage().client();
    await define(client, stage().workUri);
    const context = await stage().context(PHONE);
    const page = await stage().open(`/automations?open=${encodeURIComponent(NIGHTLY)}`, { context });
    await page.getByText('Ends after 20 scheduled runs, 0 so far').waitFor();
    await page.getByText('Off: its end has come').waitFor();
    const plugins = page.getByRole('list', { name: 'Plugins of “Look for new issues”' });
    await plugins.getByText('2.1').waitFor();
    await plugins.getByText('hooks/hooks.json').scrollIntoViewIfNeeded();
    await stage().picture(page, 'automations-phone');
    await clean(page, 'automations');
    await stage().picture(page, 'automations-phone-dark');
    await page.getByRole('button', { name: 'Edit “Look for new issues”' }).click();
    await page.getByLabel('Cron expressions').waitFor();
    expect(await page.getByLabel('Cron expressions').inputValue()).toBe('*/30 9-17 * * MON-FRI');
    await clean(page, 'form');
    await stage().picture(page, 'automation-form-phone-dark');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Issues');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Details and runs of “Issues”' }).waitFor();
    // The form has no plugins, and keeps those that are there.
    await page.getByRole('list', { name: 'Plugins of “Issues”' }).getByText('2.1').waitFor();
  });
});
