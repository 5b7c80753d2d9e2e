import { expect, it } from 'vitest';
import type { StateAction } from '../../wire/envelope.ts';
import { dialectOf } from '../chain.ts';

const [current, v09, v08] = [dialectOf('1.0.0'), dialectOf('0.9.0'), dialectOf('0.8.0')];
const read: StateAction = { type: 'chat/isReadChanged', isRead: true };

it.each<StateAction>([
  read,
  { type: 'chat/isArchivedChanged', isArchived: true },
  { type: 'chat/movableChanged', movable: true },
  { type: 'chat/changesetsChanged' },
  { type: 'chat/backgroundWorkRemoved', id: 'x' },
  { type: 'chat/canvasesChanged' },
  { type: 'session/chatsReordered', chats: [] },
  { type: 'canvas/stateChanged', canvas: { instanceId: 'i', extensionId: 'e', canvasId: 'c' } },
])('[DIA-4] [NEG-6] 0.9 is not sent $type', (action) => {
  expect(v09.actionDown(action, {})).toEqual([]);
  expect(current.actionDown(action, {})).toEqual([action]);
});

it('[DIA-4] a client of 0.9 may dispatch the actions of 1.0 and gets its echo, one of 0.8 may not', () => {
  expect(v09.actionUp(read, {})).toBe(read);
  expect(v09.actionDown(read, {}, true)).toEqual([read]);
  expect(v08.actionUp(read, {})).toMatchObject({ type: 'chat/isReadChanged (newer than 0.8.0)' });
});

it('[DIA-4] moveChat and canvases are unknown before 1.0', () => {
  expect([current, v09].map((one) => one.hasCommand('moveChat'))).toEqual([true, false]);
  expect([current, v09].map((one) => one.hasChannel('canvas'))).toEqual([true, false]);
});

it('[CS-20] a changeset that is computed again is computing before 1.0', () => {
  const action: StateAction = { type: 'changeset/statusChanged', status: 'recomputing' };
  expect(v09.actionDown(action, {})).toEqual([{ ...action, status: 'computing' }]);
  const state = { status: 'recomputing', files: [{ id: 'a', edit: {} }] };
  expect(v09.stateDown('changeset', state, {})).toEqual({ ...state, status: 'computing' });
  const ready = { ...state, status: 'ready' };
  expect(v09.stateDown('changeset', ready, {})).toBe(ready);
});

it('[DIA-2] what a changeset leaves out is not said before 1.0, whose reducers would keep it', () => {
  const leftOut = { 'x-leftOut': { count: 1, files: [{ uri: 'file:///w/film', reason: 'large' }] } };
  const state = { status: 'ready', files: [] };
  expect(v09.stateDown('changeset', { ...state, ...leftOut }, {})).toEqual(state);
  const action = { type: 'changeset/contentChanged', files: [] } as const;
  expect(v09.actionDown({ ...action, ...leftOut }, {})).toEqual([action]);
  expect(current.actionDown({ ...action, ...leftOut }, {})).toEqual([{ ...action, ...leftOut }]);
});

it('[DIA-2] fields of 1.0 are not sent to older versions, and changes of nothing else neither', () => {
  const chat = { resource: 'ahp-chat:/c', title: 'C', status: 1, modifiedAt: '2026-01-01T00:00:00.000Z' };
  const state = { ...chat, turns: [], movable: true, backgroundWork: [], changesets: [], canvases: [] };
  expect(v09.stateDown('chat', state, {})).toEqual({ ...chat, turns: [] });
  const updated = (changes: object) => ({ type: 'session/chatUpdated', chat: chat.resource, changes });
  expect(v09.actionDown(updated({ movable: true, title: 'D' }), {})).toEqual([updated({ title: 'D' })]);
  expect(v09.actionDown(updated({ movable: true }), {})).toEqual([]);
  expect(v09.actionDown(updated({}), {})).toEqual([updated({})]);
  const changed = (changes: object) => ({ channel: 'ahp-root://', session: 'ahp-session:/s', changes });
  const down = (changes: object): unknown =>
    v09.notificationDown('root/sessionSummaryChanged', changed(changes), {});
  expect(down({ status: 8, chats: [chat] })).toEqual(changed({ status: 8 }));
  expect(down({ chats: [chat], defaultChat: chat.resource })).toBeUndefined();
});
