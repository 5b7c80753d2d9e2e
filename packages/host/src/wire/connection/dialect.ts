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

/** The one place where what a connection is sent is fitted to its version [CONN-9]. The inside speaks 0.5.2 only. */
export interface Dialect {
  /** The envelope for this version, or `undefined` when it must not be sent. */
  envelope(envelope: ActionEnvelope): ActionEnvelope | undefined;
  snapshot(snapshot: Snapshot): Snapshot;
  /** The params of a request that this version asks for in another way. */
  params<P extends object>(method: string, params: P): P;
  /** The result of a request of this method, as this version knows it. */
  result<R>(method: string, result: R): R;
  /** Whether turns can be sent by an action [CHAT-15]. */
  readonly takesTurns: boolean;
  /** True when everything passes unchanged, so that encodings can be shared. */
  readonly isIdentity: boolean;
}

/** Turns in the answer to a `fetchTurns` that says nothing of how many. */
const PAGE_TURNS = 50;

/** Types of results that older versions know in another form. */
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

/** The dialect of a negotiated version. */
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
      // It gets turns in the answer.
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
