import type { Changeset, ChangesetState } from '@agenthost/protocol';
import { RpcError } from '@agenthost/rpc';
import { expect, test } from 'vitest';
import { failureOf, Harness } from '../../test/harness.ts';
import { NoSuchChangeset } from '../errors.ts';
import type { ChangesetHandle } from './changeset-handle.ts';

const version = (name: string, side: string) => ({
  uri: `file:///t/${name}`,
  content: { uri: `agenthost-content:/${name}.${side}` },
});

const STATE: ChangesetState = {
  status: 'ready',
  files: [
    { id: 'file:///t/new', edit: { before: version('old', 'before'), after: version('new', 'after') } },
    { id: 'file:///t/gone', edit: { before: version('gone', 'before') }, reviewed: false },
  ],
  operations: [{ id: 'revert', label: 'Revert', scopes: ['changeset', 'resource', 'range'], status: 'idle' }],
};

const CATALOGUE: Changeset[] = [
  { label: 'All', uriTemplate: 'ahp-changeset:/s', changeKind: 'session' },
  { label: 'Turn', uriTemplate: 'ahp-changeset:/t/{turnId}', changeKind: 'turn' },
  {
    label: 'Two',
    uriTemplate: 'ahp-changeset:/c{/originalTurnId,modifiedTurnId}',
    changeKind: 'compare-turns',
  },
  { label: 'Other', uriTemplate: 'ahp-changeset:/x/{newVariable}', changeKind: 'branch' },
];
const OF_CHAT: Changeset[] = [
  { label: 'All', uriTemplate: 'ahp-changeset:/chat', changeKind: 'session' },
  { label: 'Turn', uriTemplate: 'ahp-changeset:/chat/{turnId}', changeKind: 'turn' },
];

async function opened() {
  const it = await new Harness().online();
  const session = await it.run(it.client.sessions.create());
  it.host.emit(session.uri, { type: 'session/changesetsChanged', changesets: CATALOGUE });
  it.host.emit(session.chat.mirror.uri, { type: 'chat/changesetsChanged', changesets: OF_CHAT });
  await it.settle();
  for (const path of ['s', 't/one%2F%20two', 'c/a/b', 'chat', 'chat/one'])
    it.host.states.set(`ahp-changeset:/${path}`, STATE);
  it.host.answers.set('invokeChangesetOperation', () => ({ message: 'done' }));
  // The code is loaded when it is needed first; the harness waits for frames only.
  await import('./changes.ts');
  const changes = await it.run(session.changes());
  return { it, session, changes };
}

async function openedChangeset() {
  const { it, session, changes } = await opened();
  return { it, session, handle: await it.run(changes.open()) };
}

test('[CS-1] the changesets of the catalogue are opened by kind, by turn and by two turns', async () => {
  const { it, changes } = await opened();
  expect(changes.catalogue).toEqual(CATALOGUE);
  const uris = [];
  for (const choice of [
    undefined,
    'session',
    { turnId: 'one/ two' },
    { originalTurnId: 'a', modifiedTurnId: 'b' },
  ])
    uris.push((await it.run(changes.open(choice))).uri);
  expect(uris).toEqual([
    'ahp-changeset:/s',
    'ahp-changeset:/s',
    'ahp-changeset:/t/one%2F%20two',
    'ahp-changeset:/c/a/b',
  ]);
});

test('[CHAT-43] the changesets of a chat are opened from the chat, and from its session', async () => {
  const { it, session, changes } = await opened();
  const ofChat = await it.run(session.chat.changes());
  expect(ofChat.catalogue).toEqual(OF_CHAT);
  expect((await it.run(ofChat.open())).uri).toBe('ahp-changeset:/chat');
  const chat = session.chat.mirror.uri;
  expect((await it.run(changes.open({ chat }))).uri).toBe('ahp-changeset:/chat');
  expect((await it.run(changes.open({ chat, turnId: 'one' }))).uri).toBe('ahp-changeset:/chat/one');
});

test('[CS-1] a kind that is not offered, or whose template needs other values, has an error of its own', async () => {
  const { it, session, changes } = await opened();
  for (const kind of ['uncommitted', 'branch', 'turn']) {
    const error = await failureOf(it.run(changes.open(kind)));
    expect(error).toBeInstanceOf(NoSuchChangeset);
    expect(error).toMatchObject({ owner: session.uri, kind, code: 'no-such-changeset' });
  }
});

