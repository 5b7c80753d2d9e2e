import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { PrivatePaths } from './private-paths.ts';

let base = '';

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'agenthost-own-')));
  mkdirSync(join(base, 'data/deep'), { recursive: true });
  for (const name of ['data/file', 'data/deep/file', 'other', 'config'])
    writeFileSync(join(base, name), name);
});

afterEach(() => rmSync(base, { recursive: true }));

test('[RES-2] a folder, a file and a missing path are private with everything below, neighbours are not', async () => {
  const own = new PrivatePaths([join(base, 'data'), join(base, 'config'), join(base, 'later')]);
  for (const path of ['data', 'data/file', 'data/deep/file', 'data/none', 'config', 'later', 'later/x'])
    expect(await own.covers(join(base, path)), path).toBe(true);
  for (const path of ['', 'other', 'none', 'data-2', 'config.bak'])
    expect(await own.covers(join(base, path)), path).toBe(false);
});

test('[RES-2] a sandbox has to hide the paths that exist, without those inside another one, under their real names', async () => {
  symlinkSync(join(base, 'data'), join(base, 'link'));
  const paths = ['link', 'data/file', 'data/deep', 'config', 'later'].map((path) => join(base, path));
  expect(await new PrivatePaths(paths).existing()).toEqual([join(base, 'data'), join(base, 'config')]);
});

test('[RES-2] the same file or folder is recognised under any other name', async () => {
  const own = new PrivatePaths([join(base, 'data')], { now: () => 0 });
  linkSync(join(base, 'data/deep/file'), join(base, 'hard'));
  expect(await own.covers(join(base, 'hard'))).toBe(true);
  // As a second mount of the folder would look.
  const view = await own.look();
  renameSync(join(base, 'data'), join(base, 'moved'));
  symlinkSync(join(base, 'moved'), join(base, 'data'));
  expect(await view.covers(join(base, 'moved/new/file'))).toBe(true);
  expect(await view.covers(join(base, 'other'))).toBe(false);
});

test('[RES-2] a new file with the inode of a removed private file is not private', async () => {
  const own = new PrivatePaths([join(base, 'data')], { now: () => 0 });
  const file = join(base, 'data/file');
  // A second name has the same inode, as a new file has that got the inode of a removed one.
  linkSync(file, join(base, 'reused'));
  expect(await own.covers(join(base, 'reused'))).toBe(true);
  const isPrivate = await own.lookAhead();
  const stats = statSync(join(base, 'reused'));
  expect(isPrivate(join(base, 'reused'), stats)).toBe(true);
  rmSync(file);
  expect(await own.covers(join(base, 'reused'))).toBe(false);
  expect(isPrivate(join(base, 'reused'), stats)).toBe(false);
});

test('[RES-2] a private file that was renamed is recognised under another name at once', async () => {
  const own = new PrivatePaths([join(base, 'data')], { now: () => 0 });
  linkSync(join(base, 'data/file'), join(base, 'hard'));
  expect(await own.covers(join(base, 'hard'))).toBe(true);
  renameSync(join(base, 'data/file'), join(base, 'data/renamed'));
  expect(await own.covers(join(base, 'hard'))).toBe(true);
});

test('[RES-2] ids are read once a second, and not at all for a path inside', async () => {
  let now = 0;
  const own = new PrivatePaths([join(base, 'data')], { now: () => now });
  const lateLink = (name: string): void => {
    writeFileSync(join(base, 'data', name), name);
    linkSync(join(base, 'data', name), join(base, name));
  };
  expect(await own.covers(join(base, 'data/file'))).toBe(true);
  // No id has been read yet, so this link is recognised.
  lateLink('first');
  expect(await own.covers(join(base, 'first'))).toBe(true);
  lateLink('second');
  now = 999;
  expect(await own.covers(join(base, 'second'))).toBe(false);
  now = 1_000;
  expect(await own.covers(join(base, 'second'))).toBe(true);
});

test('[RES-2] with more files than are recognised, those with several hard links are private, and the log says so once', async () => {
  const warn = vi.fn();
  const log = { debug: () => undefined, info: () => undefined, warn, error: () => undefined };
  let now = 0;
  const own = new PrivatePaths([join(base, 'data')], { log, now: () => now, maxFiles: 1 });
  linkSync(join(base, 'data/deep/file'), join(base, 'hard'));
  expect(await own.covers(join(base, 'hard'))).toBe(true);
  now = 5_000;
  expect(await own.covers(join(base, 'other'))).toBe(false);
  expect(warn).toHaveBeenCalledTimes(1);
  rmSync(join(base, 'data/deep'), { recursive: true });
  rmSync(join(base, 'data/file'));
  linkSync(join(base, 'other'), join(base, 'other-2'));
  now = 10_000;
  expect(await own.covers(join(base, 'hard'))).toBe(false);
  expect(await own.covers(join(base, 'other'))).toBe(false);
});

test('[RES-2] a public folder in a private one is not private, but for links in its place and hard links to private files', async () => {
  mkdirSync(join(base, 'data/worktrees/one'), { recursive: true });
  writeFileSync(join(base, 'data/worktrees/one/a'), 'a');
  linkSync(join(base, 'data/file'), join(base, 'data/worktrees/one/hard'));
  const publicPath = join(base, 'data/worktrees');
  const own = new PrivatePaths([join(base, 'data')], { publicPath });
  const covers = (path: string): Promise<boolean> => own.covers(join(base, path));
  expect(await covers('data/worktrees/one/a')).toBe(false);
  expect(await covers('data/worktrees')).toBe(false);
  expect(await covers('data/file')).toBe(true);
  expect(await covers('data/worktrees-2')).toBe(true);
  expect(await covers('data/worktrees/one/hard')).toBe(true);
  const isPrivate = await own.lookAhead();
  expect(isPrivate(join(base, 'data/worktrees/one/a'))).toBe(false);
  expect(isPrivate(join(base, 'data/file'))).toBe(true);
  // What a link in its place leads to has another real path.
  expect(await covers('data')).toBe(true);
  const inside = new PrivatePaths([join(base, 'data'), join(publicPath, 'one')], { publicPath });
  expect(await inside.covers(join(publicPath, 'one/a'))).toBe(true);
});
