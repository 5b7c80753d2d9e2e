// Sessions in git worktrees: made by the form, merged, and removed when their sessions are gone.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { sessionWorktree } from '@agenthost/protocol';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hasChromium } from '../access/chromium.ts';
import { fieldOf, messagesOf } from './acts.ts';
import { ALL_RULES, violationsOf } from './axe.ts';
import { PHONE, stageOfFile } from './stage.ts';
import { fileIn, openWorkspace } from './workspace-acts.ts';
import { LONG_MS, openSession, repositoryIn, work } from './workspace-session.ts';

const barOf = (page: Page) => page.getByRole('region', { name: 'Worktree', exact: true });

describe.skipIf(!hasChromium)('worktrees in the page', () => {
  const stage = stageOfFile();

  test(
    'the form of a new session offers isolation and a base, and the board marks the session',
    async () => {
      const repository = repositoryIn(stage(), 'form');
      repository.git('branch', 'older');
      const page = await stage().open('/new');
      page.setDefaultTimeout(90_000);
      await page.getByLabel('Folder', { exact: true }).fill(repository.path);
      expect(await page.getByRole('combobox', { name: 'Base' }).count()).toBe(0);
      await page.getByLabel('Isolation').selectOption({ label: 'In a git worktree' });
      await page.getByRole('combobox', { name: 'Base' }).fill('older');
      await page.getByLabel('First message').fill('say Hello from a copy');
      await page.getByRole('button', { name: 'Start session' }).click();
      await messagesOf(page).getByText('Hello from a copy').last().waitFor();
      await openWorkspace(page);
      await barOf(page).getByText('from older').waitFor();
      expect(repository.git('worktree', 'list').trim().split('\n')).toHaveLength(2);
      const rows = page.getByRole('link').filter({ hasText: 'Hello from a copy' });
      await rows.getByText('Worktree').first().waitFor({ state: 'attached' });
    },
    LONG_MS,
  );

  test(
    'a worktree shows how far it is, a merge is refused in words, and then done',
    async () => {
      const repository = repositoryIn(stage(), 'merge');
      const { page, uri } = await openSession(stage(), repository, { config: { isolation: 'worktree' } });
      await work(stage(), uri, 'write hello.md Hello');
      const workspace = await openWorkspace(page);
      const bar = barOf(page);
      await bar.getByText('1 uncommitted file').waitFor();
      await work(stage(), uri, 'run git add . && git commit -qm Hello', 'write more.md More');
      await bar.getByText('1 ahead').waitFor();
      await bar.getByRole('button', { name: 'Merge into main' }).click();
      const dialog = page.getByRole('dialog', { name: /^Merge agenthost\/.* into main\?$/ });
      await dialog.getByText('The worktree has 1 uncommitted file. Commit it first.').waitFor();
      await dialog.getByRole('button', { name: 'Show uncommitted changes' }).click();
      await fileIn(workspace, /more\.md/).waitFor();
      await workspace.getByRole('textbox', { name: 'Commit message' }).fill('More');
      await workspace.getByRole('button', { name: 'Commit', exact: true }).click();
      await bar.getByText('2 ahead').waitFor();

      repository.write('src/one.ts', 'edited by a person\n');
      await bar.getByRole('button', { name: 'Merge into main' }).click();
      await dialog.getByRole('button', { name: 'Merge', exact: true }).click();
      await bar
        .getByRole('alert')
        .getByText(/has 1 changed file: commit or stash/)
        .waitFor();
      await stage().picture(page, 'worktree-refused');
      expect(await violationsOf(page, ALL_RULES)).toEqual([]);
      await bar.getByRole('button', { name: 'Dismiss' }).click();
      repository.git('checkout', '-q', '--', '.');
      await bar.getByRole('button', { name: 'Merge into main' }).click();
      await dialog.getByRole('button', { name: 'Merge', exact: true }).click();
      await expect.poll(() => repository.git('log', '--format=%s', 'main')).toMatch(/^More\nHello\n/);
      await expect.poll(() => bar.getByRole('button', { name: 'Merge into main' }).isDisabled()).toBe(true);

      await bar.getByRole('button', { name: 'Worktree actions' }).click();
      await page.getByRole('menuitem', { name: 'Check out the branch in the project' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Check out' }).click();
      await expect.poll(() => repository.git('branch', '--show-current')).toMatch(/^agenthost\//);
    },
    LONG_MS,
  );

  test(
    'a worktree stays with its session, and one that holds work is removed after a question',
    async () => {
      const repository = repositoryIn(stage(), 'remove');
      const { page, uri } = await openSession(stage(), repository, {
        device: PHONE,
        config: { isolation: 'worktree' },
      });
      const client = await stage().client();
      const session = await client.sessions.open(uri);
      await session.prompt('write hello.md Hello').result;
      const folder = fileURLToPath(sessionWorktree(session.mirror.state)?.uri ?? '');
      await openWorkspace(page);
      await stage().picture(page, 'worktree-phone');
      await barOf(page).getByRole('button', { name: 'Worktree actions' }).click();
      await page.getByRole('menuitem', { name: 'Remove' }).click();
      const stays = page.getByRole('dialog', { name: 'The worktree stays while its session exists' });
      await stays.getByRole('button', { name: 'All worktrees' }).click();
      const entry = page
        .getByRole('list', { name: 'Worktrees' })
        .getByRole('listitem')
        .filter({ hasText: folder });
      const remove = entry.getByRole('button', { name: /^Remove the worktree of agenthost\// });
      await entry.getByText('Holds 1 uncommitted file').waitFor();
      await entry.getByText('A session works in it. Delete the session first.').waitFor();
      expect(await remove.isDisabled()).toBe(true);

      await client.sessions.dispose(uri);
      // The host looks at the worktree after the answer to the client.
      await expect
        .poll(async () => {
          await page.getByRole('button', { name: 'Refresh' }).click();
          return remove.isDisabled();
        })
        .toBe(false);
      expect(existsSync(folder)).toBe(true);
      await stage().picture(page, 'worktree-settings');
      expect(await violationsOf(page, ALL_RULES)).toEqual([]);
      await remove.click();
      const question = page.getByRole('dialog', { name: 'Remove the worktree with its work?' });
      await question.getByText(/It holds 1 uncommitted file/).waitFor();
      await question.getByRole('button', { name: 'Delete uncommitted files and remove' }).click();
      await entry.waitFor({ state: 'detached' });
      expect(existsSync(folder)).toBe(false);
    },
    LONG_MS,
  );

  test(
    'the deletion of a session says that its worktree stays, and what it holds',
    async () => {
      const repository = repositoryIn(stage(), 'delete');
      const { page, uri } = await openSession(stage(), repository, { config: { isolation: 'worktree' } });
      await work(stage(), uri, 'write hello.md Hello');
      await page.getByRole('button', { name: 'Session actions' }).click();
      await page.getByRole('menuitem', { name: 'Delete session' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page
        .getByText('Its worktree holds 1 uncommitted file and stays: see “Settings → Worktrees”.')
        .waitFor();
    },
    LONG_MS,
  );

  test(
    'a client that only observes sees the worktree and no operation',
    async () => {
      const repository = repositoryIn(stage(), 'observe');
      const { page: own, uri } = await openSession(stage(), repository, {
        config: { isolation: 'worktree' },
      });
      const client = await stage().client();
      await (await client.sessions.open(uri)).prompt('write hello.md Hello').result;
      const { secret } = await client.tokens.create({ scope: 'observe' });
      const page = await stage().open(new URL(own.url()).pathname, { token: secret });
      page.setDefaultTimeout(90_000);
      await openWorkspace(page);
      await barOf(page).getByText('1 uncommitted file').waitFor();
      expect(await barOf(page).getByRole('button').count()).toBe(0);
      await fieldOf(own).waitFor();
    },
    LONG_MS,
  );
});
