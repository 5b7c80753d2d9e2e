import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type SessionState, sessionGit } from '@agenthost/protocol';
import { expect, test, vi } from 'vitest';
import { WatchFailure } from '../src/workspace/watching/tree-source.ts';
import { ChangesetFixture, UNCOMMITTED, type WatchedChangeset } from './changeset-fixture.ts';
import type { FixtureOptions } from './host-fixture.ts';
import type { RawClient } from './raw-client.ts';

// Each test starts hundreds of git processes.
vi.setConfig({ testTimeout: 300_000 });

/** Changes on disk are reported after some time. */
const STEP_MS = 10;

const turnUri = (id: string): string => `ahp-changeset:/turn/ahp-session%3A%2Fone/${id}`;

/** A session in a repository with the files a and b, and its uncommitted changes. */
async function started(
  prepare: (fixture: ChangesetFixture) => void = () => undefined,
  options: FixtureOptions = {},
): Promise<{
  fixture: ChangesetFixture;
  client: RawClient;
  session: string;
  chat: string;
  changes: WatchedChangeset;
}> {
  const fixture = await ChangesetFixture.start((each) => {
    for (const name of ['a', 'b']) writeFileSync(join(each.tree, name), '1\n');
    each.commitAll();
    prepare(each);
  }, options);
  const client = await fixture.client();
  const { session, chat } = await fixture.session(client);
  const changes = await fixture.watch(client, UNCOMMITTED);
  return { fixture, client, session, chat, changes };
}

function hook(fixture: ChangesetFixture, name: string, text: string): void {
  const path = join(fixture.tree, '.git', 'hooks', name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, 0o755);
}

/** Waits until a changeset shows these files, while the clock runs. */
const live = (changes: WatchedChangeset, ...names: string[]): Promise<void> =>
  changes.showsSoon(names, STEP_MS);

async function sessionState(client: RawClient, session: string): Promise<SessionState> {
  const { state } = await client.subscribe(session);
  if (!('chats' in state)) throw new Error('no session');
  return state;
}

test('[CS-4] files are staged whole and in part, committed with a proposed message, and all clients see it', async () => {
  const { fixture, client, session, chat, changes } = await started();
  const other = await fixture.client('ben');
  const seen = await fixture.watch(other, UNCOMMITTED);
  await fixture.turn(client, chat, 'please change the first file', () =>
    writeFileSync(join(fixture.tree, 'a'), '2\n'),
  );
  writeFileSync(join(fixture.tree, 'b'), '2\n');
  await live(changes, 'a +1 -1', 'b +1 -1');
  await changes.invoke('stage', { kind: 'resource', resource: changes.file('b').id });
  expect(changes.file('b')._meta).toEqual({ staged: 'all' });
  expect(changes.file('a')._meta).toBeUndefined();
  writeFileSync(join(fixture.tree, 'b'), '3\n');
  await fixture.until(() => changes.file('b')._meta?.['staged'] === 'part', STEP_MS);
  const commit = changes.operation('commit');
  expect(commit?.['x-inputs']).toMatchObject([
    { name: 'message', default: 'Change the first file', isLong: true },
    { name: 'all', default: false },
    { name: 'amend', default: false },
  ]);
  const { message } = await changes.invoke('commit');
  expect(message).toMatch(/^Committed [0-9a-f]{7} on main: 1 file$/);
  expect(fixture.git('log', '-1', '--format=%s')).toBe('Change the first file\n');
  await live(seen, 'a +1 -1', 'b +1 -1');
  expect(
    (await changes.invoke('commit', undefined, { message: 'rest\n\nbody', all: true })).message,
  ).toContain('2 files');
  await live(seen);
  expect(fixture.git('log', '-1', '--format=%b')).toBe('body\n\n');
  const statuses = other
    .envelopes(UNCOMMITTED)
    .flatMap(({ action }) =>
      action.type === 'changeset/operationStatusChanged' ? [`${action.operationId} ${action.status}`] : [],
    );
  expect(statuses).toEqual([
    'stage running',
    'stage idle',
    'commit running',
    'commit idle',
    'commit running',
    'commit idle',
  ]);
  await expect
    .poll(async () => (await fixture.host.run(), sessionGit(await sessionState(client, session))))
    .toMatchObject({ branchName: 'main', uncommittedChanges: 0 });
});

