import { execFileSync } from 'node:child_process';
import { chmodSync, closeSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { storeIdOf } from '../src/workspace/snapshots/store-folder.ts';
import { CHANGES_OF_SESSION, ChangesetFixture, UNCOMMITTED } from './changeset-fixture.ts';
import type { RawClient } from './raw-client.ts';

/** Sends an operation without waiting for its answer. */
const ask = (client: RawClient, channel: string, operationId: string, more: object = {}): number =>
  client.ask('invokeChangesetOperation', { channel, operationId, ...more });

const LINES = Array.from({ length: 9 }, (_, at) => `${at}\n`);
const text = (changes: Readonly<Record<number, string>>): string =>
  LINES.map((line, at) => changes[at] ?? line).join('');

const lines = (resource: string, from: number, to: number): object => ({
  kind: 'range',
  resource,
  range: { start: { line: from, character: 0 }, end: { line: to, character: 0 } },
});

test('[CS-4] an operation that is called while another one runs is carried out after it', async () => {
  const fixture = await ChangesetFixture.start((each) => {
    writeFileSync(join(each.tree, 'a'), '1\n');
    each.commitAll();
  });
  const client = await fixture.client();
  await fixture.session(client);
  writeFileSync(join(fixture.tree, 'a'), '2\n');
  const changes = await fixture.watch(client, UNCOMMITTED);
  await changes.shows('a +1 -1');
  await changes.invoke('revert');
  expect(readFileSync(join(fixture.tree, 'a'), 'utf8')).toBe('1\n');
  // Nothing can be committed before the revert is undone.
  const undo = ask(client, UNCOMMITTED, 'undo');
  const again = ask(client, UNCOMMITTED, 'undo');
  const commit = ask(client, UNCOMMITTED, 'commit', { 'x-input': { message: 'after' } });
  await fixture.until(() => client.answerTo(commit) !== undefined);
  expect(await client.answered(undo)).toEqual({ message: '1 file changed on disk' });
  await expect(client.answered(again)).rejects.toThrow('This operation is running');
  expect(await client.answered(commit)).toMatchObject({ message: expect.stringContaining('1 file') });
  expect(fixture.git('show', '--format=%s', '--stat', 'HEAD')).toContain('after');
  expect(fixture.git('status', '--porcelain')).toBe('');
  expect(changes.names).toEqual([]);
});

test('[CS-4] operations that wait are shown as running to all clients', async () => {
  const fixture = await ChangesetFixture.start((each) => {
    writeFileSync(join(each.tree, 'a'), '1\n');
    each.commitAll();
    const hooks = join(each.tree, '.git', 'hooks');
    mkdirSync(hooks, { recursive: true });
    const wait = 'for i in $(seq 999); do test -e ../go && break; sleep 0.05; done; exit 1';
    writeFileSync(join(hooks, 'pre-commit'), `#!/bin/sh\n${wait}\n`);
    chmodSync(join(hooks, 'pre-commit'), 0o755);
  });
  const client = await fixture.client();
  await fixture.session(client);
  writeFileSync(join(fixture.tree, 'a'), '2\n');
  const changes = await fixture.watch(client, UNCOMMITTED);
  await changes.shows('a +1 -1');
  const other = await fixture.watch(await fixture.client('ben'), UNCOMMITTED);
  const commit = ask(client, UNCOMMITTED, 'commit', { 'x-input': { message: 'x' } });
  const stage = ask(client, UNCOMMITTED, 'stage');
  const statuses = (): unknown[] => ['commit', 'stage'].map((id) => other.operation(id)?.status);
  await fixture.until(() => JSON.stringify(statuses()) === '["running","running"]');
  expect(client.answerTo(stage)).toBeUndefined();
  writeFileSync(join(fixture.path, 'go'), '');
  await fixture.until(() => client.answerTo(stage) !== undefined);
  await expect(client.answered(commit)).rejects.toThrow('Not committed');
  expect(fixture.git('status', '--porcelain')).toBe('M  a\n');
  await fixture.until(() => JSON.stringify(statuses()) === '["error","disabled"]');
});

test('[CS-4] lines of a file that the operation before has changed are not reverted', async () => {
  const fixture = await ChangesetFixture.start((each) => writeFileSync(join(each.tree, 'a'), text({})));
  const client = await fixture.client();
  const { chat } = await fixture.session(client);
  const path = join(fixture.tree, 'a');
  await fixture.turn(client, chat, 'one', () => writeFileSync(path, text({ 1: 'x\ny\n', 7: 'z\n' })));
  const changes = await fixture.watch(client, CHANGES_OF_SESSION);
  await changes.shows('a +3 -2');
  await changes.invoke('revert', lines(changes.file('a').id, 1, 3));
  expect(readFileSync(path, 'utf8')).toBe(text({ 7: 'z\n' }));
  // The client sees the changed line in line 7 still, and it is in line 8 after the undo.
  const undo = ask(client, CHANGES_OF_SESSION, 'undo');
  const revert = ask(client, CHANGES_OF_SESSION, 'revert', {
    target: lines(changes.file('a').id, 7, 8),
  });
  await fixture.until(() => client.answerTo(revert) !== undefined);
  expect(await client.answered(undo)).toEqual({ message: '1 file changed on disk' });
  await expect(client.answered(revert)).rejects.toThrow('has changed the file');
  expect(readFileSync(path, 'utf8')).toBe(text({ 1: 'x\ny\n', 7: 'z\n' }));
});

test('[CS-4] the answer of an operation does not wait for the changesets of other sessions', async () => {
  const fixture = await ChangesetFixture.start((each) => {
    writeFileSync(join(each.tree, 'a'), '1\n');
    each.commitAll();
  });
  const blocked = join(fixture.path, 'blocked');
  execFileSync('git', ['clone', '-q', fixture.tree, blocked]);
  const client = await fixture.client();
  await fixture.session(client);
  const two = { channel: 'ahp-session:/two', workingDirectories: [pathToFileURL(blocked).href] };
  await client.request('createSession', two);
  const others = await fixture.watch(client, 'ahp-changeset:/uncommitted/ahp-session%3A%2Ftwo');
  await others.shows();
  writeFileSync(join(fixture.tree, 'a'), '2\n');
  const changes = await fixture.watch(client, UNCOMMITTED);
  await changes.shows('a +1 -1');
  // Git waits for a program that writes into the pipe.
  const index = join(blocked, '.git', 'index');
  rmSync(index);
  execFileSync('mkfifo', [index]);
  await changes.invoke('stage');
  expect(changes.operation('stage')?.status).toBe('disabled');
  expect(changes.file('a')._meta).toEqual({ staged: 'all' });
  expect(others.state.status).toBe('recomputing');
  // Opened for both, the pipe blocks nobody.
  closeSync(openSync(index, 'r+'));
  rmSync(index);
});

test('[CS-4] a revert that fails in the second of two folders shows what it has changed in the first', async () => {
  const fixture = await ChangesetFixture.start((each) => {
    writeFileSync(join(each.tree, 'a'), '1\n');
    each.commitAll();
    execFileSync('git', ['clone', '-q', each.tree, join(each.path, 'second')]);
  });
  const second = join(fixture.path, 'second');
  const client = await fixture.client();
  await client.request('createSession', {
    channel: 'ahp-session:/one',
    workingDirectories: [fixture.tree, second].map((path) => pathToFileURL(path).href),
  });
  for (const folder of [fixture.tree, second]) writeFileSync(join(folder, 'a'), '2\n');
  const changes = await fixture.watch(client, UNCOMMITTED);
  await changes.shows('a +1 -1', 'a +1 -1');
  // Nothing can be noted in the store of the second folder.
  writeFileSync(join(fixture.path, 'data', 'trees', storeIdOf(second), 'writes'), '');
  await expect(changes.invoke('revert')).rejects.toThrow('Internal error');
  expect(readFileSync(join(fixture.tree, 'a'), 'utf8')).toBe('1\n');
  expect(readFileSync(join(second, 'a'), 'utf8')).toBe('2\n');
  expect(changes.names).toEqual(['a +1 -1']);
  expect(changes.operation('undo')?.status).toBe('idle');
});
