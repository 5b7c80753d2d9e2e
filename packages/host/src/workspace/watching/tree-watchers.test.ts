import { EventEmitter } from 'node:events';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { systemClock, systemTimers } from '../../lib/clock.ts';
import { silentLog } from '../../lib/log.ts';
import { PrivatePaths } from '../private-paths.ts';
import { chokidarTrees } from './chokidar-tree.ts';
import { type FileChangeType, type OpenTree, type WatchFailure } from './tree-source.ts';
import { TreeWatchers, type WatchLimits, type WatchRequest } from './tree-watchers.ts';

const PATIENCE = { timeout: 15_000, interval: 20 };

function folder(): string {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'agenthost-watch-')));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const root = join(base, 'root');
  mkdirSync(root);
  return root;
}

function watchers({
  openTree = chokidarTrees(silentLog),
  limits,
  privatePaths = [],
}: {
  openTree?: OpenTree;
  limits?: WatchLimits;
  privatePaths?: readonly string[];
} = {}) {
  let opened = 0;
  const made = new TreeWatchers({
    openTree: (options) => {
      opened += 1;
      return openTree(options);
    },
    clock: systemClock,
    timers: systemTimers,
    log: silentLog,
    privatePaths: new PrivatePaths(privatePaths),
    ...(limits === undefined ? {} : { limits }),
  });
  onTestFinished(() => made.close());
  return {
    made,
    openedCount: () => opened,
    /** Watches, and gathers the last change of each path below `base`. */
    watch: async (root: string, request: Partial<WatchRequest> = {}, base = root) => {
      const seen: Record<string, FileChangeType> = {};
      const batches: number[] = [];
      const ended: WatchFailure[] = [];
      let missed = 0;
      const watch = await made.watch(
        { root, isRecursive: true, ...request },
        {
          onChanges: ({ changes, isMissed }) => {
            batches.push(changes.length);
            if (isMissed) missed += 1;
            for (const { path, type } of changes) seen[relative(base, path)] = type;
          },
          onEnd: (failure) => ended.push(failure),
        },
      );
      return { watch, seen, batches, ended, missed: () => missed };
    },
  };
}

/** Writes a last file and waits for it, so that everything before was seen. */
async function until(seen: Record<string, FileChangeType>, root: string, name = 'last'): Promise<void> {
  writeFileSync(join(root, name), 'x');
  await vi.waitFor(() => expect(seen).toHaveProperty([name]), PATIENCE);
  delete seen[name];
}

test('files and folders that are made, changed, renamed and deleted are reported', async () => {
  const root = folder();
  for (const name of ['changed', 'renamed', 'deleted']) writeFileSync(join(root, name), 'a');
  mkdirSync(join(root, 'folder/inner'), { recursive: true });
  writeFileSync(join(root, 'folder/inner/file'), 'a');
  const { seen } = await watchers().watch(root);
  writeFileSync(join(root, 'made'), 'a');
  appendFileSync(join(root, 'changed'), 'b');
  renameSync(join(root, 'renamed'), join(root, 'other'));
  rmSync(join(root, 'deleted'));
  rmSync(join(root, 'folder'), { recursive: true });
  await vi.waitFor(
    () =>
      expect(seen).toEqual({
        made: 'added',
        changed: 'updated',
        renamed: 'deleted',
        other: 'added',
        deleted: 'deleted',
        folder: 'deleted',
        'folder/inner': 'deleted',
        'folder/inner/file': 'deleted',
      }),
    PATIENCE,
  );
});

test('a file that an editor replaces is updated, and its temporary file is not reported', async () => {
  const root = folder();
  writeFileSync(join(root, 'text'), 'a');
  const { seen } = await watchers().watch(root);
  for (let round = 0; round < 5; round += 1) {
    writeFileSync(join(root, 'text.tmp'), `b${round}`);
    renameSync(join(root, 'text.tmp'), join(root, 'text'));
  }
  rmSync(join(root, 'text'));
  writeFileSync(join(root, 'text'), 'c');
  await until(seen, root);
  expect(seen).toEqual({ text: 'updated' });
});

