import { expect, it } from 'vitest';
import type { StateAction } from '../wire/envelope.ts';
import { chatReducer } from './reducer.ts';
import type { BackgroundWork, ChatState } from './state.ts';

const state: ChatState = {
  resource: 'ahp-chat:/c',
  title: 'C',
  status: 1,
  modifiedAt: '2026-01-01T00:00:00.000Z',
  turns: [],
};

const reduce = (from: ChatState, ...actions: StateAction[]): ChatState =>
  actions.reduce((next, action) => chatReducer(next, action), from);

it('[CHAT-42] reading and archiving set and clear one bit each, and nothing else', () => {
  const unknownBit = { ...state, status: 8 + 2 ** 40 };
  const read = reduce(unknownBit, { type: 'chat/isReadChanged', isRead: true });
  expect(read).toStrictEqual({ ...unknownBit, status: 8 + 32 + 2 ** 40 });
  expect(reduce(read, { type: 'chat/isReadChanged', isRead: true })).toBe(read);
  const both = reduce(read, { type: 'chat/isArchivedChanged', isArchived: true });
  expect(both).toStrictEqual({ ...unknownBit, status: 8 + 32 + 64 + 2 ** 40 });
  expect(
    reduce(
      both,
      { type: 'chat/isReadChanged', isRead: false },
      { type: 'chat/isArchivedChanged', isArchived: false },
    ),
  ).toStrictEqual(unknownBit);
});

it('[CHAT-43] a chat has a catalogue of changesets, which may be empty or absent', () => {
  const changesets = [{ label: 'All', uriTemplate: 'ahp-changeset:/x', changeKind: 'session' }];
  const listed = reduce(state, { type: 'chat/changesetsChanged', changesets });
  expect(listed).toStrictEqual({ ...state, changesets });
  expect(reduce(listed, { type: 'chat/changesetsChanged', changesets: [] }).changesets).toStrictEqual([]);
  expect(reduce(listed, { type: 'chat/changesetsChanged' })).toStrictEqual(state);
});

it('[CHAT-45] movable is set and stays as false', () => {
  const movable = reduce(state, { type: 'chat/movableChanged', movable: true });
  expect(movable).toStrictEqual({ ...state, movable: true });
  expect(reduce(movable, { type: 'chat/movableChanged', movable: false })).toStrictEqual({
    ...state,
    movable: false,
  });
});

it('[CHAT-46] background work is appended, replaced in place and removed by id, whatever turns do', () => {
  const shell: BackgroundWork = {
    kind: 'shell',
    id: 's',
    label: 'Build',
    startedAt: '2026-01-01T00:00:00.000Z',
    command: 'make',
  };
  const worker: BackgroundWork = {
    kind: 'subagent',
    id: 'w',
    label: 'Worker',
    startedAt: '2026-01-01T00:00:00.000Z',
    chat: 'ahp-chat:/w',
  };
  const both = reduce(
    state,
    { type: 'chat/backgroundWorkSet', work: shell },
    { type: 'chat/backgroundWorkSet', work: worker },
  );
  expect(both.backgroundWork).toStrictEqual([shell, worker]);
  expect(reduce(both, { type: 'chat/truncated' }).backgroundWork).toBe(both.backgroundWork);
  const renamed = { ...shell, label: 'Test' };
  expect(reduce(both, { type: 'chat/backgroundWorkSet', work: renamed }).backgroundWork).toStrictEqual([
    renamed,
    worker,
  ]);
  expect(reduce(both, { type: 'chat/backgroundWorkRemoved', id: 'x' })).toBe(both);
  const none = reduce(
    both,
    { type: 'chat/backgroundWorkRemoved', id: 's' },
    { type: 'chat/backgroundWorkRemoved', id: 'w' },
  );
  expect(none).toStrictEqual({ ...state, backgroundWork: [] });
  expect(none.status).toBe(state.status);
});

it('[CHAT-47] the canvases of a chat are replaced as a whole and cleared by absence', () => {
  const canvases = [{ resource: 'ahp-canvas:/a' }];
  const listed = reduce(state, { type: 'chat/canvasesChanged', canvases });
  expect(listed).toStrictEqual({ ...state, canvases });
  expect(reduce(listed, { type: 'chat/canvasesChanged' })).toStrictEqual(state);
});
