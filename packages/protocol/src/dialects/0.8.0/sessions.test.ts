import { expect, it } from 'vitest';
import { dialectOf } from '../chain.ts';

const old = dialectOf('0.8.0');

it('[DIA-1] [SESS-24] step B: the lifecycle failed is creationFailed, in states and in the _meta of catalogue entries', () => {
  const state = { title: 'x', lifecycle: 'failed' };
  expect(old.stateDown('session', state, {})).toStrictEqual({ title: 'x', lifecycle: 'creationFailed' });
  expect(old.stateUp('session', old.stateDown('session', state, {}), {})).toStrictEqual(state);
  const changes = { _meta: { lifecycle: 'failed', metadata: {} } };
  expect(old.notificationDown('root/sessionSummaryChanged', { changes }, {})).toStrictEqual({
    changes: { _meta: { lifecycle: 'creationFailed', metadata: {} } },
  });
  expect(dialectOf('0.9.0').stateDown('session', state, {})).toBe(state);
});

it('[DIA-1] [SESS-30] step B: a fork of a session is read from clients below 0.9', () => {
  const params = { channel: 's', fork: { session: 'o', turnId: 't' } };
  expect(old.paramsUp('createSession', params, {})).toStrictEqual({ channel: 's', 'x-fork': params.fork });
  expect(dialectOf('0.9.0').paramsUp('createSession', params, {})).toBe(params);
});
