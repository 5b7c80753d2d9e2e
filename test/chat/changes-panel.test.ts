// The panel of changes without its window, against a host that the test plays.
import type { ChangesetOperation, ChangesetState } from '@agenthost/protocol';
import { annotationsUri } from '@agenthost/protocol';
import { expect, test } from 'vitest';
import { ChatApp } from '../../packages/cli/src/chat/app/chat-app.ts';
import type { Marks } from '../../packages/cli/src/render/screen.ts';
import { chatState, rootState, sessionState } from '../../packages/client/test/fake-host.ts';
import { Harness } from '../../packages/client/test/harness.ts';
import { RpcError } from '../../packages/rpc/src/index.ts';

const SESSION = 'ahp-session:/one';
const CHAT = 'ahp-chat:/one-main';
const ALL = 'ahp-changeset:/all';
const UNCOMMITTED = 'ahp-changeset:/uncommitted';
const marks: Marks = { done: '+', failed: 'x', refused: '-', running: '>', asks: '?', dot: '-' };

const BEFORE = Array.from({ length: 30 }, (_, index) => `line ${index + 1}\n`);
const AFTER = BEFORE.map((text, index) => (index === 2 ? 'third\n' : index === 24 ? '' : text));
const version = (name: string, side: string) => ({
  uri: `file:///p/${name}`,
  content: { uri: `agenthost-content:/${name}.${side}` },
});
const operation = (id: string, more: Partial<ChangesetOperation> = {}): ChangesetOperation => ({
  id,
  label: id,
  scopes: ['changeset', 'resource', 'range'],
  status: 'idle',
  ...more,
});
const CHANGES: ChangesetState = {
  status: 'ready',
  files: [
    {
      id: 'file:///p/a.ts',
      edit: {
        before: version('a.ts', 'before'),
        after: version('a.ts', 'after'),
        diff: { added: 1, removed: 2 },
      },
      reviewed: false,
    },
    { id: 'file:///p/new', edit: { after: version('new', 'after'), diff: { added: 1, removed: 0 } } },
  ],
  operations: [operation('revert'), operation('undo'), operation('mark-reviewed')],
  'x-leftOut': { count: 4, files: [{ uri: 'file:///p/film.mp4', reason: 'large' }] },
};

async function opened() {
  const it = await new Harness().online();
  it.host.states.set('ahp-root://', rootState());
  it.host.states.set(SESSION, {
    ...sessionState(CHAT),
    workingDirectories: ['file:///p'],
    changesets: [
      { label: 'All', uriTemplate: ALL, changeKind: 'session' },
      { label: 'Uncommitted', uriTemplate: UNCOMMITTED, changeKind: 'uncommitted' },
    ],
  });
  it.host.states.set(CHAT, chatState(CHAT));
  it.host.states.set(annotationsUri(SESSION), { annotations: [] });
  it.host.states.set(ALL, CHANGES);
  const message = { name: 'message', label: 'Message', type: 'string', default: 'Proposed' } as const;
  it.host.states.set(UNCOMMITTED, {
    ...CHANGES,
    operations: [operation('commit', { 'x-inputs': [message] })],
  });
  it.host.answers.set('listSessions', () => ({ items: [] }));
  it.host.answers.set('invokeChangesetOperation', () => ({ message: '1 file changed on disk' }));
  it.host.answers.set('resourceRead', (params) => {
    const isAfter = (params as { uri: string }).uri.endsWith('.after');
    return { data: (isAfter ? AFTER : BEFORE).join(''), encoding: 'utf-8' };
  });
  // The code is loaded when it is needed first; the harness waits for frames only.
  await import('../../packages/client/src/handles/changes.ts');
  const root = await it.run(it.client.subscribe('ahp-root://', { kind: 'root' }));
  const app = new ChatApp({
    client: it.client,
    root,
    marks,
    home: '/home',
    folder: undefined,
    model: undefined,
    address: 'here',
    leave: () => undefined,
    copy: () => undefined,
    showTerminal: () => Promise.resolve(),
  });
  await it.run(app.open(SESSION));
  const text = (): string =>
    app
      .frame({ columns: 90, rows: 24 })
      .lines.map((line) =>
        line
          .map((span) => span.text)
          .join('')
          .trimEnd(),
      )
      .join('\n');
  const press = async (...keys: string[]): Promise<string> => {
    for (const key of keys) {
      app.key(key.length === 1 ? { text: key } : { key });
      await it.settle();
    }
    return text();
  };
  const type = (words: string): void => app.key({ text: words });
  const invoked = () =>
    it.host.requests.flatMap(({ method, params }) => (method === 'invokeChangesetOperation' ? [params] : []));
  return { it, app, press, type, invoked, done: () => app.dispose() };
}

