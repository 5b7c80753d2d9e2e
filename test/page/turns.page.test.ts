// Changes of turns in the page: the link at the end of a turn, ranges, and messages that are edited together with files.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { hasChromium } from '../access/chromium.ts';
import { messagesOf } from './acts.ts';
import { LAPTOP, PHONE, stageOfFile } from './stage.ts';
import { fileIn, openWorkspace, workspaceOf } from './workspace-acts.ts';
import { LONG_MS, openSession, repositoryIn, work } from './workspace-session.ts';

describe.skipIf(!hasChromium)('changes of turns', () => {
  const stage = stageOfFile();

  test(
    '[CS-1] each turn says how many files it changed, and a range has the changes of its turns alone',
    async () => {
      const repository = repositoryIn(stage(), 'turns');
      // All turns are in view.
      const device = { ...LAPTOP, viewport: { width: 1280, height: 2_400 } };
      const { page, uri } = await openSession(stage(), repository, { device });
      await work(stage(), uri, 'write one.md One');
      await work(stage(), uri, 'write two.md Two', 'write two-b.md Two');
      await work(stage(), uri, 'write three.md Three');
      await work(stage(), uri, 'say Nothing to do');
      const links = messagesOf(page).getByRole('button', { name: /files? changed/ });
      await links.getByText('1 file changed').first().waitFor();
      await links.getByText('2 files changed').click();
      const workspace = workspaceOf(page);
      await fileIn(workspace, /added two\.md/).waitFor();
      await fileIn(workspace, /added two-b\.md/).waitFor();
      expect(await fileIn(workspace, /one\.md|three\.md/).count()).toBe(0);

      await workspace.getByRole('combobox', { name: 'Which changes' }).selectOption('turns');
      await fileIn(workspace, /three\.md/).waitFor();
      await fileIn(workspace, /two\.md/).waitFor();
      expect(await fileIn(workspace, /one\.md/).count()).toBe(0);
      const lastFirst = await workspace.getByRole('combobox', { name: 'After' }).locator('option').all();
      expect(lastFirst).toHaveLength(3);
      await workspace.getByRole('combobox', { name: 'Up to' }).selectOption({ index: 2 });
      await expect.poll(() => fileIn(workspace, /three\.md/).count()).toBe(0);
      await fileIn(workspace, /two\.md/).waitFor();
      await stage().picture(page, 'workspace-range');
      // The address has the range, so a reload shows it again.
      await page.reload();
      await fileIn(workspace, /two\.md/).waitFor();
      expect(await fileIn(workspace, /three\.md/).count()).toBe(0);
      await workspace.getByRole('combobox', { name: 'After' }).selectOption({ index: 0 });
      await fileIn(workspace, /three\.md/).waitFor({ state: 'detached' });
      await workspace.getByText('These turns have changed no file.').waitFor();
    },
    LONG_MS,
  );

  test(
    '[CS-1] the branch is compared with its base',
    async () => {
      const repository = repositoryIn(stage(), 'base');
      repository.git('switch', '-q', '-c', 'topic');
      const { page, uri } = await openSession(stage(), repository);
      await work(stage(), uri, 'write one.md One');
      const workspace = await openWorkspace(page);
      await workspace.getByRole('combobox', { name: 'Which changes' }).selectOption('branch');
      await workspace.getByTitle('topic compared with main').waitFor();
      await fileIn(workspace, /added one\.md/).waitFor();
    },
    LONG_MS,
  );

  test(
    'an edited message is sent again after its changes of files are taken back, on a phone too',
    async () => {
      const repository = repositoryIn(stage(), 'edit');
      const { page, uri } = await openSession(stage(), repository, { device: PHONE });
      await work(stage(), uri, 'write a.txt one');
      await work(stage(), uri, 'write a.txt two', 'write b.txt new');
      // The line with the count comes last, and moves the button.
      await messagesOf(page).getByRole('button', { name: '2 files changed' }).waitFor();
      await messagesOf(page).getByRole('button', { name: 'Edit and send again' }).last().click();
      await page.getByRole('checkbox', { name: /^Also take back/ }).check();
      await page.getByRole('textbox', { name: 'Edit message' }).fill('write c.txt three');
      await page.getByRole('button', { name: 'Send', exact: true }).first().click();
      await messagesOf(page).getByText('c.txt is written').waitFor();
      expect(readFileSync(`${repository.path}/a.txt`, 'utf8')).toBe('one\n');
      expect(repository.git('status', '--porcelain')).toBe('?? a.txt\n?? c.txt\n');
    },
    LONG_MS,
  );
});
