import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FolderFixture } from './folder-fixture.ts';
import { ChangeRecords } from './records.ts';
import { planRevert } from './revert.ts';
import type { TreeChange } from './tree-changes.ts';

const FILES = 200;
const nameOf = (at: number): string => `folder-${at % 40}/file-${at}`;
const LINES = Array.from({ length: 20 }, (_, at) => `line ${at}\n`);
const textOf = (changed: Readonly<Record<number, string>>): string =>
  LINES.map((line, at) => changed[at] ?? line).join('');

test('a revert of 200 files starts a handful of git processes, and one for each file that is merged', async () => {
  const fixture = new FolderFixture();
  for (let at = 0; at < FILES; at += 1) fixture.write(nameOf(at), textOf({}));
  fixture.commit();
  const { store, scope } = await fixture.stores.of(fixture.tree);
  const records = new ChangeRecords(store);
  const steps: TreeChange[][] = [];
  for (const turn of [1, 2]) {
    const { tree } = await store.snapshot(scope);
    for (let at = 0; at < FILES; at += 1)
      fixture.write(nameOf(at), textOf({ 3: `turn ${turn} of ${at}\n`, ...(at < 3 && { 15: `${turn}\n` }) }));
    steps.push(await store.difference(tree, (await store.snapshot(scope)).tree));
  }
  // A person goes on in three files.
  for (let at = 0; at < 3; at += 1)
    fixture.write(nameOf(at), textOf({ 3: `turn 2 of ${at}\n`, 9: 'by a person\n', 15: '2\n' }));
  await store.snapshot(scope);
  const before = fixture.gitCalls.length;
  const { plans, conflicts } = await planRevert(fixture.storeGit, store, steps);
  const changes = plans.map(({ path, from, to }) => ({ path, before: from, after: to }) as TreeChange);
  const facts = { kind: 'revert', session: 's', scope, startedAt: 0, shared: [] } as const;
  await records.write(
    plans,
    ['chat', 'changeset'].map((chat) => ({ ...facts, chat, changes })),
    () => 1,
  );
  const calls = fixture.gitCalls.slice(before);
  expect(calls.filter((name) => name === 'merge-file')).toHaveLength(3);
  expect(calls.filter((name) => name !== 'merge-file').length).toBeLessThanOrEqual(10);
  expect(conflicts).toEqual([]);
  for (let at = 0; at < FILES; at += 1)
    expect(readFileSync(join(fixture.tree, nameOf(at)), 'utf8')).toBe(
      textOf(at < 3 ? { 9: 'by a person\n' } : {}),
    );
  expect((await records.list('chat'))[0]?.changes).toHaveLength(FILES);
});