test('[CS-2] files, status, error and operations are live', async () => {
  const { it, handle } = await openedChangeset();
  expect(handle.files).toEqual(STATE.files);
  expect(handle.operation('revert')?.label).toBe('Revert');
  expect(handle.operation('commit')).toBeUndefined();
  expect(handle.file('file:///t/new')?.id).toBe('file:///t/new');
  expect(handle.file('file:///t/old')?.id).toBe('file:///t/new');
  expect(handle.file('file:///t/other')).toBeUndefined();
  expect(handle.leftOut).toBeUndefined();
  const leftOut = { count: 1, files: [{ uri: 'file:///t/film', reason: 'large' }] };
  it.host.emit(handle.uri, { type: 'changeset/contentChanged', files: STATE.files, 'x-leftOut': leftOut });
  await it.settle();
  expect(handle.leftOut).toEqual(leftOut);
  let count = 0;
  handle.onChange(() => (count += 1));
  it.host.emit(handle.uri, { type: 'changeset/statusChanged', status: 'recomputing' });
  await it.settle();
  expect(handle.status).toBe('recomputing');
  const settled = handle.settled();
  const error = { errorType: 'tooLarge', message: 'Too large' };
  it.host.emit(handle.uri, { type: 'changeset/statusChanged', status: 'error', error });
  await it.run(settled);
  expect(handle.error).toEqual(error);
  expect(count).toBe(2);
});

test('[CS-3] a version is read as text or as bytes; a missing one is undefined', async () => {
  const { it, handle } = await openedChangeset();
  it.host.answers.set('resourceRead', (params) =>
    (params as { uri: string }).uri.endsWith('before')
      ? { data: 'AAH/', encoding: 'base64' }
      : { data: 'é', encoding: 'utf-8', contentType: 'text/plain' },
  );
  expect(await it.run(handle.content('file:///t/new', 'after'))).toEqual({
    text: 'é',
    bytes: new Uint8Array([0xc3, 0xa9]),
    contentType: 'text/plain',
  });
  const [, gone] = handle.files;
  if (gone === undefined) throw new Error('no file');
  expect(await it.run(handle.content(gone, 'before'))).toEqual({ bytes: new Uint8Array([0, 1, 255]) });
  expect(await handle.content(gone, 'after')).toBeUndefined();
});

const file = (resource = 'file:///t/new') => ({ target: { kind: 'resource', resource } });

test.each<[string, (handle: ChangesetHandle) => Promise<unknown>, object]>([
  ['revert', (each) => each.revert(), {}],
  ['revert', (each) => each.revert('file:///t/new'), file()],
  [
    'revert',
    (each) => each.revertLines('file:///t/new', { first: 2, last: 4, side: 'before' }),
    {
      target: {
        kind: 'range',
        resource: 'file:///t/new',
        side: 'before',
        range: { start: { line: 2, character: 0 }, end: { line: 5, character: 0 } },
      },
    },
  ],
  ['undo', (each) => each.undo(), {}],
  ['restore', (each) => each.restore(), {}],
  ['stage', (each) => each.stage(each.files[0]), file()],
  ['unstage', (each) => each.unstage(), {}],
  ['commit', (each) => each.commit(), {}],
  [
    'commit',
    (each) => each.commit({ message: 'x', all: true, amend: false }),
    { 'x-input': { message: 'x', all: true, amend: false } },
  ],
  ['push', (each) => each.push(), {}],
  ['pull', (each) => each.pull(), {}],
  ['fetch', (each) => each.fetch(), {}],
  ['stash', (each) => each.stash('later'), { 'x-input': { message: 'later' } }],
  ['stash-pop', (each) => each.stashPop(), {}],
  ['create-branch', (each) => each.createBranch('b'), { 'x-input': { name: 'b' } }],
  ['switch-branch', (each) => each.switchBranch('b'), { 'x-input': { name: 'b' } }],
])('[CS-4] %s is invoked with its target and its values', async (operationId, run, params) => {
  const { it, handle } = await openedChangeset();
  expect(await it.run(run(handle))).toEqual({ message: 'done' });
  expect(it.host.requests.at(-1)).toEqual({
    method: 'invokeChangesetOperation',
    params: { channel: handle.uri, operationId, ...params },
  });
});

test('[CS-4] a refused operation rejects with the error of the host', async () => {
  const { it, handle } = await openedChangeset();
  it.host.refuse = (method) =>
    method === 'invokeChangesetOperation' ? new RpcError(-32011, 'Conflict in a') : undefined;
  expect(await failureOf(it.run(handle.revert()))).toMatchObject({ code: -32011, message: 'Conflict in a' });
});

test('[CS-22] files are marked as reviewed at once, and the mark goes back when the host rejects it', async () => {
  const { it, handle } = await openedChangeset();
  it.host.judge = () => ({ reject: 'notReviewable' });
  const outcome = handle.markReviewed(['file:///t/old', 'file:///t/none'], true);
  expect(handle.files.map(({ reviewed }) => reviewed)).toEqual([true, false]);
  expect(await it.run(outcome)).toMatchObject({ outcome: 'rejected' });
  expect(handle.files.map(({ reviewed }) => reviewed)).toEqual([undefined, false]);
});
