// What people do between prompts in the page with a real agent, beside the command line at the same session. The agent talks to the stand-in
// model.
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hasChromium } from '../access/chromium.ts';
import { messagesOf, workingIn } from '../page/acts.ts';
import { commandLine } from '../page/command-line.ts';
import { Repository } from '../page/repository.ts';
import { LAPTOP } from '../page/stage.ts';
import { diffOf, fileIn, lineIn, openWorkspace } from '../page/workspace-acts.ts';
import { agentAbilities } from './agent-abilities.ts';
import { AGENT, agentPage, hasAgent } from './agent-page.ts';
import { present } from './chat-reading.ts';
import { afterTool, allPrompt, readPrompt, shellPrompt, writePrompt } from './stand-in-model.ts';

/** The agent starts twice, and each turn and each operation runs git several times. */
const LONG_MS = 600_000;

const NUMBERS = 'src/deep/numbers.txt';

describe.skipIf(!hasChromium || !hasAgent)('the workspace with a real agent', () => {
  const stage = agentPage();

  /** Allows each tool call of the running turn, until the turn has ended. `count`: the calls that are asked about. */
  const allow = async (page: Page, count: number): Promise<void> => {
    for (let index = 0; index < count; index += 1) {
      const button = messagesOf(page)
        .getByRole('button', { name: /^(Allow|Yes)/ })
        .and(page.locator('[aria-disabled=false]'))
        .first();
      await button.waitFor();
      await button.click();
      await button.waitFor({ state: 'detached' });
    }
    await workingIn(page).waitFor({ state: 'detached' });
  };

  test(
    '[CS-1] [CS-4] [ANN-1] the agent changes three files, fixes what a comment says, and a hunk is reverted, brought back, committed and pushed',
    async () => {
      const repository = new Repository(
        join(stage().folder, 'work', 'shop'),
        join(stage().folder, 'shop.git'),
      );
      const [one, added] = ['src/one.ts', 'new.md'].map((name) => join(repository.path, name));
      const context = await stage().context(LAPTOP);
      const page = await stage().open('/', { context });
      page.setDefaultTimeout(120_000);
      await page.getByRole('link', { name: 'New session' }).first().click();
      await page
        .getByRole('combobox', { name: 'Agent' })
        .selectOption({ label: agentAbilities[AGENT].displayName });
      await page.getByRole('button', { name: 'Browse…' }).click();
      const folders = page.getByRole('dialog', { name: 'Choose a folder' });
      for (const name of ['work', 'shop'])
        await folders
          .getByRole('list', { name: 'Folders' })
          .getByRole('button', { name, exact: true })
          .click();
      await folders.getByRole('button', { name: 'Use this folder' }).click();
      await page
        .getByRole('textbox', { name: 'First message' })
        .fill(
          allPrompt(
            readPrompt(present(one)),
            writePrompt(present(one), 'export const one = 3;\n'),
            writePrompt(present(added), 'hello\n'),
            shellPrompt(`sed -i 's/line 30/line thirty/; s/line 2$/line two/' ${NUMBERS}`),
          ),
        );
      await page.getByRole('button', { name: 'Start session' }).click();
      await page.waitForURL(/\/s\//);
      await allow(page, 3);
      await messagesOf(page).getByText(afterTool, { exact: true }).waitFor();

      const session = decodeURIComponent(page.url().split('/s/')[1] ?? '').replace(
        /^ahp-session:\/|[?#].*$/g,
        '',
      );
      const cli = (...args: string[]): Promise<string> => commandLine(stage(), ...args);
      const workspace = await openWorkspace(page);
      await fileIn(workspace, /added new\.md/).waitFor();
      await fileIn(workspace, /changed one\.ts/).waitFor();
      await fileIn(workspace, /changed numbers\.txt/).click();
      await diffOf(workspace).getByText('line thirty', { exact: true }).waitFor();
      expect(await cli('changes', session)).toBe(
        `A  new.md                +1 -0\nM  ${NUMBERS}  +2 -2\nM  src/one.ts            +1 -2\n`,
      );
      await stage().picture(page, 'agent-changes');

      await lineIn(workspace, 30).first().click();
      await page.keyboard.press('c');
      await workspace
        .getByRole('textbox', { name: 'Comment' })
        .fill(shellPrompt(`sed -i 's/line thirty/line 30/' ${NUMBERS}`));
      await page.keyboard.press('Control+Enter');
      await workspace.getByRole('article', { name: 'Comment' }).waitFor();
      expect(await cli('comments', session)).toContain(`open      ${NUMBERS}:30`);
      await workspace.getByRole('button', { name: 'Send to the agent' }).click();
      const sending = page.getByRole('dialog', { name: 'Send 1 comment to the agent?' });
      await sending.getByRole('button', { name: 'Send' }).click();
      await allow(page, 1);
      await messagesOf(page).getByText(afterTool, { exact: true }).nth(1).waitFor();
      // The first turn has changed three.
      await messagesOf(page)
        .getByRole('button', { name: /^1 file changed/ })
        .click();
      for (const other of [/added new\.md/, /changed one\.ts/])
        await fileIn(workspace, other).waitFor({ state: 'detached' });
      await fileIn(workspace, /changed numbers\.txt/).click();
      await diffOf(workspace).getByText('line thirty', { exact: true }).waitFor();
      await stage().picture(page, 'agent-fix');

      await page.getByRole('button', { name: 'Hide the chat' }).click();
      await workspace.getByRole('combobox', { name: 'Which changes' }).selectOption('uncommitted');
      await fileIn(workspace, /changed numbers\.txt/).click();
      await diffOf(workspace).getByText('line two').waitFor();
      await workspace.getByRole('button', { name: 'Revert this change' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Revert' }).click();
      await expect.poll(() => repository.read(NUMBERS)).toContain('line 1\nline 2\nline 3\n');
      // The other client sees the revert, and undoes it.
      expect(await cli('changes', session, '--uncommitted', '--name-only')).toBe('new.md\nsrc/one.ts\n');
      await cli('revert', session, '--uncommitted', '--undo');
      expect(repository.read(NUMBERS)).toContain('line 1\nline two\nline 3\n');
      await fileIn(workspace, /changed numbers\.txt/).waitFor();

      await workspace.getByRole('textbox', { name: 'Commit message' }).fill('Change three files');
      await workspace.getByRole('textbox', { name: 'Commit message' }).press('Control+Enter');
      await workspace.getByText('No changes').waitFor();
      expect(repository.git('log', '-1', '--format=%s', '--name-only')).toBe(
        `Change three files\n\nnew.md\n${NUMBERS}\nsrc/one.ts\n`,
      );
      await workspace.getByRole('button', { name: 'Push' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Push' }).click();
      await expect.poll(() => repository.pushed).toBe(repository.head);
      expect(repository.git('status', '--porcelain')).toBe('');
      expect(await cli('git', 'status', session)).toBe('on main, follows origin/main\n');
    },
    LONG_MS,
  );
});
