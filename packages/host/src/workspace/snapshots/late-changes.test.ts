// Turns whose snapshot at the start ends after their first edits.
import { renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FolderFixture } from './folder-fixture.ts';
import type { TreeChange } from './tree-changes.ts';

const pathsOf = (changes: readonly TreeChange[]): string[] => changes.map(({ path }) => path);

test('a turn that starts before its snapshot has ended gets its first edits, and the edits of people before it are not its own', async () => {
  const folder = new FolderFixture();
  for (const name of ['agent', 'gone', 'person', 'moved']) folder.write(name, '1');
  folder.commit();
  const stored = await folder.stores.of(folder.tree);
  await stored.store.snapshot('');
  folder.write('person', 'by a person');
  folder.write('agent', 'by a person');
  await stored.store.snapshot('');
  folder.write('moved', 'by a person, later');
  const from = statSync(join(folder.tree, 'moved')).ctimeMs + 1;
  // File times are coarse.
  do folder.write('agent', 'by the agent');
  while (statSync(join(folder.tree, 'agent')).ctimeMs < from);
  folder.write('new', 'by the agent');
  folder.remove('gone');
  const start = await stored.store.snapshotUntil('', () => from);
  const end = await stored.store.snapshot('');
  const changes = await stored.store.difference(start.tree, end.tree);
  expect(pathsOf(changes)).toEqual(['agent', 'gone', 'new']);
  expect((await stored.store.read(changes[0]?.before?.id ?? '')).toString()).toBe('by a person');
  const none = await stored.store.snapshotUntil('', () => undefined);
  expect(none.tree).toBe(end.tree);
});

test('a turn that starts before its snapshot has ended gets a renamed file, and a committed file that it writes anew is not a new one', async () => {
  const folder = new FolderFixture();
  for (const name of ['old name', 'same']) folder.write(name, name);
  folder.commit();
  const stored = await folder.stores.of(folder.tree);
  await stored.store.snapshot('');
  folder.write('committed', 'by a person');
  folder.commit('second');
  const from = statSync(join(folder.tree, 'committed')).ctimeMs + 1_000;
  // The log of `HEAD` has seconds.
  await expect.poll(() => Date.now(), { timeout: 5_000 }).toBeGreaterThan(from + 50);
  renameSync(join(folder.tree, 'old name'), join(folder.tree, 'new name'));
  folder.remove('committed');
  folder.write('committed', 'by the agent');
  const start = await stored.store.snapshotUntil('', () => from);
  const end = await stored.store.snapshot('');
  const changes = await stored.store.difference(start.tree, end.tree);
  expect(pathsOf(changes)).toEqual(['committed', 'new name', 'old name']);
  expect((await stored.store.read(changes[0]?.before?.id ?? '')).toString()).toBe('by a person');
});
