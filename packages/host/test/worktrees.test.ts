import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { WorktreeInfo } from '@agenthost/protocol';
import { describe, expect, it } from 'vitest';
import { ROOT } from './host-fixture.ts';
import { WorktreeFixture } from './worktree-fixture.ts';

const SESSION = 'ahp-session:/one';

describe('a session with `isolation: worktree`', () => {
  it('works in a linked worktree with a branch of its own, before its agent starts', async () => {
    const fixture = await WorktreeFixture.start();
    const state = await fixture.session();
    expect(state.lifecycle).toBe('ready');
    const folder = fixture.folder();
    expect(folder).toContain(fixture.worktrees);
    expect(fixture.base.host.agent.opened.map(({ workingDirectory }) => workingDirectory)).toEqual([folder]);
    expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('one\n');
    expect(fixture.facts()).toMatchObject({
      state: 'ready',
      base: 'main',
      ahead: 0,
      behind: 0,
      uncommittedChanges: 0,
    });
    expect(fixture.git(['symbolic-ref', '--short', 'HEAD'], folder)).toBe(fixture.facts()?.branch);
    expect(fixture.git(['status', '--porcelain'])).toBe('');
    expect(fixture.base.host.logged).toEqual([]);
  });

  it('is refused outside of git, for an unknown base, and without a commit, and nothing is made', async () => {
    const fixture = await WorktreeFixture.start();
    fixture.write(fixture.base.path, 'plain/x', '');
    const plain = join(fixture.base.path, 'plain');
    await expect(fixture.session({ folder: plain })).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringContaining('not in the working tree of a git repository'),
    });
    await expect(fixture.session({ config: { base: 'nothing' } })).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringContaining('no branch or commit "nothing"'),
    });
    await expect(fixture.session({ config: { base: '--upload-pack=x' } })).rejects.toMatchObject({
      code: -32_602,
    });
    fixture.git(['init', '-q', plain]);
    await expect(fixture.session({ folder: plain })).rejects.toMatchObject({
      message: expect.stringContaining('no commit yet'),
    });
    expect(fixture.made).toEqual([]);
  });

  it('names its branch from the title, beside branches with the same name', async () => {
    const fixture = await WorktreeFixture.start((base) => base.git('branch', 'agenthost/fix-the-login'));
    await fixture.session();
    await fixture.client.act('ahp-session:/one', { type: 'session/titleChanged', title: 'Fix the löGIN!' });
    await fixture.base.until(() => fixture.facts()?.branch === 'agenthost/fix-the-login-2');
    expect(fixture.git(['symbolic-ref', '--short', 'HEAD'], fixture.folder())).toBe(
      'agenthost/fix-the-login-2',
    );
    await fixture.client.act('ahp-session:/one', { type: 'session/titleChanged', title: 'Another' });
    await fixture.base.host.run();
    expect((await fixture.list())[0]?.branch).toBe('agenthost/fix-the-login-2');
  });

  it('works in the same folder of a monorepo', async () => {
    const fixture = await WorktreeFixture.start();
    fixture.commit(fixture.tree, 'packages/web/x.txt', 'x\n');
    await fixture.session({ folder: join(fixture.tree, 'packages', 'web') });
    expect(fixture.folder()).toMatch(/\/packages\/web$/);
    expect(readFileSync(join(fixture.folder(), 'x.txt'), 'utf8')).toBe('x\n');
  });

  it('fails and leaves nothing if its folder is not in the base', async () => {
    const fixture = await WorktreeFixture.start();
    fixture.write(fixture.tree, 'new/x.txt', 'x\n');
    const state = await fixture.session({ folder: join(fixture.tree, 'new') });
    expect(state).toMatchObject({ lifecycle: 'failed', creationError: { errorType: 'worktreeFailed' } });
    expect(fixture.made).toEqual([]);
    expect(await fixture.list()).toEqual([]);
    expect(fixture.git(['branch', '--list', 'agenthost/*'])).toBe('');
  });
});

