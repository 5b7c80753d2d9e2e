import { execFile } from 'node:child_process';
import { lstat, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Git } from '../packages/host/src/workspace/git/git.ts';
import { ChangeRecords } from '../packages/host/src/workspace/snapshots/records.ts';
import { type StoredFolder, TreeStores } from '../packages/host/src/workspace/snapshots/stores.ts';
import type { TreeChange } from '../packages/host/src/workspace/snapshots/tree-changes.ts';
import { alternate, type Measured, median } from './bar.ts';
import { withFolder } from './process.ts';

const FOLDERS = 2_000;
const FILES_EACH = 50;
const CHANGED = 50;
const TURN_FILES = 1_000;
/** Files that change after the host has last read the changes of a running turn. */
const LAST_FILES = 20;
const TURN_LIMIT_MS = 300;
const IDLE_LIMIT_MS = 10;
const VERSIONS = 10_000;
const VERSION_BYTES = 100_000;
/** Versions between two compactions. */
const COMPACTED_EACH = 1_000;
const RUNS = 7;

const run = promisify(execFile);

/** Git as a user runs it, without the configuration of this machine. */
async function userGit(folder: string, ...args: string[]): Promise<string> {
  const who = ['-c', 'user.name=a', '-c', 'user.email=a@example.org'];
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
  const { stdout } = await run('git', [...who, ...args], { cwd: folder, env, maxBuffer: 1 << 28 });
  return stdout;
}

/** Snapshots and changesets of a repository with 100,000 files, against the user's git in the same repository. */
export const changesets = (): Promise<Measured[]> => withFolder(ofLargeTree);

/** The size of a store with many versions of a text. */
export const changesetStore = (): Promise<Measured[]> => withFolder(ofManyVersions);

async function ofLargeTree(parent: string): Promise<Measured[]> {
  const tree = join(parent, 'tree');
  await makeTree(tree);
  const stores = new TreeStores(join(parent, 'stores'), {
    git: new Git(),
    now: () => performance.now(),
    isPrivate: () => false,
  });
  try {
    const folder = await stores.of(tree);
    const idle = await idleSnapshot(folder);
    const start = await startOfTurn(folder, tree);
    const working = await workingTree(folder, tree);
    return [working, start, idle, await endOfTurn(folder, tree), await burstAtEnd(folder, tree)];
  } finally {
    await stores.close();
  }
}

async function makeTree(tree: string): Promise<void> {
  for (let folder = 0; folder < FOLDERS; folder += 1) {
    const paths = Array.from({ length: FILES_EACH }, (_, file) =>
      join(tree, `package-${folder % 40}`, `part-${folder}`, `file-${file}.ts`),
    );
    await mkdir(join(tree, `package-${folder % 40}`, `part-${folder}`), { recursive: true });
    await Promise.all(
      paths.map((path, file) =>
        writeFile(path, `export const value = ${folder * FILES_EACH + file};\n`.repeat(5)),
      ),
    );
  }
  await userGit(tree, 'init', '-q', '-b', 'main');
  await userGit(tree, 'add', '-A');
  await userGit(tree, 'commit', '-q', '-m', 'all');
}

/** Changes files that are spread over the tree. */
async function change(tree: string, count: number, text: string): Promise<void> {
  const step = Math.floor((FOLDERS * FILES_EACH) / count);
  const paths = Array.from({ length: count }, (_, index) => {
    const folder = Math.floor((index * step) / FILES_EACH);
    return join(tree, `package-${folder % 40}`, `part-${folder}`, `file-${(index * step) % FILES_EACH}.ts`);
  });
  await Promise.all(paths.map((path) => writeFile(path, `${text}\n`)));
}

async function elapsed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

const ms = (value: number): string => `${value.toFixed(1)} ms`;

/** The snapshot at the start of a turn when nothing has changed since the last one. */
async function idleSnapshot({ store }: StoredFolder): Promise<Measured> {
  await store.snapshot('');
  await store.watched();
  await store.snapshot('');
  const times: number[] = [];
  for (let index = 0; index < RUNS * 3; index += 1) times.push(await elapsed(() => store.snapshot('')));
  const time = median(times);
  return {
    name: `snapshot of ${FOLDERS * FILES_EACH} files, nothing changed (ms)`,
    figure: ms(time),
    baseline: ms(IDLE_LIMIT_MS),
    ratio: time,
    bar: { atMost: IDLE_LIMIT_MS },
  };
}