test('files in folders that are made at once are not missed', async () => {
  const root = folder();
  const { seen } = await watchers().watch(root);
  const expected: string[] = [];
  for (let round = 0; round < 20; round += 1) {
    const deep = join('d'.repeat(round + 1), 'e', 'f', 'g');
    mkdirSync(join(root, deep), { recursive: true });
    for (let index = 0; index < 5; index += 1) {
      writeFileSync(join(root, deep, `${index}`), 'x');
      expected.push(join(deep, `${index}`));
    }
  }
  await vi.waitFor(() => {
    for (const path of expected) expect(seen[path], path).toBe('added');
  }, PATIENCE);
});

test('a folder that is deleted and made again at once is watched further', async () => {
  const root = folder();
  mkdirSync(join(root, 'a/b'), { recursive: true });
  const { seen } = await watchers().watch(root);
  for (let round = 0; round < 5; round += 1) {
    rmSync(join(root, 'a'), { recursive: true });
    mkdirSync(join(root, 'a/b'), { recursive: true });
  }
  await until(seen, root);
  await vi.waitFor(() => {
    writeFileSync(join(root, 'a/b/file'), `${Math.random()}`);
    expect(seen).toHaveProperty(['a/b/file']);
  }, PATIENCE);
});

test('10,000 new files come in a few batches, each file once', async () => {
  const root = folder();
  const { seen, batches } = await watchers().watch(root);
  for (let outer = 0; outer < 100; outer += 1) {
    mkdirSync(join(root, `d${outer}`));
    for (let inner = 0; inner < 100; inner += 1) writeFileSync(join(root, `d${outer}/f${inner}`), 'x');
  }
  await vi.waitFor(() => expect(Object.keys(seen).length).toBe(10_100), { ...PATIENCE, timeout: 60_000 });
  expect(new Set(Object.values(seen))).toEqual(new Set(['added']));
  expect(batches.length).toBeLessThan(40);
  expect(Math.max(...batches)).toBeLessThanOrEqual(4_000);
}, 90_000);

test('one watcher serves all watches of a tree, and ends with the last of them', async () => {
  const root = folder();
  mkdirSync(join(root, 'src/deep'), { recursive: true });
  const { watch, made, openedCount } = watchers();
  const all = await watch(root);
  const same = await watch(root, { includes: ['**/*.ts'] });
  const inner = await watch(join(root, 'src'), { isRecursive: false });
  const flat = await watch(root, { isRecursive: false, excludes: ['other'] });
  expect([openedCount(), made.treeCount]).toEqual([1, 1]);
  writeFileSync(join(root, 'src/a.ts'), 'x');
  writeFileSync(join(root, 'src/deep/b'), 'x');
  await until(flat.seen, root);
  await vi.waitFor(() => expect(all.seen).toHaveProperty(['last']), PATIENCE);
  expect(all.seen).toEqual({ 'src/a.ts': 'added', 'src/deep/b': 'added', last: 'added' });
  expect(same.seen).toEqual({ 'src/a.ts': 'added' });
  expect(inner.seen).toEqual({ 'a.ts': 'added' });
  expect(flat.seen).toEqual({});
  for (const { watch: each } of [all, same, inner]) each.close();
  expect(made.treeCount).toBe(1);
  flat.watch.close();
  flat.watch.close();
  expect(made.treeCount).toBe(0);
  await watch(root);
  expect(openedCount()).toBe(2);
});

test('one file is watched over its replacement', async () => {
  const root = folder();
  writeFileSync(join(root, 'one'), 'a');
  const { seen } = await watchers().watch(join(root, 'one'), {}, root);
  writeFileSync(join(root, 'two'), 'a');
  renameSync(join(root, 'two'), join(root, 'one'));
  await vi.waitFor(() => expect(seen).toEqual({ one: 'updated' }), PATIENCE);
});

test('excludes, node_modules, the objects of git and private files are not watched', async () => {
  const root = folder();
  const hidden = [
    'out/x',
    'node_modules/p/x',
    'a/node_modules/p/x',
    '.git/objects/aa/x',
    'data/x',
    'data2/x',
  ];
  for (const path of hidden) mkdirSync(join(root, path), { recursive: true });
  mkdirSync(join(root, '.git/refs'), { recursive: true });
  const size = { folders: 9, entries: 1_000 };
  const { watch } = watchers({
    privatePaths: [join(root, 'data'), join(root, 'data2')],
    limits: { perTree: size, total: size },
  });
  const { seen } = await watch(root, { excludes: ['out'] });
  for (const path of hidden) writeFileSync(join(root, path, 'file'), 'x');
  writeFileSync(join(root, '.git/HEAD'), 'x');
  await until(seen, root);
  expect(seen).toEqual({ '.git/HEAD': 'added' });
  const inside = await watch(join(root, 'node_modules'));
  writeFileSync(join(root, 'node_modules/p/file'), 'x');
  await until(inside.seen, join(root, 'node_modules'));
  expect(inside.seen).toEqual({ 'p/file': 'added' });
});