test('[CS-1] /changes and its key list the files with their counts and keys', async () => {
  const { press, type, done } = await opened();
  type('/changes');
  const shown = await press('enter');
  expect(shown).toContain('── Changes of this session: 2 files, +2 -2 ──');
  expect(shown).toMatch(/▸ M a\.ts +\+1 -2/);
  expect(shown).toMatch(/ {2}A new +\+1 -0\n left out: film\.mp4 \(over 10 MB\), …and 3 more/);
  expect(shown).toContain('Enter diff');
  expect(shown).toContain('r revert file');
  expect(await press('esc')).not.toContain('a.ts');
  expect(await press('ctrl-r')).toContain('a.ts');
  done();
});

test('[CS-3] [CS-4] the diff of a file begins at its first change; a hunk is reverted after a question', async () => {
  const { press, invoked, done } = await opened();
  const diff = await press('ctrl-r', 'enter');
  expect(diff).toContain('@@ -1,6 +1,6 @@\n    line 1');
  expect(diff).toContain(' ▸ -line 3');
  expect(await press('n')).toContain(' ▸ @@ -22,7 +22,6 @@');
  expect(await press('r')).toContain('Revert the changes of this hunk?');
  expect(await press('n')).toContain(' ▸ @@ -22,7 +22,6 @@');
  expect(invoked()).toEqual([]);
  const after = await press('r', 'y');
  expect(after).toContain('1 file changed on disk');
  expect(invoked()).toEqual([
    {
      channel: ALL,
      operationId: 'revert',
      target: {
        kind: 'range',
        resource: 'file:///p/a.ts',
        range: { start: { line: 24, character: 0 }, end: { line: 25, character: 0 } },
      },
    },
  ]);
  done();
});

test('[CS-4] a file and everything are reverted after a question, and the revert is undone', async () => {
  const { press, invoked, done } = await opened();
  expect(await press('ctrl-r', 'r')).toContain('Revert the changes of a.ts?');
  await press('y', 'down', 'r', 'y', 'a');
  await press('y', 'u');
  expect(invoked()).toEqual([
    { channel: ALL, operationId: 'revert', target: { kind: 'resource', resource: 'file:///p/a.ts' } },
    { channel: ALL, operationId: 'revert', target: { kind: 'resource', resource: 'file:///p/new' } },
    { channel: ALL, operationId: 'revert' },
    { channel: ALL, operationId: 'undo' },
  ]);
  done();
});

test('[ANN-1] a line is commented on, the comment shows below it, and is sent', async () => {
  const { it, press, type, done } = await opened();
  expect(await press('ctrl-r', 'enter', 'down', 'c')).toContain('Comment on line 3 of a.ts');
  type('why?');
  const shown = await press('ctrl-s');
  expect(shown).toContain('+third\n     ┃ why?');
  expect(it.host.states.get(annotationsUri(SESSION))).toMatchObject({
    annotations: [
      {
        resource: 'file:///p/a.ts',
        range: { start: { line: 2, character: 0 }, end: { line: 3, character: 0 } },
        entries: [{ text: { markdown: 'why?' } }],
      },
    ],
  });
  expect(await press('s')).toContain('sent 1 comment');
  const sent = it.host.dispatched.map(({ action }) => action);
  expect(sent).toContainEqual(
    expect.objectContaining({
      type: 'chat/pendingMessageSet',
      message: expect.objectContaining({ attachments: [expect.objectContaining({ type: 'annotations' })] }),
    }),
  );
  done();
});

test('[CS-4] uncommitted changes are committed with the proposed message, or another one', async () => {
  const { press, type, invoked, done } = await opened();
  await press('ctrl-r');
  expect(await press('v')).toContain('the chat has no turn yet');
  expect(await press('v')).toContain('Uncommitted changes: 2 files');
  expect(await press('c')).toContain('Proposed');
  type(' message');
  await press('ctrl-s');
  expect(invoked()).toEqual([
    { channel: UNCOMMITTED, operationId: 'commit', 'x-input': { message: 'Proposed message' } },
  ]);
  done();
});

