import { expect, it } from 'vitest';
import { dialectOf } from '../chain.ts';

const [v09, old] = [dialectOf('0.9.0'), dialectOf('0.8.0')];
const error = { errorType: 'agentExited', message: 'exit 1' };
const message = { text: '', origin: { kind: 'user' } };
const text = { kind: 'markdown', id: 'm', content: 'x' };
const first = { kind: 'error', error: { errorType: 'agentError', message: 'no' }, resumable: true };
const turn = { id: 't', message, responseParts: [text, first, { kind: 'error', error }], state: 'error' };
const chat = { resource: 'c', title: '', status: 2, modifiedAt: '2026-01-01T00:00:00.000Z', turns: [turn] };

it('[CHAT-22] [DIA-2] a failed turn has the last error as a field and no error parts before 0.9', () => {
  expect(v09.stateDown('chat', chat, {})).toBe(chat);
  expect(old.stateDown('chat', chat, {})).toEqual({
    ...chat,
    turns: [{ ...turn, responseParts: [text], error }],
  });
  const running = { ...chat, turns: [], activeTurn: { id: 't', message, responseParts: [text, first] } };
  expect(old.stateDown('chat', running, {})).toMatchObject({ activeTurn: { responseParts: [text] } });
  const loaded = { type: 'chat/turnsLoaded', turns: [turn] };
  expect(old.actionDown(loaded, {})).toEqual([
    { ...loaded, turns: [{ ...turn, responseParts: [text], error }] },
  ]);
});

it('[CHAT-22] the action that ends a failed turn has the error as a field before 0.9', () => {
  const action = { type: 'chat/error', turnId: 't', duration: 5, part: { kind: 'error', error } };
  const older = { type: 'chat/error', turnId: 't', duration: 5, error };
  expect(v09.actionDown(action, {})).toEqual([action]);
  expect(old.actionDown(action, {})).toEqual([older]);
  expect(old.actionUp(older, {})).toEqual(action);
});

it('[DIA-6] the error of a stored turn becomes its last part, and cannot be resumed', () => {
  const stored = {
    ...chat,
    turns: [
      { ...turn, responseParts: [text], error },
      { id: 'u', error: 7 },
    ],
  };
  expect(dialectOf('0.5.2').stateUp('chat', stored, {})).toEqual({
    ...chat,
    turns: [
      { ...turn, responseParts: [text, { kind: 'error', error }] },
      { id: 'u', error: 7 },
    ],
  });
});
