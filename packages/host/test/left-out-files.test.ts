import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { fileTime } from '../src/workspace/snapshots/late-changes.ts';
import {
  CHANGES_OF_SESSION,
  ChangesetFixture,
  UNCOMMITTED,
  type WatchedChangeset,
} from './changeset-fixture.ts';

const turnUri = (id: string): string => `ahp-changeset:/turn/ahp-session%3A%2Fone/${id}`;

function writeLarge(path: string): void {
  writeFileSync(path, '');
  truncateSync(path, 10 * 1024 * 1024 + 1);
}

function repository(path: string): void {
  mkdirSync(path, { recursive: true });
  execFileSync('git', ['init', '-q'], { cwd: path });
  writeFileSync(join(path, 'inner'), '1\n');
}

/** Files that a changeset leaves out, by their paths in the working tree. */
function leftOutOf({ state }: WatchedChangeset, tree: string): unknown {
  const { count, files } = state['x-leftOut'] ?? { count: 0, files: [] };
  expect(count).toBe(files.length);
  const root = `${pathToFileURL(tree).href}/`;
  return Object.fromEntries(files.map(({ uri, reason }) => [uri.replace(root, ''), reason]));
}

/** Resolves when a file is old enough that a turn that begins now does not count it as its own. */
async function isOld(path: string): Promise<void> {
  while (statSync(path).ctimeMs >= fileTime()) await sleep(5);
}

test('[CS-3] files that a turn may have changed and that are not recorded are named with the reason', async () => {
  const fixture = await ChangesetFixture.start(({ tree }) => {
    for (const name of ['old', 'gone', 'grows', 'shrinks']) writeLarge(join(tree, name));
    writeFileSync(join(tree, 'grows'), '1\n');
    for (const name of ['vendor/same', 'vendor/changed']) repository(join(tree, name));
    writeFileSync(join(tree, '.gitignore'), '*.log\n');
  });
  const { tree } = fixture;
  const client = await fixture.client();
  const { chat } = await fixture.session(client);
  await isOld(join(tree, '.gitignore'));
  await fixture.begin(client, chat, 'one');
  writeLarge(join(tree, 'film.mp4'));
  writeLarge(join(tree, 'grows'));
  writeFileSync(join(tree, 'shrinks'), '1\n');
  rmSync(join(tree, 'gone'));
  writeFileSync(join(tree, 'vendor/changed/inner'), '2\n');
  repository(join(tree, 'new'));
  for (const name of ['a', 'told.log', 'shell.log']) writeFileSync(join(tree, name), '1\n');
  const { turn } = fixture.host.agent;
  const call = turn.output.toolCall({ toolName: 'write', displayName: 'Write' });
  call.run({ invocationMessage: 'Write' });
  const content = ['a', 'told.log'].map((name) => ({
    type: 'fileEdit' as const,
    ...turn.output.fileEdit({ uri: pathToFileURL(join(tree, name)).href, after: '1\n' }),
  }));
  await call.complete({ success: true, pastTenseMessage: 'Wrote', content });
  await fixture.complete();
  const ofTurn = await fixture.watch(client, turnUri('one'));
  await ofTurn.shows('a +1 -0', 'shrinks +1 -0');
  const left = {
    'film.mp4': 'large',
    gone: 'large',
    grows: 'large',
    new: 'repository',
    'told.log': 'ignored',
    'vendor/changed': 'repository',
  };
  expect(leftOutOf(ofTurn, tree)).toEqual(left);

  // The next turn leaves out nothing new, and the session has what each turn has left out.
  await isOld(join(tree, 'told.log'));
  await fixture.turn(client, chat, 'two', () => writeFileSync(join(tree, 'b'), '1\n'));
  const ofNext = await fixture.watch(client, turnUri('two'));
  await ofNext.shows('b +1 -0');
  expect(ofNext.state).not.toHaveProperty('x-leftOut');
  const ofSession = await fixture.watch(client, CHANGES_OF_SESSION);
  await ofSession.shows('a +1 -0', 'b +1 -0', 'shrinks +1 -0');
  expect(leftOutOf(ofSession, tree)).toEqual(left);
});

test('[CS-3] uncommitted changes name new large files and new repositories, which a commit would take', async () => {
  const fixture = await ChangesetFixture.start((each) => {
    writeLarge(join(each.tree, 'old'));
    writeFileSync(join(each.tree, '.gitignore'), '*.log\n');
    each.commitAll();
    writeLarge(join(each.tree, 'film.mp4'));
    writeLarge(join(each.tree, 'long.log'));
    writeFileSync(join(each.tree, 'a'), '1\n');
    repository(join(each.tree, 'vendor/x'));
  });
  const client = await fixture.client();
  await fixture.session(client);
  const changes = await fixture.watch(client, UNCOMMITTED);
  await changes.shows('a +1 -0');
  expect(leftOutOf(changes, fixture.tree)).toEqual({ 'film.mp4': 'large', 'vendor/x': 'repository' });
  // A later computation forgets what is gone, although no listed file has changed.
  rmSync(join(fixture.tree, 'film.mp4'));
  rmSync(join(fixture.tree, 'vendor'), { recursive: true });
  await fixture.watch(client, UNCOMMITTED);
  await fixture.until(() => changes.state['x-leftOut'] === undefined, 500);
});

test('[CS-3] the record of a turn that a stopped host had begun names what it leaves out', async () => {
  const fixture = await ChangesetFixture.start(({ tree }) => writeLarge(join(tree, 'old')));
  const { tree } = fixture;
  const client = await fixture.client();
  const { chat } = await fixture.session(client);
  await isOld(join(tree, 'old'));
  await fixture.begin(client, chat, 'one');
  writeLarge(join(tree, 'film.mp4'));
  writeFileSync(join(tree, 'a'), '1\n');
  await fixture.host.restart();
  const later = await fixture.client('bob');
  const changes = await fixture.watch(later, turnUri('one'));
  await changes.shows('a +1 -0');
  expect(leftOutOf(changes, tree)).toEqual({ 'film.mp4': 'large' });
});