test('files that .gitignore names are left out, also after a change of it', async () => {
  const root = folder();
  mkdirSync(join(root, '.git'));
  mkdirSync(join(root, 'out/deep'), { recursive: true });
  writeFileSync(join(root, '.gitignore'), 'out\n*.log\n');
  const { watch } = watchers();
  const { seen } = await watch(root, { usesGitignore: true });
  writeFileSync(join(root, 'out/deep/x'), 'x');
  writeFileSync(join(root, 'a.log'), 'x');
  await until(seen, root);
  expect(seen).toEqual({});
  writeFileSync(join(root, '.gitignore'), '*.txt\n');
  await vi.waitFor(() => {
    writeFileSync(join(root, 'out/deep/x'), `${Math.random()}`);
    expect(seen).toHaveProperty(['out/deep/x']);
  }, PATIENCE);
  writeFileSync(join(root, 'a.txt'), 'x');
  await until(seen, root, 'last2');
  expect(seen).not.toHaveProperty(['a.txt']);
});

test('links are reported, and not followed', async () => {
  const root = folder();
  const outside = folder();
  symlinkSync(outside, join(root, 'before'));
  const { seen } = await watchers().watch(root);
  symlinkSync(outside, join(root, 'link'));
  await until(seen, root);
  for (const name of ['x', 'y']) writeFileSync(join(outside, name), 'x');
  await until(seen, root, 'last2');
  expect(seen).toEqual({ link: 'added' });
});

test('a tree with too many folders is refused with its limit, at the start and later', async () => {
  const root = folder();
  for (let index = 0; index < 9; index += 1) mkdirSync(join(root, `${index}`));
  const { watch, made } = watchers({
    limits: { perTree: { folders: 10, entries: 14 }, total: { folders: 12, entries: 100 } },
  });
  const { ended } = await watch(root);
  const other = folder();
  for (let index = 0; index < 3; index += 1) mkdirSync(join(other, `${index}`));
  await expect(watch(other)).rejects.toThrow(/together would need more than 12 folders/);
  expect(made.treeCount).toBe(1);
  mkdirSync(join(root, 'a/b/c'), { recursive: true });
  await vi.waitFor(() => expect(ended).toMatchObject([{ code: 'tooLarge', max: 10 }]), PATIENCE);
  expect(made.treeCount).toBe(0);
  await expect(watch(root)).rejects.toThrow(
    `${root} has more than 10 folders, the limit of a watch: watch a folder in it, or exclude folders`,
  );
  for (let index = 0; index < 15; index += 1) writeFileSync(join(other, `f${index}`), 'x');
  await expect(watch(other)).rejects.toThrow(/has more than 14 files and folders/);
  await expect(watch(other, { excludes: ['f*'] })).resolves.toBeDefined();
});

test('a tree that is too large is refused before anything is watched', async () => {
  const root = folder();
  for (let index = 0; index < 5; index += 1) mkdirSync(join(root, `${index}/deep`), { recursive: true });
  let madeCount = 0;
  const openTree = chokidarTrees(silentLog, {
    makeWatcher: () => {
      madeCount += 1;
      throw new Error('made a watcher');
    },
  });
  const size = { folders: 10, entries: 100 };
  const { watch } = watchers({ openTree, limits: { perTree: size, total: size } });
  await expect(watch(root)).rejects.toMatchObject({ code: 'tooLarge' });
  expect(madeCount).toBe(0);
});