describe('a further worktree', () => {
  it('[SESS-21] [CHAT-41] becomes a working directory of the session, and the only one of a chat', async () => {
    const fixture = await WorktreeFixture.start();
    const { defaultChat: chat = '' } = await fixture.session();
    const first = fixture.state().workingDirectories?.[0];
    const { directory, worktree } = await fixture.base.ask<{ directory: string; worktree: WorktreeInfo }>(
      fixture.client,
      'x-createWorktree',
      { channel: SESSION, chat },
    );
    expect(fixture.state().workingDirectories).toEqual([first, directory]);
    expect(fixture.state().chats[0]?.workingDirectories).toEqual([directory]);
    expect(worktree).toMatchObject({ session: SESSION, state: 'ready', checkout: first });
    expect(await fixture.list()).toHaveLength(2);
    // Its base follows the name of the branch.
    await fixture.client.act(SESSION, { type: 'session/titleChanged', title: 'Two at once' });
    await fixture.base.until(() => fixture.facts()?.branch === 'agenthost/two-at-once');
    expect((await fixture.list()).map(({ base }) => base)).toEqual(['main', 'agenthost/two-at-once']);
    await fixture.dispose();
    await fixture.emptied();
    expect(fixture.made).toEqual([]);
  });

  it('is refused for unknown sessions, chats and bases, and for agents with one directory', async () => {
    const fixture = await WorktreeFixture.start();
    await fixture.session();
    const create = (params: object): Promise<unknown> =>
      fixture.base.ask(fixture.client, 'x-createWorktree', { channel: SESSION, ...params });
    await expect(create({ channel: 'ahp-session:/none' })).rejects.toMatchObject({ code: -32_001 });
    await expect(create({ chat: 'ahp-chat:/none' })).rejects.toMatchObject({ code: -32_008 });
    await expect(create({ base: 'none' })).rejects.toMatchObject({ code: -32_602 });
    fixture.base.host.agent.capabilities = {};
    await expect(create({})).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringContaining('one directory per session'),
    });
    expect(await fixture.list()).toHaveLength(1);
  });
});

describe('the choices of a base', () => {
  it('[ROOT-4] are the branches of the folder, none outside of git', async () => {
    const fixture = await WorktreeFixture.start((base) => base.git('branch', 'release/v2'));
    const choices = async (folder: string, query: string): Promise<unknown[]> => {
      const { items } = await fixture.base.ask<{ items: { value: string }[] }>(
        fixture.client,
        'sessionConfigCompletions',
        { channel: ROOT, property: 'base', query, workingDirectory: pathToFileURL(folder).href },
      );
      return items.map(({ value }) => value).toSorted();
    };
    expect(await choices(fixture.tree, '')).toEqual(['main', 'release/v2']);
    expect(await choices(fixture.tree, 'V2')).toEqual(['release/v2']);
    expect(await choices(fixture.base.path, '')).toEqual([]);
  });
});

describe('a copy of a session in a worktree', () => {
  it('[SESS-12] works in the same worktree, which stays until the last of them is gone', async () => {
    const fixture = await WorktreeFixture.start();
    const { defaultChat: chat = '' } = await fixture.session();
    await fixture.client.subscribe(chat);
    await fixture.base.begin(fixture.client, chat, 'one');
    await fixture.base.complete();
    const copy = 'ahp-session:/copy';
    await fixture.base.ask(fixture.client, 'createSession', {
      channel: copy,
      'x-fork': { session: SESSION, turnId: 'one' },
    });
    await fixture.client.subscribe(copy);
    await fixture.base.until(() => fixture.state(copy).lifecycle === 'ready');
    expect(fixture.folder(copy)).toBe(fixture.folder());
    expect(fixture.state(copy).config?.values).not.toHaveProperty('isolation');
    const folder = fixture.folder();
    await fixture.dispose();
    await expect(fixture.call('x-removeWorktree')).rejects.toMatchObject({
      message: expect.stringMatching(/^A session works in .*: delete the session first$/),
    });
    expect(existsSync(folder)).toBe(true);
  });
});

describe('the files that a project lists', () => {
  it('are copied and linked, without links on the way and nothing outside', async () => {
    const fixture = await WorktreeFixture.start();
    fixture.commit(fixture.tree, '.gitignore', '.env\nnode_modules\nsecret\n');
    fixture.commit(
      fixture.tree,
      '.agenthost/worktree.json',
      JSON.stringify({ copy: ['.env', 'missing', 'secret/key'], link: ['node_modules'] }),
    );
    fixture.write(fixture.tree, '.env', 'A=1\n');
    fixture.write(fixture.tree, 'node_modules/x/index.js', '1');
    fixture.write(fixture.base.path, 'outside/key', 'k');
    fixture.git(['config', 'core.symlinks', 'true']);
    const { symlinkSync } = await import('node:fs');
    symlinkSync(join(fixture.base.path, 'outside'), join(fixture.tree, 'secret'));
    await fixture.session();
    const folder = fixture.folder();
    expect(readFileSync(join(folder, '.env'), 'utf8')).toBe('A=1\n');
    expect(lstatSync(join(folder, 'node_modules')).isSymbolicLink()).toBe(true);
    expect(existsSync(join(folder, 'secret'))).toBe(false);
    expect(fixture.facts()?.note).toContain('secret/key was left out');
    expect(fixture.facts()?.uncommittedChanges).toBe(0);
  });
});
