import { expect, it } from 'vitest';
import { dialectOf } from '../chain.ts';

const [v06, old] = [dialectOf('0.6.0'), dialectOf('0.5.2')];
const message = { text: '', origin: { kind: 'user' } };
const startedAt = '2026-01-01T00:00:00.000Z';
const active = { id: 't', message, responseParts: [] };
const chat = { resource: 'c', title: '', status: 8, modifiedAt: startedAt, turns: [] };
const before = { ...chat, activeTurn: { ...active, startedAt } };
const now = Date.parse(startedAt) + 1_500;

it('[CHAT-20] turns have no times before 0.6', () => {
  const started = { type: 'chat/turnStarted', turnId: 't', startedAt, message };
  expect(v06.actionDown(started, {})).toEqual([started]);
  expect(old.actionDown(started, {})).toEqual([{ type: 'chat/turnStarted', turnId: 't', message }]);
  const ended = { type: 'chat/turnComplete', turnId: 't', duration: 5 };
  expect(old.actionDown(ended, {})).toEqual([{ type: 'chat/turnComplete', turnId: 't' }]);
  const turn = { ...active, state: 'complete' };
  const state = { ...before, turns: [{ ...turn, startedAt, duration: 5 }] };
  expect(old.stateDown('chat', state, {})).toEqual({ ...chat, activeTurn: active, turns: [turn] });
});

it('[CHAT-20] a turn that a client below 0.6 starts or cancels has the host’s time', () => {
  const started = { type: 'chat/turnStarted', turnId: 't', message };
  expect(old.actionUp(started, { now })).toEqual({ ...started, startedAt: '2026-01-01T00:00:01.500Z' });
  expect(old.actionUp({ ...started, startedAt }, { now })).toEqual({ ...started, startedAt });
  const cancelled = { type: 'chat/turnCancelled', turnId: 't' };
  expect(old.actionUp(cancelled, { before, now })).toEqual({ ...cancelled, duration: 1_500 });
  expect(old.actionUp(cancelled, { before, now: 0 })).toEqual({ ...cancelled, duration: 0 });
  expect(old.actionUp(cancelled, { now })).toEqual({ ...cancelled, duration: 0 });
  expect(old.actionUp({ ...cancelled, turnId: 'u' }, { before, now })).toMatchObject({ duration: 0 });
});

it('[DIA-6] a stored active turn began when its chat was last modified', () => {
  expect(old.stateUp('chat', { ...chat, activeTurn: active }, {})).toEqual(before);
  expect(old.stateUp('chat', before, {})).toBe(before);
});

it('[DIA-2] [CHAT-20] imported turns are converted, and an open one counts as just started', () => {
  const message = { text: 'hi', origin: { kind: 'user' } };
  const error = { errorType: 'agentError', message: 'broken' };
  const turns = [{ turn: { id: 't1', message, responseParts: [], state: 'error', error } }];
  const openTurn = { turn: { id: 't2', message, responseParts: [] } };
  expect(
    old.paramsUp('x-importTurns', { channel: 'c', chat: 'd', turns, openTurn }, { now: 0 }),
  ).toMatchObject({
    turns: [{ turn: { responseParts: [{ kind: 'error', error }] } }],
    openTurn: { turn: { startedAt: '1970-01-01T00:00:00.000Z' } },
  });
});