test('[CS-22] a file is marked as reviewed, and only operations that are offered have keys', async () => {
  const { it, press, done } = await opened();
  expect(await press('ctrl-r', 'm')).toMatch(/a\.ts +reviewed {2}\+1 -2/);
  it.host.emit(ALL, { type: 'changeset/operationsChanged' });
  const shown = await press('up');
  expect(shown).not.toContain('revert');
  expect(shown).not.toContain('mark');
  done();
});

test('[CS-20] an error of the changeset shows, and a file that no longer differs says so', async () => {
  const { it, press, done } = await opened();
  await press('ctrl-r', 'enter');
  it.host.emit(ALL, { type: 'changeset/fileRemoved', fileId: 'file:///p/a.ts' });
  expect(await press('up')).toContain('this file no longer differs');
  const error = { errorType: 'tooLarge', message: 'Too large' };
  it.host.emit(ALL, { type: 'changeset/statusChanged', status: 'error', error });
  expect(await press('esc')).toContain('Too large');
  done();
});

const WORKTREE = {
  id: 'w-1',
  uri: 'file:///w',
  state: 'ready',
  branch: 'agenthost/x',
  base: 'main',
  baseCommit: 'c',
  ahead: 1,
  behind: 2,
  uncommittedChanges: 1,
};

test('a worktree shows how it differs from its base, is merged and checked out after a question, and a refusal shows', async () => {
  const { it, press, done } = await opened();
  it.host.answers.set('x-mergeWorktree', () => ({ message: 'Merged 1 commit of agenthost/x into main' }));
  it.host.answers.set('x-openWorktree', () => {
    throw new RpcError(-32_011, '/p has 3 changed files: commit or stash the changes first');
  });
  expect(await press('ctrl-r')).not.toContain('worktree');
  it.host.emit(SESSION, { type: 'session/metaChanged', _meta: { worktree: WORKTREE } });
  const shown = await press('down');
  expect(shown).toContain('worktree agenthost/x from main: 1 ahead, 2 behind, 1 file is not committed');
  expect(shown).toMatch(/▸ A new/);
  expect(await press('w')).toContain('Merge agenthost/x into main?');
  expect(it.host.requests.some(({ method }) => method === 'x-mergeWorktree')).toBe(false);
  expect(await press('y')).toContain('Merged 1 commit of agenthost/x into main');
  expect(await press('o')).toContain('Check out agenthost/x in the project?');
  expect(await press('y')).toContain('not checked out: /p has 3 changed files');
  it.host.emit(SESSION, { type: 'session/metaChanged', _meta: { worktree: { ...WORKTREE, ahead: 0 } } });
  expect(await press('up', 'w')).not.toContain('Merge agenthost/x');
  done();
});

test('[ANN-1] open comments are listed with their places, answered, sent one by one, and resolved', async () => {
  const { it, press, type, done } = await opened();
  const comment = (id: string, line: number, text: string) => ({
    id,
    origin: { session: SESSION },
    resource: 'file:///p/a.ts',
    range: { start: { line, character: 0 }, end: { line: line + 1, character: 0 } },
    resolved: false,
    entries: [{ id: `${id}-1`, text, 'x-by': { clientId: 'c', name: 'Ada' } }],
  });
  it.host.emit(annotationsUri(SESSION), { type: 'annotations/set', annotation: comment('one', 2, 'why?') });
  it.host.emit(annotationsUri(SESSION), { type: 'annotations/set', annotation: comment('two', 8, 'rename') });
  const shown = await press('ctrl-r', 'l');
  expect(shown).toContain('▸ a.ts:3\n     ┃ Ada: why?');
  expect(shown).toContain('a.ts:9\n     ┃ Ada: rename');
  expect(await press('down')).toContain('▸ a.ts:9');
  expect(await press('enter')).toContain('sent 1 comment');
  expect(it.host.dispatched.map(({ action }) => action)).toContainEqual(
    expect.objectContaining({
      type: 'chat/pendingMessageSet',
      message: expect.objectContaining({
        attachments: [expect.objectContaining({ type: 'annotations', annotationIds: ['two'] })],
      }),
    }),
  );
  expect(await press('a')).toContain('Answer on a.ts:9');
  type('to what?');
  expect(await press('ctrl-s')).toContain('┃ to what?');
  expect(await press('x')).not.toContain('rename');
  expect(await press('x')).toContain('no open comment');
  expect(await press('esc')).toMatch(/▸ M a\.ts/);
  done();
});
