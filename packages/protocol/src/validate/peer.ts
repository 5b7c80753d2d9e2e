import type { ChannelKind, ChannelState } from '../wire/channels.ts';
import type {
  ClientToHostRequests,
  HostToClientNotifications,
  HostToClientRequests,
} from '../wire/methods.ts';
import { type CheckedParams, hasPassed, type Refused, refusal, refused, type Table } from './check.ts';
import * as host from './generated/host.js';
import * as state from './generated/state.js';

/** A result that fits, or why it does not. */
export type CheckedResult<T> = { ok: true; result: T } | Refused;

/** A channel's state that fits, or why it does not. */
export type CheckedState<T> = { ok: true; state: T } | Refused;

const states: Table = {
  checks: state.states,
  nesting: state.statesNesting,
  lastFaults: state.lastFaults,
  root: 'state',
};

/** Checks a channel's whole state, strictly; a state that a newer host made may fail without being wrong. */
export function validateState<K extends ChannelKind>(kind: K, value: unknown): CheckedState<ChannelState[K]> {
  const error = refusal(states, 'kind of channel', kind, value);
  return hasPassed<ChannelState[K]>(error, value) ? { ok: true, state: value } : refused(error);
}

const clientResults: Table = {
  checks: state.clientResults,
  nesting: state.clientResultsNesting,
  lastFaults: state.lastFaults,
  root: 'result',
};

/** Checks what a client answered to a host's request [RES-4]. */
export function validateClientResult<M extends keyof HostToClientRequests>(
  method: M,
  value: unknown,
): CheckedResult<HostToClientRequests[M]['result']> {
  const error = refusal(clientResults, 'method', method, value);
  return hasPassed<HostToClientRequests[M]['result']>(error, value)
    ? { ok: true, result: value }
    : refused(error);
}

const notifications: Table = {
  checks: host.notifications,
  nesting: host.notificationsNesting,
  lastFaults: host.lastFaults,
  root: 'params',
};

/** Checks the shape of a host's notification, leniently: actions and names that only a newer host knows pass. */
export function validateNotification<M extends keyof HostToClientNotifications>(
  method: M,
  value: unknown,
): CheckedParams<HostToClientNotifications[M]> {
  const error = refusal(notifications, 'method', method, value);
  return hasPassed<HostToClientNotifications[M]>(error, value) ? { ok: true, params: value } : refused(error);
}

const hostParams: Table = {
  checks: host.hostParams,
  nesting: host.hostParamsNesting,
  lastFaults: host.lastFaults,
  root: 'params',
};

/** Checks the params of a request that a host sent to a client, leniently [RES-4]. */
export function validateHostParams<M extends keyof HostToClientRequests>(
  method: M,
  value: unknown,
): CheckedParams<HostToClientRequests[M]['params']> {
  const error = refusal(hostParams, 'method', method, value);
  return hasPassed<HostToClientRequests[M]['params']>(error, value)
    ? { ok: true, params: value }
    : refused(error);
}

const results: Table = {
  checks: host.results,
  nesting: host.resultsNesting,
  lastFaults: host.lastFaults,
  root: 'result',
};

/** Checks the shape of a host's answer, leniently; states in snapshots are not looked into. */
export function validateResult<M extends keyof ClientToHostRequests>(
  method: M,
  value: unknown,
): CheckedResult<ClientToHostRequests[M]['result']> {
  const error = refusal(results, 'method', method, value);
  return hasPassed<ClientToHostRequests[M]['result']>(error, value)
    ? { ok: true, result: value }
    : refused(error);
}
