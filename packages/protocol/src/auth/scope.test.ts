import { expect, test } from 'vitest';
import { defined } from '../values/defined.ts';
import { CLIENT_ACTIONS } from '../wire/channels.ts';
import { CLIENT_REQUEST_METHODS } from '../wire/methods.ts';
import {
  ACTION_SCOPE,
  isWithinScope,
  METHOD_SCOPE,
  scopeOfAction,
  scopeOfRequest,
  TOKEN_SCOPES,
} from './scope.ts';

test('[AUTH-1] exactly the requests and the actions of clients have a least scope', () => {
  expect(Object.keys(METHOD_SCOPE).toSorted()).toEqual(CLIENT_REQUEST_METHODS.toSorted());
  expect(Object.keys(ACTION_SCOPE).toSorted()).toEqual(CLIENT_ACTIONS.toSorted());
});

test('[AUTH-1] a scope contains those below it', () => {
  const pairs = TOKEN_SCOPES.map((scope) => TOKEN_SCOPES.filter((least) => isWithinScope(scope, least)));
  expect(pairs).toEqual([
    ['none'],
    ['none', 'observe'],
    ['none', 'observe', 'interact'],
    ['none', 'observe', 'interact', 'admin'],
  ]);
});

test('[AUTH-1] an observer can do these and nothing else', () => {
  const observed = Object.entries(METHOD_SCOPE).flatMap(([method, least]) =>
    least === 'observe' ? [method] : [],
  );
  expect(observed.toSorted()).toEqual([
    'fetchAutomationRuns',
    'fetchTurns',
    'initialize',
    'listSessions',
    'ping',
    'reconnect',
    'subscribe',
    'x-diskUse',
    'x-hostDiskUse',
    'x-listAgents',
    'x-listApprovals',
    'x-listPorts',
    'x-listPush',
    'x-pushKey',
    'x-revokePush',
    'x-searchSessions',
    'x-setPresence',
    'x-subscribePush',
    'x-testPush',
    'x-updatePush',
  ]);
  expect(Object.values(ACTION_SCOPE)).not.toContain('observe');
});

test.each([
  ['agenthost-content:/1', 'observe'],
  ['file:///etc/passwd', 'interact'],
  [' file:///etc/passwd', 'interact'],
  ['FILE:///etc/passwd', 'interact'],
  ['', 'interact'],
])('[AUTH-1] reading %j requires %s', (uri, least) => {
  expect(scopeOfRequest('resourceRead', { channel: 'ahp-root://', uri })).toBe(least);
});

test.each([
  [undefined, 'interact'],
  [{}, 'interact'],
  [{ approvals: 'edits', instructions: 'x' }, 'interact'],
  [{ approvals: 'all' }, 'admin'],
] as const)('[AUTH-1] a session with the settings %j requires %s', (config, least) => {
  const params = { channel: 'ahp-session:/1', ...defined({ config }) };
  expect(scopeOfRequest('createSession', params)).toBe(least);
  expect(scopeOfAction({ type: 'session/configChanged', config: config ?? {} })).toBe(least);
});

test('[AUTH-1] no scope allows an action that only the host may send', () => {
  expect(scopeOfAction({ type: 'session/ready' })).toBeUndefined();
  expect(scopeOfAction({ type: 'root/configChanged', config: {} })).toBe('admin');
  expect(scopeOfAction({ type: 'chat/draftChanged' })).toBe('interact');
});
