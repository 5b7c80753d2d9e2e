import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ChangeFlag } from './change-flag.ts';

class Tree {
  readonly path = realpathSync(mkdtempSync(join(tmpdir(), 'flag-')));
  readonly root = join(this.path, 'tree');
  readonly flag: ChangeFlag;

  constructor() {
    mkdirSync(this.root);
    const leavesOut = (name: string): boolean => name === 'node_modules';
    this.flag = new ChangeFlag({ root: this.root, fence: join(this.path, 'fence'), leavesOut });
    onTestFinished(async () => {
      await this.flag.close();
      rmSync(this.path, { recursive: true, force: true });
    });
  }

  write(path: string, text = 'x'): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true });
    writeFileSync(join(this.root, path), text);
  }

  /** Opens the flag, and takes what it says first. */
  async open(): Promise<void> {
    this.flag.open();
    await this.flag.opened();
    expect(await this.flag.take()).toBe('everything');
  }

  /** What has changed; paths in order. */
  async changed(): Promise<string[] | 'everything'> {
    const changed = await this.flag.take();
    return changed === 'everything' ? changed : [...changed].toSorted();
  }
}

// The flag says "everything" on other systems.
const isLinux = process.platform === 'linux';

test.runIf(isLinux)('each change is told once, at once, without a wait for the system', async () => {
  const tree = new Tree();
  tree.write('a/b/file');
  await tree.open();
  for (let round = 0; round < 20; round += 1) {
    expect(await tree.changed()).toEqual([]);
    tree.write('a/b/file', `${round}`);
    expect(await tree.changed()).toEqual(['a/b/file']);
  }
  chmodSync(join(tree.root, 'a/b/file'), 0o755);
  expect(await tree.changed()).toEqual(['a/b/file']);
  rmSync(join(tree.root, 'a/b/file'));
  expect(await tree.changed()).toContain('a/b/file');
});

test.runIf(isLinux)('folders that are new, moved or replaced are watched', async () => {
  const tree = new Tree();
  tree.write('old/deep/file');
  await tree.open();
  tree.write('new/deep/er/file');
  expect(await tree.changed()).toContain('new');
  tree.write('new/deep/er/file', 'y');
  expect(await tree.changed()).toEqual(['new/deep/er/file']);
  renameSync(join(tree.root, 'old'), join(tree.root, 'moved'));
  expect(await tree.changed()).toEqual(expect.arrayContaining(['moved', 'old']));
  tree.write('moved/deep/file', 'y');
  expect(await tree.changed()).toEqual(['moved/deep/file']);
  rmSync(join(tree.root, 'new'), { recursive: true });
  tree.write('new/deep/er/other');
  expect(await tree.changed()).toContain('new');
  tree.write('new/deep/er/other', 'y');
  expect(await tree.changed()).toEqual(['new/deep/er/other']);
});

test.runIf(isLinux)(
  'caches and `.git` are not watched, but a folder that becomes a repository is told',
  async () => {
    const tree = new Tree();
    tree.write('node_modules/a/index.js');
    tree.write('.git/HEAD');
    tree.write('sub/file');
    await tree.open();
    tree.write('node_modules/a/index.js', 'y');
    tree.write('.git/HEAD', 'y');
    tree.write('.git/objects/x');
    expect(await tree.changed()).toEqual([]);
    tree.write('sub/.git/HEAD');
    expect(await tree.changed()).toEqual(['sub']);
  },
);

test.runIf(isLinux)('many changes, ignore rules, and a new root count as everything', async () => {
  const tree = new Tree();
  await tree.open();
  tree.write('sub/.gitignore');
  expect(await tree.changed()).not.toEqual([]);
  tree.write('sub/.gitignore', 'y');
  expect(await tree.changed()).toBe('everything');
  expect(await tree.changed()).toEqual([]);
  for (let count = 0; count < 2_100; count += 1) tree.write(`many/${count}`);
  expect(await tree.changed()).not.toEqual([]);
  for (let count = 0; count < 2_100; count += 1) tree.write(`many/${count}`, 'y');
  expect(await tree.changed()).toBe('everything');
  renameSync(tree.root, join(tree.path, 'away'));
  mkdirSync(tree.root);
  expect(await tree.changed()).toBe('everything');
  expect(await tree.changed()).toBe('everything');
});

test.runIf(isLinux)('what was put back is told again, and a closed flag tells everything', async () => {
  const tree = new Tree();
  await tree.open();
  tree.write('a');
  expect(await tree.changed()).toEqual(['a']);
  tree.flag.putBack();
  expect(await tree.changed()).toBe('everything');
  await tree.flag.close();
  expect(await tree.changed()).toBe('everything');
});

test.runIf(isLinux)(
  'nothing is written any more once it is closed, also when it was just opened',
  async () => {
    for (let round = 0; round < 20; round += 1) {
      const tree = new Tree();
      tree.flag.open();
      await tree.flag.close();
      const fence = join(tree.path, 'fence');
      rmSync(fence, { recursive: true, force: true });
      await new Promise(setImmediate);
      expect(existsSync(fence)).toBe(false);
    }
  },
);