/** The snapshot at the start of a turn after a person has changed a file, against `git status`. */
async function startOfTurn({ store }: StoredFolder, tree: string): Promise<Measured> {
  let round = 0;
  const both = await alternate(
    async () => {
      round += 1;
      await change(tree, CHANGED, `start ${round}`);
      return elapsed(() => store.snapshot(''));
    },
    () => elapsed(() => userGit(tree, 'status', '--porcelain')),
  );
  const name = `snapshot of ${FOLDERS * FILES_EACH} files, ${CHANGED} changed, not git status`;
  return {
    name,
    figure: ms(both.ours),
    baseline: ms(both.baseline),
    ratio: both.ratio,
    bar: { atMost: 1.2 },
  };
}

/** Compares the time for the changeset of uncommitted changes with that of `git status` and `git diff --numstat`. */
async function workingTree(folder: StoredFolder, tree: string): Promise<Measured> {
  let round = 0;
  const both = await alternate(
    async () => {
      round += 1;
      await change(tree, CHANGED, `working ${round}`);
      return elapsed(async () => {
        const changes = await uncommitted(folder);
        if (changes.length !== CHANGED) throw new Error(`${changes.length} changes were found`);
      });
    },
    () =>
      elapsed(async () => {
        await userGit(tree, 'status', '--porcelain');
        await userGit(tree, 'diff', '--numstat', 'HEAD');
      }),
  );
  const name = `uncommitted changes of ${FOLDERS * FILES_EACH} files, ${CHANGED} changed, not git status and git diff`;
  return {
    name,
    figure: ms(both.ours),
    baseline: ms(both.baseline),
    ratio: both.ratio,
    bar: { atMost: 1.5 },
  };
}

async function uncommitted({ store, scope }: StoredFolder): Promise<TreeChange[]> {
  const [head, { tree }] = await Promise.all([store.head(scope), store.snapshot(scope)]);
  if (head === undefined) throw new Error('there is no repository');
  const changes = (await store.difference(head.tree, tree, scope)).filter(({ path }) =>
    head.changed.has(path),
  );
  return store.counted(await store.pairOf(changes));
}

/** From the end of a turn that has changed 1,000 files to its record and its changeset. The host has read what changed before the last seconds. */
async function endOfTurn(folder: StoredFolder, tree: string): Promise<Measured> {
  const { store, scope } = folder;
  const times: number[] = [];
  for (let round = 0; round < RUNS; round += 1) {
    const start = await store.snapshot(scope);
    await change(tree, TURN_FILES, `turn ${round}`);
    const soFar = await store.snapshot(scope);
    const records = new ChangeRecords(store);
    await records.prepare(`c${round}`, await store.difference(start.tree, soFar.tree, scope));
    await change(tree, LAST_FILES, `end of turn ${round}`);
    times.push(await elapsed(() => record(folder, records, { chat: `c${round}`, start: start.tree })));
  }
  const time = median(times);
  return {
    name: `changeset of a turn of ${TURN_FILES} files, the last ${LAST_FILES} at its end (ms)`,
    figure: ms(time),
    baseline: ms(TURN_LIMIT_MS),
    ratio: time,
    bar: { atMost: TURN_LIMIT_MS },
  };
}

/** Compares the time to record a turn that changes all its files at its end with that of `git add`, `git write-tree` and `git diff-tree`. */
async function burstAtEnd(folder: StoredFolder, tree: string): Promise<Measured> {
  const { store, scope } = folder;
  let round = 0;
  const both = await alternate(
    async () => {
      round += 1;
      const start = await store.snapshot(scope);
      await change(tree, TURN_FILES, `burst ${round}`);
      const records = new ChangeRecords(store);
      return elapsed(() => record(folder, records, { chat: `b${round}`, start: start.tree }));
    },
    () =>
      elapsed(async () => {
        await userGit(tree, 'add', '-A');
        const written = (await userGit(tree, 'write-tree')).trim();
        await userGit(tree, 'diff-tree', '-r', '--raw', '--numstat', 'HEAD', written);
      }),
  );
  await userGit(tree, 'reset', '-q');
  return {
    name: `changeset of a turn that changes ${TURN_FILES} files at its end, not git add, write-tree and diff-tree`,
    figure: ms(both.ours),
    baseline: ms(both.baseline),
    ratio: both.ratio,
    bar: { atMost: 1.5 },
  };
}

