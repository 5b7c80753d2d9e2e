import { expect, it } from 'vitest';
import { automationRunReducer } from './reducer.ts';
import type { AutomationRunState } from './state.ts';

const state: AutomationRunState = {
  resource: 'ahp-automation-run:/r',
  automation: 'ahp-automation:/a',
  origin: { kind: 'manual' },
  lifecycle: { status: 'pending', createdAt: '2026-01-01T00:00:00.000Z' },
  sessions: ['ahp-session:/a'],
  primarySession: 'ahp-session:/a',
};

it('[RUN-3] a lifecycle is replaced, and a request to cancel changes nothing', () => {
  const lifecycle = { ...state.lifecycle, status: 'running', startedAt: '2026-01-01T00:00:01.000Z' } as const;
  expect(automationRunReducer(state, { type: 'automationRun/lifecycleChanged', lifecycle })).toStrictEqual({
    ...state,
    lifecycle,
  });
  expect(automationRunReducer(state, { type: 'automationRun/cancelRequested' })).toBe(state);
});

it('[RUN-3] a session is added once, and its removal removes it as the primary one too', () => {
  const session = 'ahp-session:/b';
  const two = automationRunReducer(state, { type: 'automationRun/sessionSet', session });
  expect(two.sessions).toStrictEqual(['ahp-session:/a', session]);
  expect(automationRunReducer(two, { type: 'automationRun/sessionSet', session })).toBe(two);
  const { primarySession: _, ...rest } = state;
  expect(
    automationRunReducer(two, { type: 'automationRun/sessionRemoved', session: 'ahp-session:/a' }),
  ).toStrictEqual({ ...rest, sessions: [session] });
  expect(
    automationRunReducer(two, { type: 'automationRun/primarySessionChanged', primarySession: session }),
  ).toStrictEqual({ ...two, primarySession: session });
  expect(automationRunReducer(state, { type: 'automationRun/primarySessionChanged' })).toStrictEqual(rest);
});
