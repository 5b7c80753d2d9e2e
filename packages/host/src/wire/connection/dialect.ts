import {
  type ActionEnvelope,
  fitToVersion,
  isActionKnownAt,
  isActionType,
  isResponsePartKnownAt,
  PROTOCOL_VERSION,
  type Snapshot,
  type SupportedVersion,
} from '@agenthost/protocol';

/** Fits the output of a connection to its protocol version [CONN-9]. Nothing else does; all other code of the host speaks 0.5.2. */
export interface Dialect {
  /** Returns the envelope for this version; `undefined`: it must not be sent. */
  envelope(envelope: ActionEnvelope): ActionEnvelope | undefined;
  snapshot(snapshot: Snapshot): Snapshot;
  /** Returns the params as version 0.5.2 has them. */
  params<P extends object>(method: string, params: P): P;
  /** Returns the result of a request for this version. */
  result<R>(method: string, result: R): R;
  /** Whether the version has an action that delivers turns [CHAT-15]. */
  readonly takesTurns: boolean;
  /** True if all output passes unchanged, so that connections can share its encoding. */
  readonly isIdentity: boolean;
}

/** Turns in the answer to a `fetchTurns` without `limit`. */
const PAGE_TURNS = 50;

/** Types of the results that differ in older versions. */
const RESULTS = {
  initialize: 'InitializeResult',
  listSessions: 'ListSessionsResult',
  fetchTurns: 'FetchTurnsResult',
  completions: 'CompletionsResult',
} as const;

const CURRENT: Dialect = {
  envelope: (envelope) => envelope,
  snapshot: (snapshot) => snapshot,
  params: (_, params) => params,
  result: (_, result) => result,
  takesTurns: true,
  isIdentity: true,
};

/** Returns the dialect of a negotiated version. */
export function dialectOf(version: SupportedVersion): Dialect {
  if (version === PROTOCOL_VERSION) return CURRENT;
  const takesTurns = isActionKnownAt('chat/turnsLoaded', version);
  return {
    takesTurns,
    isIdentity: false,
    envelope: (envelope) => {
      const { action } = envelope;
      if (isActionType(action.type) && !isActionKnownAt(action.type, version)) return undefined;
      if (action.type === 'chat/responsePart' && !isResponsePartKnownAt(action.part.kind, version))
        return undefined;
      const fitted = fitToVersion('StateAction', action, version) ?? action;
      return fitted === action ? envelope : { ...envelope, action: fitted };
    },
    params: (method, params) => {
      // This version gets the turns in the answer.
      return takesTurns || method !== 'fetchTurns' || 'before' in params || 'limit' in params
        ? params
        : { ...params, limit: PAGE_TURNS };
    },
    result: (method, result) => {
      const name = isNamed(method) ? RESULTS[method] : undefined;
      return name === undefined ? result : (fitToVersion(name, result, version) ?? result);
    },
    snapshot: (snapshot) => {
      const { state } = snapshot;
      const fitted = fitToVersion(shapeOf(state), state, version) ?? state;
      return fitted === state ? snapshot : { ...snapshot, state: fitted };
    },
  };
}

const isNamed = (method: string): method is keyof typeof RESULTS => Object.hasOwn(RESULTS, method);

function shapeOf(state: Snapshot['state']): 'ChatState' | 'SessionState' | 'RootState' | 'ChangesetState' {
  if ('turns' in state) return 'ChatState';
  if ('activeClients' in state) return 'SessionState';
  if ('files' in state) return 'ChangesetState';
  return 'RootState';
}
