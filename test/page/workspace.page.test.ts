// Changes, comments, files and git in the page, with a real repository.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hasChromium } from '../access/chromium.ts';
import { fieldOf, messagesOf, visit } from './acts.ts';
import { ALL_RULES, COLOUR_RULES, violationsOf } from './axe.ts';
import { LAPTOP, PHONE, stageOfFile } from './stage.ts';
import { diffOf, fileIn, lineIn, openWorkspace, workspaceOf } from './workspace-acts.ts';
import { LONG_MS, letGoOn, openSession, repositoryIn, work } from './workspace-session.ts';

/** Images of 32 × 32 px in one colour. */
const RED =
  'iVBORw0KGgoAAAANSUhEUgAAACAAAAAgCAIAAAD8GO2jAAAAKklEQVR4nGO4IydHU8QwasGoBaMWjFowasGoBaMWjFowasGoBaMWDBULAJI2YD1ZaHIvAAAAAElFTkSuQmCC';
const BLUE =
  'iVBORw0KGgoAAAANSUhEUgAAACAAAAAgCAIAAAD8GO2jAAAAKklEQVR4nGOQk7tDU8QwasGoBaMWjFowasGoBaMWjFowasGoBaMWDBULAKHcYD2GyvRpAAAAAElFTkSuQmCC';

const DEVICES = [
  ['laptop', LAPTOP],
  ['phone', PHONE],
] as const;

