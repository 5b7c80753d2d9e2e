import type { DispatchActionParams, StateAction } from '../wire/envelope.ts';
import type { InitializeParams } from '../wire/handshake.ts';
import type { ClientToHostNotifications, ClientToHostRequests } from '../wire/methods.ts';
import { type CheckedParams, hasPassed, type Refused, refusal, refused, type Table } from './check.ts';
import * as client from './generated/client.js';

export type { CheckedParams, Refused } from './check.ts';

/** An action that fits the schema of its type, or why the value is none. */
export type CheckedAction = { ok: true; action: StateAction } | Refused;

/** Method of a request or notification that a client may send. */
export type ClientMethod = keyof ClientToHostRequests | keyof ClientToHostNotifications;

/** Two methods whose params are checked in part here and in part where each failure has an answer of its own. */
interface PartlyCheckedParams {
  /** The action, of any type, is for {@link validateAction}: when it fails it is rejected by an echo [ACT-3]. */
  dispatchAction: Omit<DispatchActionParams, 'action'> & { action?: unknown };
  /** Malformed entries of the list are skipped when the version is negotiated [CONN-1]. */
  initialize: Omit<InitializeParams, 'protocolVersions'> & { protocolVersions: unknown[] };
}

/** What is known of a client's params once they passed {@link validateParams}. */
export type ClientParams<M extends ClientMethod> = M extends keyof PartlyCheckedParams
  ? PartlyCheckedParams[M]
  : M extends keyof ClientToHostRequests
    ? ClientToHostRequests[M]['params']
    : M extends keyof ClientToHostNotifications
      ? ClientToHostNotifications[M]
      : never;

const actions: Table = {
  checks: client.actions,
  nesting: client.actionsNesting,
  lastFaults: client.lastFaults,
  root: 'action',
};

/** Checks an action by its own type, strictly: names and union members outside the schema fail [ACT-3]. */
export function validateAction(value: unknown): CheckedAction {
  if (typeof value !== 'object' || value === null) return refused('action: must be an object');
  if (!('type' in value)) return refused('action.type: is required');
  if (typeof value.type !== 'string') return refused('action.type: must be a string');
  const error = refusal(actions, 'action type', value.type, value);
  return hasPassed<StateAction>(error, value) ? { ok: true, action: value } : refused(error);
}

const params: Table = {
  checks: client.params,
  nesting: client.paramsNesting,
  lastFaults: client.lastFaults,
  root: 'params',
};

/** Checks what a client sent, strictly. A host calls it once for each request and notification [WIRE-3]. */
export function validateParams<M extends ClientMethod>(
  method: M,
  value: unknown,
): CheckedParams<ClientParams<M>> {
  const error = refusal(params, 'method', method, value);
  return hasPassed<ClientParams<M>>(error, value) ? { ok: true, params: value } : refused(error);
}
