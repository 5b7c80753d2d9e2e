import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Git } from '../git/git.ts';
import { FolderFixture, filesIn } from './folder-fixture.ts';
import { planRevert } from './revert.ts';
import type { StoredFolder } from './stores.ts';
import type { Blob, TreeChange } from './tree-changes.ts';
import {
  carryOutEdit,
  type Edit,
  edits,
  type ModelFile,
  type TreeState,
  treeAt,
} from './tree-model-fixture.ts';
import { writeFiles } from './write-files.ts';

const RUNS = 4;

/** What a person or an agent did, one after the other. */
const histories = fc.record({
  start: edits,
  steps: fc.array(fc.record({ isTurn: fc.boolean(), edits }), { minLength: 2, maxLength: 4 }),
  last: edits,
  /** Which of the turns is reverted at the end. */
  chosen: fc.nat(3),
  later: edits,
});

const git = new Git();

type Shown = Record<string, [ModelFile | undefined, ModelFile | undefined]>;

const sameFile = (a: ModelFile | undefined, b: ModelFile | undefined): boolean =>
  a?.hex === b?.hex && a?.mode === b?.mode;

/** The changes between two states of the model. */
function modelChanges(before: TreeState, after: TreeState): Shown {
  const paths = [...new Set([...before.keys(), ...after.keys()])];
  return Object.fromEntries(
    paths.flatMap((path) => {
      const [old, now] = [before.get(path), after.get(path)];
      return sameFile(old, now) ? [] : [[path, [old, now] as const]];
    }),
  );
}

async function shownChanges({ store }: StoredFolder, changes: readonly TreeChange[]): Promise<Shown> {
  const fileOf = async (blob: Blob | undefined): Promise<ModelFile | undefined> =>
    blob && { mode: blob.mode as ModelFile['mode'], hex: (await store.read(blob.id)).toString('hex') };
  const shown: Shown = {};
  for (const { path, before, after } of changes) shown[path] = [await fileOf(before), await fileOf(after)];
  return shown;
}

const carryOut = (folder: FolderFixture, all: readonly Edit[]): void => {
  for (const edit of all) carryOutEdit(folder.tree, edit);
};

/** Records what `all` changes, as a turn does. */
async function recordTurn(
  folder: FolderFixture,
  { store, scope }: StoredFolder,
  all: readonly Edit[],
): Promise<TreeChange[]> {
  const start = await store.snapshot(scope);
  carryOut(folder, all);
  const end = await store.snapshot(scope);
  const changes = await store.difference(start.tree, end.tree, scope);
  await store.keep(changes);
  return changes;
}

/** Takes changes back, as a revert does. Resolves with its own changes; `undefined`: refused. */
async function takeBack(
  { store, scope }: StoredFolder,
  changes: readonly TreeChange[],
): Promise<TreeChange[] | undefined> {
  await store.snapshot(scope);
  const { plans, conflicts } = await planRevert(git, store, [changes]);
  if (conflicts.length > 0) return undefined;
  await writeFiles(store.root, plans, { read: (id) => store.read(id), temporary: '.agenthost-test.tmp' });
  return plans.map(({ path, from, to }) => ({
    path,
    ...(from && { before: from }),
    ...(to && { after: to }),
  }));
}

const timesOf = (folder: FolderFixture): Map<string, number> =>
  new Map([...treeAt(folder.tree).keys()].map((path) => [path, lstatSync(join(folder.tree, path)).mtimeMs]));

describe.each(['in a git repository', 'outside of git'])('%s', (where) => {
  const isGit = where === 'in a git repository';

  test('random histories: turns have what the model says; a revert restores exact bytes and modes, and its undo brings them back', async () => {
    await fc.assert(
      fc.asyncProperty(histories, async ({ start, steps, last, chosen, later }) => {
        await using folder = new FolderFixture();
        carryOut(folder, start);
        if (isGit) folder.commit();
        const ofUser = isGit ? filesIn(join(folder.tree, '.git')) : [];
        const stored = await folder.stores.of(folder.tree);
        const turns: TreeChange[][] = [];
        for (const step of steps) {
          const before = treeAt(folder.tree);
          if (step.isTurn) {
            const changes = await recordTurn(folder, stored, step.edits);
            turns.push(changes);
            expect(await shownChanges(stored, changes)).toEqual(modelChanges(before, treeAt(folder.tree)));
          } else carryOut(folder, step.edits);
        }

        // The last turn, with nothing after it.
        const before = treeAt(folder.tree);
        const newest = await recordTurn(folder, stored, last);
        turns.push(newest);
        const after = treeAt(folder.tree);
        const times = timesOf(folder);
        const reverted = await takeBack(stored, newest);
        expect(treeAt(folder.tree)).toEqual(before);
        expect(await takeBack(stored, reverted ?? [])).toBeDefined();
        expect(treeAt(folder.tree)).toEqual(after);
        const touched = new Set(newest.map(({ path }) => path));
        for (const [path, time] of timesOf(folder))
          if (!touched.has(path)) expect(time).toBe(times.get(path));

        // Any turn, after later edits: all or nothing, and only its own files.
        carryOut(folder, later);
        const present = treeAt(folder.tree);
        const turn = turns[chosen % turns.length] ?? [];
        const own = new Set(turn.map(({ path }) => path));
        const done = await takeBack(stored, turn);
        const outcome = treeAt(folder.tree);
        for (const path of Object.keys(modelChanges(present, outcome))) expect([...own]).toContain(path);
        const ends = await shownChanges(stored, turn);
        const isAsLeft = ([path, [, end]]: [string, Shown[string]]): boolean =>
          sameFile(present.get(path), end);
        if (done === undefined) {
          expect(outcome).toEqual(present);
          expect(Object.entries(ends).every(isAsLeft)).toBe(false);
        } else {
          for (const entry of Object.entries(ends).filter(isAsLeft))
            expect(outcome.get(entry[0])).toEqual(entry[1][0]);
          expect(await takeBack(stored, done)).toBeDefined();
          expect(treeAt(folder.tree)).toEqual(present);
        }
        if (isGit) expect(filesIn(join(folder.tree, '.git'))).toEqual(ofUser);
      }),
      { numRuns: RUNS },
    );
  }, 300_000);
});