test('[CS-4] values that an operation does not take are refused by name, and change nothing', async () => {
  const { fixture, changes } = await started();
  writeFileSync(join(fixture.tree, 'a'), '2\n');
  await live(changes, 'a +1 -1');
  for (const [operation, input, parameter] of [
    ['commit', { massage: 'x' }, 'x-input.massage'],
    ['commit', { all: 'yes' }, 'x-input.all'],
    ['create-branch', {}, 'x-input.name'],
    ['create-branch', { name: '--force' }, 'x-input.name'],
    ['switch-branch', { name: 'a..b' }, 'x-input.name'],
    ['stage', { message: 'x' }, 'x-input.message'],
  ] as const)
    await expect(changes.invoke(operation, undefined, input)).rejects.toMatchObject({
      code: -32602,
      data: { 'x-refusal': { parameter } },
    });
  await expect(
    changes.invoke('stage', { kind: 'resource', resource: 'file:///etc/passwd' }),
  ).rejects.toMatchObject({ code: -32008 });
  expect(fixture.git('status', '--short')).toBe(' M a\n');
});

test('[CS-4] a refused commit shows why to all clients, and the same operation is refused while it runs', async () => {
  const { fixture, changes } = await started((each) =>
    hook(
      each,
      'pre-commit',
      'for i in $(seq 999); do test -e go && break; sleep 0.05; done; echo "no tests"; exit 1',
    ),
  );
  const other = await fixture.watch(await fixture.client('ben'), UNCOMMITTED);
  writeFileSync(join(fixture.tree, 'a'), '2\n');
  await live(changes, 'a +1 -1');
  const refused = changes.invoke('commit', undefined, { message: 'x' }).catch((error: unknown) => error);
  await fixture.until(() => other.operation('commit')?.status === 'running');
  await expect(other.invoke('commit')).rejects.toMatchObject({ code: -32011 });
  writeFileSync(join(fixture.tree, 'go'), '');
  expect(await refused).toMatchObject({ code: -32011, message: 'Not committed: no tests' });
  expect(other.operation('commit')).toMatchObject({
    status: 'error',
    error: { message: 'Not committed: no tests' },
  });
  expect(fixture.git('status', '--short')).toBe(' M a\n?? go\n');
  rmSync(join(fixture.tree, '.git', 'hooks', 'pre-commit'));
  await changes.invoke('commit', undefined, { message: 'x' });
  await live(other);
});

test('[CS-4] commits are pushed and pulled, and operations are offered when they are possible', async () => {
  const { fixture, client, session, changes } = await started();
  await live(changes);
  const offered = (): (string | undefined)[] =>
    changes.state.operations?.filter(({ status }) => status !== 'disabled').map(({ id }) => id) ?? [];
  expect(offered()).toEqual(['commit', 'create-branch', 'switch-branch', 'revert']);
  const remote = join(fixture.path, 'remote.git');
  fixture.git('init', '-q', '--bare', '-b', 'main', remote);
  fixture.git('remote', 'add', 'origin', remote);
  await fixture.until(() => offered().includes('push'), STEP_MS);
  expect(changes.operation('push')?.confirmation).toContain('a new branch');
  expect((await changes.invoke('push')).message).toBe('Pushed main to the new branch origin/main');
  await fixture.until(() => changes.operation('push')?.status === 'disabled', STEP_MS);
  expect(offered()).toEqual(['pull', 'fetch', 'create-branch', 'switch-branch', 'revert']);
  expect((await changes.invoke('pull')).message).toBe('main is up to date with origin/main');
  expect((await changes.invoke('create-branch', undefined, { name: 'topic' })).message).toBe(
    'Created the branch topic',
  );
  await expect.poll(async () => sessionGit(await sessionState(client, session))?.branchName).toBe('topic');
  writeFileSync(join(fixture.tree, 'a'), '2\n');
  writeFileSync(join(fixture.tree, 'new'), 'x\n');
  await live(changes, 'a +1 -1', 'new +1 -0');
  expect((await changes.invoke('stash', undefined, { message: 'later' })).message).toBe('Stashed 2 files');
  await live(changes);
  expect((await changes.invoke('switch-branch', undefined, { name: 'main' })).message).toBe(
    'Switched to main',
  );
  expect((await changes.invoke('stash-pop')).message).toBe('Applied the last stash; 0 others left');
  await live(changes, 'a +1 -1', 'new +1 -0');
  expect(changes.operation('stash-pop')).toBeUndefined();
});

