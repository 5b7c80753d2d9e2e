import type { ChannelKind, ChannelState } from '../wire/channels.ts';
import type { DispatchActionParams, StateAction } from '../wire/envelope.ts';
import type { InitializeParams } from '../wire/handshake.ts';
import type {
  ClientToHostNotifications,
  ClientToHostRequests,
  HostToClientNotifications,
  HostToClientRequests,
} from '../wire/methods.ts';
import type { Check, Fault } from './fault.ts';
import * as lenient from './generated/lenient.js';
import * as strict from './generated/strict.js';
import { isNestedTooDeep, NESTING_LIMIT } from './nesting.ts';
import { quote, sentence } from './sentence.ts';

/** Why a value was refused: one sentence with the path in it, such as `params.message.text: must be a string`. */
export interface Refused {
  ok: false;
  error: string;
}

/** An action that fits the schema of its type, or why the value is none. */
export type CheckedAction = { ok: true; action: StateAction } | Refused;

/** Params that fit, or why they do not. */
export type CheckedParams<T> = { ok: true; params: T } | Refused;

/** A result that fits, or why it does not. */
export type CheckedResult<T> = { ok: true; result: T } | Refused;

/** A channel's state that fits, or why it does not. */
export type CheckedState<T> = { ok: true; state: T } | Refused;

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

interface Table {
  checks: Record<string, Check>;
  nesting: string[];
  lastFaults: () => Fault[];
  /** What the value is called in errors. */
  root: string;
}

function refusal({ checks, nesting, lastFaults, root }: Table, kind: string, name: string, value: unknown) {
  // Names come from the wire: an inherited one such as `constructor` is unknown like any other.
  const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
  if (check === undefined) return `unknown ${kind} ${quote(name)}`;
  if (nesting.includes(name) && isNestedTooDeep(value))
    return `${root}: nests deeper than ${NESTING_LIMIT} levels`;
  return check(value) ? undefined : sentence(lastFaults(), root);
}

/** The narrowing that a passed check allows: the one place where what came over the wire gets its type. */
function hasPassed<T>(error: string | undefined, _value: unknown): _value is T {
  return error === undefined;
}

const refused = (error = ''): Refused => ({ ok: false, error });

const actions: Table = {
  checks: strict.actions,
  nesting: strict.actionsNesting,
  lastFaults: strict.lastFaults,
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
  checks: strict.params,
  nesting: strict.paramsNesting,
  lastFaults: strict.lastFaults,
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

const states: Table = {
  checks: strict.states,
  nesting: strict.statesNesting,
  lastFaults: strict.lastFaults,
  root: 'state',
};

/** Checks a channel's whole state, strictly; a state that a newer host made may fail without being wrong. */
export function validateState<K extends ChannelKind>(kind: K, value: unknown): CheckedState<ChannelState[K]> {
  const error = refusal(states, 'kind of channel', kind, value);
  return hasPassed<ChannelState[K]>(error, value) ? { ok: true, state: value } : refused(error);
}

const clientResults: Table = {
  checks: strict.clientResults,
  nesting: strict.clientResultsNesting,
  lastFaults: strict.lastFaults,
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
  checks: lenient.notifications,
  nesting: lenient.notificationsNesting,
  lastFaults: lenient.lastFaults,
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
  checks: lenient.hostParams,
  nesting: lenient.hostParamsNesting,
  lastFaults: lenient.lastFaults,
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
  checks: lenient.results,
  nesting: lenient.resultsNesting,
  lastFaults: lenient.lastFaults,
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