test('the end of the watches of the system is reported with the setting to raise', async () => {
  const root = folder();
  const fake = new (class extends EventEmitter {
    isClosed = false;
    close(): Promise<void> {
      this.isClosed = true;
      return Promise.resolve();
    }
    getWatched(): object {
      return {};
    }
  })();
  const openTree = chokidarTrees(silentLog, { makeWatcher: () => Object(fake) });
  const starting = watchers({ openTree }).watch(root);
  starting.catch(() => undefined);
  await vi.waitFor(() => expect(fake.listenerCount('error')).toBe(1), PATIENCE);
  fake.emit('error', Object.assign(new Error('no space'), { code: 'ENOSPC' }));
  await expect(starting).rejects.toMatchObject({
    code: 'systemLimit',
    message: expect.stringMatching(/raise fs\.inotify\.max_user_watches \(now \d+\)/),
  });
  expect(fake.isClosed).toBe(true);
  fake.removeAllListeners();
  const later = watchers({ openTree }).watch(root);
  await vi.waitFor(() => expect(fake.listenerCount('error')).toBe(1), PATIENCE);
  fake.emit('all', 'addDir', root);
  fake.emit('ready');
  const { ended } = await later;
  fake.emit('error', Object.assign(new Error('too many'), { code: 'EMFILE' }));
  expect(ended).toMatchObject([
    { code: 'systemLimit', message: expect.stringContaining('max_user_instances') },
  ]);
});

test('after a burst that the queue of the kernel may not have held, the tree is compared', async () => {
  const root = folder();
  writeFileSync(join(root, 'old'), 'x');
  writeFileSync(join(root, 'gone'), 'x');
  // Keeps back the events of some files, as a full queue does.
  const lost = /lost|old|gone/;
  const { watch: real } = await import('chokidar');
  let count = 0;
  const openTree = chokidarTrees(silentLog, {
    burstEvents: 20,
    makeWatcher: (path, options) => {
      const isFirst = (count += 1) === 1;
      const made = real(path, options);
      let isReady = false;
      made.on('ready', () => {
        isReady = true;
      });
      const emit = made.emit.bind(made);
      // oxlint-disable-next-line typescript/no-explicit-any -- passes on whatever is emitted
      made.emit = (...args: any[]) =>
        isFirst && isReady && args[0] === 'all' && lost.test(args[2])
          ? false
          : Reflect.apply(emit, made, args);
      if (isFirst) {
        // The watcher itself does not know them either.
        const getWatched = made.getWatched.bind(made);
        made.getWatched = () =>
          Object.fromEntries(
            Object.entries(getWatched()).map(([at, names]) => [
              at,
              at === root ? [...names.filter((name) => !/lost/.test(name)), 'gone'] : names,
            ]),
          );
      }
      return made;
    },
  });
  const { seen, batches } = await watchers({ openTree }).watch(root);
  for (let index = 0; index < 20; index += 1) writeFileSync(join(root, `${index}`), 'x');
  writeFileSync(join(root, 'lost'), 'x');
  appendFileSync(join(root, 'old'), 'y');
  rmSync(join(root, 'gone'));
  await vi.waitFor(
    () => expect(seen).toMatchObject({ lost: 'added', old: 'updated', gone: 'deleted' }),
    PATIENCE,
  );
  // What was told is not told again.
  expect(batches.reduce((sum, each) => sum + each, 0)).toBe(23);
  expect(seen['3']).toBe('added');
  // The second watcher has taken over.
  appendFileSync(join(root, 'lost'), 'y');
  await vi.waitFor(() => expect(seen).toMatchObject({ lost: 'updated' }), PATIENCE);
});

test('what does not exist, or is neither a file nor a folder, is refused', async () => {
  const root = folder();
  symlinkSync(root, join(root, 'link'));
  const { watch, made } = watchers();
  await expect(watch(join(root, 'missing'))).rejects.toMatchObject({ code: 'missing' });
  await expect(watch(join(root, 'link'))).rejects.toMatchObject({ code: 'failed' });
  mkdirSync(join(root, '..\\..\\etc'));
  await expect(watch(join(root, '..\\..\\etc'))).rejects.toThrow(/backslash/);
  await expect(watch(root, { includes: ['../x'] })).rejects.toThrow(RangeError);
  expect(made.treeCount).toBe(0);
});

test('a deleted root is reported, and watched again when it is back', async () => {
  const root = folder();
  writeFileSync(join(root, 'a'), 'x');
  const { seen } = await watchers().watch(root);
  rmSync(root, { recursive: true });
  await vi.waitFor(() => expect(seen).toEqual({ '': 'deleted', a: 'deleted' }), PATIENCE);
  mkdirSync(root);
  await vi.waitFor(() => {
    writeFileSync(join(root, 'b'), `${Math.random()}`);
    expect(seen).toMatchObject({ '': 'added', b: expect.any(String) });
  }, PATIENCE);
});