test('[CS-4] a session in two repositories commits in both, and a file in its own', async () => {
  const fixture = await ChangesetFixture.start((each) => {
    writeFileSync(join(each.tree, 'a'), '1\n');
    each.commitAll();
    const second = join(each.path, 'second');
    each.git('clone', '-q', each.tree, second);
    for (const [key, value] of [
      ['user.name', 'A'],
      ['user.email', 'a@example.org'],
    ] as const)
      each.git('-C', second, 'config', key, value);
  });
  const second = join(fixture.path, 'second');
  const client = await fixture.client();
  await client.request('createSession', {
    channel: 'ahp-session:/one',
    workingDirectories: [fixture.tree, second].map((path) => pathToFileURL(path).href),
  });
  await client.subscribe('ahp-session:/one');
  const changes = await fixture.watch(client, UNCOMMITTED);
  for (const folder of [fixture.tree, second]) writeFileSync(join(folder, 'a'), '2\n');
  await live(changes, 'a +1 -1', 'a +1 -1');
  await changes.invoke('stage', { kind: 'resource', resource: pathToFileURL(join(second, 'a')).href });
  expect(fixture.git('status', '--short')).toBe(' M a\n');
  const { message } = await changes.invoke('commit', undefined, { message: 'both', all: true });
  expect(message).toMatch(/^tree: Committed \w+ on main: 1 file\. second: Committed \w+ on main: 1 file$/);
  await live(changes);
});

test('[CS-4] a session shows its repository beside its other metadata, and follows commits of a terminal', async () => {
  const { fixture, client, session, changes } = await started();
  client.dispatch(session, { type: 'session/configChanged', config: { metadata: { ticket: '7' } } });
  await fixture.until(() => client.types(session).includes('session/metaChanged'));
  writeFileSync(join(fixture.tree, 'a'), '2\n');
  await live(changes, 'a +1 -1');
  await fixture.host.advance(1_000);
  const git = async (): Promise<unknown> => sessionGit(await sessionState(client, session));
  await expect
    .poll(async () => (await fixture.host.advance(600), git()), { timeout: 30_000 })
    .toMatchObject({ uncommittedChanges: 1 });
  fixture.git('commit', '-q', '-am', 'x');
  fixture.git('branch', '-m', 'renamed');
  await live(changes);
  await expect
    .poll(async () => (await fixture.host.advance(600), git()), { timeout: 30_000 })
    .toMatchObject({
      branchName: 'renamed',
      uncommittedChanges: 0,
    });
  expect((await sessionState(client, session))._meta).toMatchObject({ metadata: { ticket: '7' } });
});