describe.skipIf(!hasChromium)('the workspace of a session', () => {
  const stage = stageOfFile();

  test(
    '[CS-4] [ANN-1] the agent changes files, a comment is sent, a hunk is reverted and comes back, and all is committed and pushed',
    async () => {
      const repository = repositoryIn(stage(), 'story');
      const { page, uri } = await openSession(stage(), repository);
      await work(
        stage(),
        uri,
        'write src/one.ts export const one = 3',
        'write new.md hello',
        'run sed -i "s/line 30/line thirty/; s/line 2$/line two/" src/deep/numbers.txt',
      );
      const workspace = await openWorkspace(page);
      await page.getByRole('button', { name: 'Hide the chat' }).click();
      await fileIn(workspace, /added new\.md/).waitFor();
      await fileIn(workspace, /changed one\.ts/).waitFor();
      await fileIn(workspace, /changed numbers\.txt/).click();
      await diffOf(workspace).getByText('line thirty').waitFor();
      await stage().picture(page, 'workspace-diff');

      await lineIn(workspace, 30).first().click();
      await page.keyboard.press('c');
      await workspace.getByRole('textbox', { name: 'Comment' }).fill('Write it as 30');
      await page.keyboard.press('Control+Enter');
      await workspace.getByRole('article', { name: 'Comment' }).waitFor();
      await workspace.getByRole('button', { name: 'Send to the agent' }).click();
      const dialog = page.getByRole('dialog', { name: 'Send 1 comment to the agent?' });
      await dialog
        .getByRole('textbox')
        .fill('question text\nrun sed -i "s/line thirty/line 30/" src/deep/numbers.txt');
      await dialog.getByRole('button', { name: 'Send' }).click();
      const session = await (await stage().client()).sessions.open(uri);
      await expect.poll(() => session.chat.mirror.state.activeTurn?.id).toBeDefined();
      await letGoOn(session, session.chat.mirror.state.activeTurn?.id ?? '');
      await page.getByRole('button', { name: 'Show the chat' }).click();
      // The demo agent repeats what it got: file, lines and comment.
      await messagesOf(page)
        .getByText(/Write it as 30/)
        .first()
        .waitFor();
      await messagesOf(page)
        .getByText(/ended with exit code 0/)
        .nth(1)
        .waitFor();
      await messagesOf(page)
        .getByRole('button', { name: /^1 file changed/ })
        .last()
        .click();
      await workspace.getByText(/−1/).first().waitFor();
      await fileIn(workspace, /numbers\.txt/).click();
      await diffOf(workspace).getByText('line thirty').waitFor();
      await stage().picture(page, 'workspace-turn');

      await page.getByRole('button', { name: 'Hide the chat' }).click();
      await workspace.getByRole('combobox', { name: 'Which changes' }).selectOption('uncommitted');
      await fileIn(workspace, /numbers\.txt/).click();
      await diffOf(workspace).getByText('line two').waitFor();
      await workspace.getByRole('button', { name: 'Revert this change' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Revert' }).click();
      await expect.poll(() => repository.read('src/deep/numbers.txt')).toContain('line 2\n');
      await workspace.getByRole('button', { name: 'Undo the revert' }).click();
      await expect.poll(() => repository.read('src/deep/numbers.txt')).toContain('line two\n');

      await stage().picture(page, 'workspace-git');
      const message = workspace.getByRole('textbox', { name: 'Commit message' });
      await message.fill('Change three files');
      await message.press('Control+Enter');
      await expect.poll(() => repository.git('log', '--format=%s', '-1')).toBe('Change three files\n');
      await workspace.getByText('No changes').waitFor();
      await workspace.getByRole('button', { name: 'Push' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Push' }).click();
      await expect.poll(() => repository.pushed).toBe(repository.head);
      expect(repository.git('status', '--porcelain')).toBe('');
    },
    LONG_MS,
  );

  test(
    '[CS-22] reviewed marks are set, counted, and reset when the file changes',
    async () => {
      const repository = repositoryIn(stage(), 'review');
      const { page, uri } = await openSession(stage(), repository);
      await work(stage(), uri, 'write a.txt one', 'write b.txt two');
      const workspace = await openWorkspace(page);
      await page.getByRole('button', { name: 'Hide the chat' }).click();
      await fileIn(workspace, /a\.txt/).click();
      const tick = workspace.getByRole('checkbox', { name: 'Reviewed' });
      // The host's state sets the mark, which may be a frame later.
      await tick.click();
      await workspace.getByText('1 of 2 reviewed').waitFor();
      await work(stage(), uri, 'write a.txt other');
      await workspace.getByText('0 of 2 reviewed').waitFor();
      expect(await tick.isChecked()).toBe(false);
    },
    LONG_MS,
  );

  test(
    'a diff is read and commented on by keyboard',
    async () => {
      const repository = repositoryIn(stage(), 'keys');
      const { page, uri } = await openSession(stage(), repository);
      await work(
        stage(),
        uri,
        'run sed -i "s/line 30/line thirty/; s/line 2$/line two/" src/deep/numbers.txt',
      );
      const workspace = await openWorkspace(page);
      await page.getByRole('button', { name: 'Hide the chat' }).click();
      await diffOf(workspace).getByText('line thirty').waitFor();
      await page.keyboard.press('j');
      await workspace.getByText('Line 2, added: line two').waitFor();
      await page.keyboard.press('j');
      await workspace.getByText('Line 30, added: line thirty').waitFor();
      await page.keyboard.press('k');
      await workspace.getByText('Line 2, added: line two').waitFor();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Shift+ArrowDown');
      await workspace.getByText('2 lines selected').waitFor();
      await page.keyboard.press('c');
      await workspace.getByRole('textbox', { name: 'Comment' }).and(page.locator(':focus')).waitFor();
      await page.keyboard.type('Both lines');
      await page.keyboard.press('Control+Enter');
      await workspace.getByRole('article', { name: 'Comment' }).getByText('Both lines').waitFor();
      await workspace.getByRole('button', { name: 'Line 30 before the change' }).click();
      await page.keyboard.press('c');
      await workspace.getByRole('textbox', { name: 'Comment' }).and(page.locator(':focus')).waitFor();
      await page.keyboard.type('Why not keep it?');
      await page.keyboard.press('Control+Enter');
      await workspace.getByRole('article', { name: 'Comment' }).getByText('> line 30').waitFor();
      const session = await (await stage().client()).sessions.open(uri);
      const annotations = await session.annotations();
      await expect
        .poll(() => annotations.all.map(({ range }) => [range?.start.line, range?.end.line]))
        .toEqual([
          [2, 4],
          [undefined, undefined],
        ]);
      annotations.dispose();
    },
    LONG_MS,
  );

  test(
    'files are browsed, searched, commented on, and follow the disk',
    async () => {
      const repository = repositoryIn(stage(), 'browse');
      repository.write('.env', 'SECRET=1\n');
      mkdirSync(join(repository.path, 'dist'));
      repository.write('dist/out.js', 'built\n');
      const { page } = await openSession(stage(), repository);
      await page.getByRole('button', { name: /^Changes and files/ }).click();
      const workspace = workspaceOf(page);
      await workspace.getByText('No changes').waitFor();
      await page.getByRole('button', { name: 'Hide the chat' }).click();
      await workspace.getByRole('button', { name: 'Files', exact: true }).click();
      const tree = workspace.getByRole('list', { name: 'Files of the session' });
      await tree.getByRole('button', { name: 'src' }).click();
      await tree.getByRole('button', { name: 'deep' }).click();
      expect(await tree.getByRole('button', { name: 'dist' }).count()).toBe(0);
      expect(await tree.getByRole('button', { name: '.env' }).count()).toBe(0);
      await workspace.getByRole('switch', { name: 'Show ignored files' }).click();
      await tree.getByRole('button', { name: 'dist' }).waitFor();
      expect(await tree.getByRole('button', { name: '.env' }).count()).toBe(0);
      await workspace.getByRole('switch', { name: 'Show hidden files' }).click();
      await tree.getByRole('button', { name: '.env' }).waitFor();
      await tree.getByRole('button', { name: 'dist' }).focus();
      await page.keyboard.press('ArrowRight');
      await tree.getByRole('button', { name: 'out.js' }).waitFor();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await workspace.getByText('built', { exact: true }).waitFor();
      await tree.getByRole('button', { name: 'numbers.txt' }).click();
      await workspace.getByText('line 1', { exact: true }).waitFor();
      await workspace.getByRole('button', { name: 'Find in this file' }).click();
      await workspace.getByRole('textbox', { name: 'Find in this file' }).fill('LINE 5');
      await workspace.getByText('0 of 11').waitFor();
      await page.keyboard.press('Enter');
      await workspace.getByText('1 of 11').waitFor();
      await page.keyboard.press('Escape');
      await workspace.getByRole('textbox', { name: 'Go to line' }).fill('58');
      await page.keyboard.press('Enter');
      await workspace.getByText('Line 58: line 58').waitFor();
      await stage().picture(page, 'workspace-file');
      await workspace.getByRole('button', { name: 'Comment', exact: true }).click();
      await page.keyboard.type('The last ones');
      await page.keyboard.press('Control+Enter');
      await workspace.getByRole('article', { name: 'Comment' }).getByText('The last ones').waitFor();
      repository.write('src/deep/numbers.txt', 'all new\n');
      repository.write('src/fresh.ts', 'export {};\n');
      await workspace.getByText('all new').waitFor();
      await tree.getByRole('button', { name: 'fresh.ts' }).waitFor();
      await workspace.getByText('1 comment on lines that this version does not have').waitFor();
    },
    LONG_MS,
  );

  test(
    'of a large file the beginning is shown, more on demand, and all of it is downloaded',
    async () => {
      const repository = repositoryIn(stage(), 'large');
      const line = `${'x'.repeat(99)}\n`;
      repository.write('large.log', `first\n${line.repeat(60_000)}last\n`);
      const { page } = await openSession(stage(), repository);
      await page.getByRole('button', { name: /^Changes and files/ }).click();
      const workspace = workspaceOf(page);
      await workspace.getByRole('button', { name: 'Files', exact: true }).click();
      await workspace.getByRole('button', { name: 'large.log' }).click();
      await workspace.getByText('first', { exact: true }).waitFor();
      const note = workspace.getByText(/^The first .* of .* are shown\.$/);
      const before = await note.textContent();
      await workspace.getByRole('button', { name: 'Show more' }).click();
      await expect.poll(() => note.textContent()).not.toBe(before);
      const downloaded = page.waitForEvent('download');
      await workspace.getByRole('button', { name: /^Download \d/ }).click();
      const stream = await (await downloaded).createReadStream();
      const chunks = await stream.toArray();
      expect(Buffer.concat(chunks).toString()).toBe(repository.read('large.log'));
    },
    LONG_MS,
  );

  test(
    'messages are removed together with what their turns changed in files',
    async () => {
      const repository = repositoryIn(stage(), 'restore');
      const { page, uri } = await openSession(stage(), repository);
      await work(stage(), uri, 'write a.txt one');
      await work(stage(), uri, 'write a.txt two', 'write b.txt new');
      expect(repository.read('a.txt')).toBe('two\n');
      await messagesOf(page).getByRole('button', { name: 'Message actions' }).first().click();
      await page.getByRole('menuitem', { name: 'Remove everything after this' }).click();
      const dialog = page.getByRole('dialog', { name: 'Remove later messages?' });
      await dialog.getByRole('checkbox', { name: /^Also take back/ }).check();
      await dialog.getByRole('button', { name: 'Remove' }).click();
      await expect.poll(() => repository.read('a.txt')).toBe('one\n');
      await expect.poll(() => repository.git('status', '--porcelain')).toBe('?? a.txt\n');
      await expect.poll(() => messagesOf(page).getByText('write b.txt new').count()).toBe(0);
    },
    LONG_MS,
  );

  test(
    'on a phone it covers the chat, and Back closes it',
    async () => {
      const repository = repositoryIn(stage(), 'phone');
      const { page, uri } = await openSession(stage(), repository, { device: PHONE });
      await work(stage(), uri, 'run sed -i "s/line 30/line thirty/" src/deep/numbers.txt');
      const workspace = await openWorkspace(page);
      await stage().picture(page, 'workspace-phone-list');
      await fileIn(workspace, /numbers\.txt/).click();
      await diffOf(workspace).getByText('line thirty').waitFor();
      await lineIn(workspace, 30).click();
      await workspace.getByRole('button', { name: 'Comment', exact: true }).last().waitFor();
      await stage().picture(page, 'workspace-phone-diff');
      await page.goBack();
      await fileIn(workspace, /numbers\.txt/).waitFor();
      await page.goBack();
      await workspace.waitFor({ state: 'hidden' });
      await fieldOf(page).waitFor();
    },
    LONG_MS,
  );

  test(
    'images are compared, binaries and large files are told in words, and hostile names stay text',
    async () => {
      const repository = repositoryIn(stage(), 'kinds');
      const { page, uri } = await openSession(stage(), repository);
      const evil = '\u202e<img src=x onerror=alert(1)>.txt';
      await work(
        stage(),
        uri,
        `run printf '%b' 'a\\0b' > data.bin; yes | head -c 6000000 > large.txt; echo "${RED}" | base64 -d > red.png; echo hi > '${evil}'; chmod +x src/one.ts`,
      );
      const workspace = await openWorkspace(page);
      await page.getByRole('button', { name: 'Hide the chat' }).click();
      await fileIn(workspace, /data\.bin/).click();
      await workspace.getByText('Binary file. Its content cannot be compared.').waitFor();
      await fileIn(workspace, /large\.txt/).click();
      await workspace.getByText(/too large to compare here/).waitFor();
      await fileIn(workspace, /onerror/).click();
      await diffOf(workspace).getByText('hi').waitFor();
      await fileIn(workspace, /one\.ts/).click();
      await workspace.getByText('Mode 100644 → 100755').waitFor();
      await fileIn(workspace, /red\.png/).click();
      await workspace.getByRole('img', { name: 'After: red.png' }).waitFor();
      repository.git('add', '.');
      repository.git('commit', '-q', '-m', 'All');
      await work(stage(), uri, `run echo "${BLUE}" | base64 -d > red.png`);
      await workspace.getByRole('combobox', { name: 'Which changes' }).selectOption('turn');
      await workspace.getByRole('button', { name: 'Swipe' }).click();
      await workspace.getByRole('slider', { name: 'Position of the dividing line' }).fill('20');
      await stage().picture(page, 'workspace-image');
      await workspace.getByRole('button', { name: 'Overlay' }).click();
      await workspace.getByRole('slider', { name: 'Opacity of the version after' }).waitFor();
    },
    LONG_MS,
  );

  describe.each(DEVICES)('on a %s', (_, options) => {
    test(
      'no part of it breaks WCAG 2.1 AA as far as axe can tell',
      async () => {
        const repository = repositoryIn(stage(), options === PHONE ? 'axe-phone' : 'axe');
        const { page, uri } = await openSession(stage(), repository, { device: options });
        await work(
          stage(),
          uri,
          'write new.md hello',
          'run sed -i "s/line 30/line thirty/" src/deep/numbers.txt',
        );
        const session = await (await stage().client()).sessions.open(uri);
        const annotations = await session.annotations();
        const range = { start: { line: 29, character: 0 }, end: { line: 30, character: 0 } };
        await annotations.add({ resource: `${repository.uri}/src/deep/numbers.txt`, range, text: 'Why?' });
        annotations.dispose();
        const path = new URL(page.url()).pathname;
        for (const view of [
          'panel=changes&changes=uncommitted',
          `panel=changes&changes=session&file=${encodeURIComponent(`${repository.uri}/src/deep/numbers.txt`)}`,
          'panel=files',
          `panel=files&file=${encodeURIComponent(`${repository.uri}/src/one.ts`)}`,
          'panel=comments',
        ]) {
          await visit(page, `${path}?${view}`);
          const workspace = workspaceOf(page);
          if (view.includes('numbers')) await diffOf(workspace).getByText('line thirty').waitFor();
          else if (view.includes('one.ts'))
            await workspace
              .getByText(/export/)
              .first()
              .waitFor();
          else if (view === 'panel=files') await workspace.getByRole('button', { name: 'src' }).waitFor();
          else if (view === 'panel=comments') await workspace.getByRole('article').waitFor();
          else await fileIn(workspace, /numbers/).waitFor();
          for (const colorScheme of ['light', 'dark'] as const) {
            await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
            await page.locator(`html${colorScheme === 'dark' ? '.dark' : ':not(.dark)'}`).waitFor();
            await stage().picture(
              page,
              `workspace-${options === PHONE ? 'phone' : 'laptop'}-${colorScheme}-${view.replaceAll(/\W/g, '-').slice(0, 40)}`,
            );
            const rules = colorScheme === 'light' ? ALL_RULES : COLOUR_RULES;
            expect(await violationsOf(page, rules), `${view}, ${colorScheme}`).toEqual([]);
          }
        }
      },
      LONG_MS,
    );
  });
});