/** Records a turn as the host does at its end. */
async function record(
  { store, scope }: StoredFolder,
  records: ChangeRecords,
  { chat, start }: { readonly chat: string; readonly start: string },
): Promise<void> {
  const end = await store.snapshot(scope);
  const changes = await store.difference(start, end.tree, scope);
  const facts = { session: 's', chat, turnId: 't', scope, startedAt: 0, endedAt: 0, shared: [] };
  await records.add({ kind: 'turn', ...facts }, changes);
  const [added] = await records.list(chat);
  if (added?.changes.length !== TURN_FILES) throw new Error('there is no record');
  await store.counted(added.pair);
  await store.knownSizes(added.changes.flatMap(({ before, after }) => [before?.id ?? '', after?.id ?? '']));
}

/** The size of a store after many changes of one text, and after its records were dropped. */
async function ofManyVersions(parent: string): Promise<Measured[]> {
  const tree = join(parent, 'tree');
  await mkdir(tree);
  const stores = new TreeStores(join(parent, 'stores'), {
    git: new Git(),
    now: () => performance.now(),
    isPrivate: () => false,
  });
  const { store, scope } = await stores.of(tree);
  const records = new ChangeRecords(store);
  const lines = Array.from({ length: VERSION_BYTES / 50 }, (_, at) =>
    `${(at * 7_919) % 99_991} words of a line\n`.padStart(50, 'x '),
  );
  const facts = {
    kind: 'turn',
    session: 's',
    chat: 'c',
    turnId: 't',
    scope,
    startedAt: 0,
    endedAt: 0,
    shared: [],
  } as const;
  const sizes: number[] = [];
  try {
    let before: { mode: string; id: string } | undefined;
    for (let version = 0; version < VERSIONS; version += 1) {
      lines[(version * 31) % lines.length] = `version ${version}\n`.padStart(50, 'y ');
      const after = { mode: '100644', id: await store.write(Buffer.from(lines.join(''))) };
      await records.add(facts, [{ path: 'file.txt', ...(before && { before }), after }]);
      before = after;
      if ((version + 1) % COMPACTED_EACH !== 0) continue;
      await store.compact({ isForced: true, graceMs: 0 });
      sizes.push(await sizeOf(store.folder.path));
    }
    const plain = VERSIONS * VERSION_BYTES;
    const full = sizes.at(-1) ?? Number.NaN;
    // Half of the records become too old, round after round, while as many new ones come.
    const flat: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      for (let version = 0; version < COMPACTED_EACH; version += 1) {
        lines[(version * 37) % lines.length] = `round ${round} ${version}\n`.padStart(50, 'z ');
        const after = { mode: '100644', id: await store.write(Buffer.from(lines.join(''))) };
        await records.add({ ...facts, endedAt: round + 1 }, [{ path: 'file.txt', after }]);
      }
      const kept = (await records.list('c')).at(-COMPACTED_EACH);
      await records.drop(kept?.endedAt ?? 0, () => Promise.resolve(false));
      await store.compact({ isForced: true, graceMs: 0 });
      flat.push(await sizeOf(store.folder.path));
    }
    const [first = Number.NaN] = flat;
    const text = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
    return [
      {
        name: `store of ${VERSIONS} changes of ${VERSION_BYTES / 1_000} kB, not their plain size`,
        figure: text(full),
        baseline: text(plain),
        ratio: full / plain,
        bar: { atMost: 0.05 },
      },
      {
        name: 'store under retention, last round and not the first',
        figure: text(flat.at(-1) ?? Number.NaN),
        baseline: text(first),
        ratio: (flat.at(-1) ?? Number.NaN) / first,
        bar: { atMost: 1.1 },
      },
    ];
  } finally {
    await stores.close();
  }
}

async function sizeOf(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) bytes += (await lstat(join(entry.parentPath, entry.name))).size;
  return bytes;
}