test('[CS-4] files are restored as of a turn, without the edits of people, and it can be undone', async () => {
  const fixture = await ChangesetFixture.start((each) => writeFileSync(join(each.tree, 'b'), '1\n'));
  const client = await fixture.client();
  const { chat } = await fixture.session(client);
  const at = (name: string): string => join(fixture.tree, name);
  writeFileSync(at('a'), '1\n2\n3\n4\n5\n6\n7\n8\n');
  await fixture.turn(client, chat, 'one', () => writeFileSync(at('a'), 'one\n2\n3\n4\n5\n6\n7\n8\n'));
  const one = await fixture.watch(client, turnUri('one'));
  await live(one, 'a +1 -1');
  expect(one.operation('restore')).toBeUndefined();
  await fixture.turn(client, chat, 'two', () => {
    writeFileSync(at('a'), 'one\n2\n3\nfour\n5\n6\n7\n8\n');
    writeFileSync(at('new'), 'x\n');
    rmSync(at('b'));
  });
  await fixture.until(() => one.operation('restore') !== undefined && one.state.status === 'ready');
  // A person goes on in another line.
  writeFileSync(at('a'), 'one\n2\n3\nfour\n5\n6\n7\neight\n');
  expect((await one.invoke('restore')).message).toBe('3 files changed on disk');
  expect(readFileSync(at('a'), 'utf8')).toBe('one\n2\n3\n4\n5\n6\n7\neight\n');
  expect([existsSync(at('new')), readFileSync(at('b'), 'utf8')]).toEqual([false, '1\n']);
  await one.invoke('undo');
  expect(readFileSync(at('a'), 'utf8')).toBe('one\n2\n3\nfour\n5\n6\n7\neight\n');
  expect([existsSync(at('new')), existsSync(at('b'))]).toEqual([true, false]);
  await fixture.begin(client, chat, 'three');
  await expect(one.invoke('restore')).rejects.toMatchObject({ code: -32011 });
  await fixture.complete();
});

test('[CS-1] what an operation of git changes while a turn runs is not of the turn', async () => {
  const { fixture, client, chat, changes } = await started((each) => {
    each.git('switch', '-q', '-c', 'other');
    writeFileSync(join(each.tree, 'b'), 'other\n');
    each.git('commit', '-q', '-am', 'x');
    each.git('switch', '-q', 'main');
  });
  await fixture.begin(client, chat, 'one');
  writeFileSync(join(fixture.tree, 'new'), '1\n');
  await live(changes, 'new +1 -0');
  await changes.invoke('switch-branch', undefined, { name: 'other' });
  appendFileSync(join(fixture.tree, 'new'), '2\n');
  await fixture.complete();
  const turn = await fixture.watch(client, turnUri('one'));
  await live(turn, 'new +2 -0');
  expect(turn.names).toEqual(['new +2 -0']);
});

test('[CONN-8] an operation that a kill has ended shows an error, and the counts of the session stay', async () => {
  // A folder that cannot be watched is looked at in intervals.
  const openTree = (): Promise<never> =>
    Promise.reject(new WatchFailure('systemLimit', 'no watches are left'));
  const { fixture, client, session, chat, changes } = await started(
    (each) =>
      hook(each, 'pre-commit', 'for i in $(seq 999); do test -e go && break; sleep 0.05; done; exit 1'),
    { openTree },
  );
  await changes.shows();
  writeFileSync(join(fixture.tree, 'b'), '2\n');
  await fixture.host.advance(15_000);
  await changes.shows('b +1 -1');
  await fixture.turn(client, chat, 'one', () => writeFileSync(join(fixture.tree, 'a'), '2\n'));
  await changes.shows('a +1 -1', 'b +1 -1');
  await fixture.until(() =>
    client
      .envelopes(session)
      .some(({ action }) => action.type === 'session/chatUpdated' && action.changes.changes?.files === 1),
  );
  client.ask('invokeChangesetOperation', {
    channel: UNCOMMITTED,
    operationId: 'commit',
    'x-input': { message: 'x' },
  });
  await fixture.until(() => changes.operation('commit')?.status === 'running');
  expect(await client.request('listSessions', { channel: 'ahp-root://' })).toMatchObject({
    items: [{ changes: { additions: 1, deletions: 1, files: 1 } }],
  });
  await fixture.host.restart();
  writeFileSync(join(fixture.tree, 'go'), '');
  const again = await fixture.watch(await fixture.client('ben'), UNCOMMITTED);
  expect(again.operation('commit')).toMatchObject({
    status: 'error',
    error: { errorType: 'hostRestarted' },
  });
});
