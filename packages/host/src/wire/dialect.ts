import {
  type ActionEnvelope,
  isActionKnownAt,
  isActionType,
  isFieldKnownAt,
  isResponsePartKnownAt,
  PROTOCOL_VERSION,
  type Snapshot,
  type SupportedVersion,
  type Turn,
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
  /** True when everything passes unchanged, so that encodings can be shared. */
  readonly isIdentity: boolean;
}

/** Turns in the answer to a `fetchTurns` that says nothing of how many. */
const PAGE_TURNS = 50;

const current: Dialect = {
  envelope: (envelope) => envelope,
  snapshot: (snapshot) => snapshot,
  params: (_, params) => params,
  result: (_, result) => result,
  isIdentity: true,
};

/** The dialect of a negotiated version. */
export function dialectOf(version: SupportedVersion): Dialect {
  if (version === PROTOCOL_VERSION) return current;
  return {
    isIdentity: false,
    envelope: (envelope) => {
      const { action } = envelope;
      if (isActionType(action.type) && !isActionKnownAt(action.type, version)) return undefined;
      if (action.type === 'chat/responsePart' && !isResponsePartKnownAt(action.part.kind, version))
        return undefined;
      if (action.type !== 'chat/turnsLoaded' || isResponsePartKnownAt('inputRequest', version))
        return envelope;
      return { ...envelope, action: { ...action, turns: knownTurns(action.turns, version) } };
    },
    params: (method, params) => {
      // Turns cannot be sent to it by an action: it gets them in the answer [CHAT-15].
      const isPaged = method !== 'fetchTurns' || isActionKnownAt('chat/turnsLoaded', version);
      return isPaged || 'before' in params || 'limit' in params ? params : { ...params, limit: PAGE_TURNS };
    },
    result: (method, result) => {
      if (method !== 'fetchTurns' || isResponsePartKnownAt('inputRequest', version)) return result;
      if (typeof result !== 'object' || result === null || !('turns' in result)) return result;
      return isTurns(result.turns) ? { ...result, turns: knownTurns(result.turns, version) } : result;
    },
    snapshot: (snapshot) => {
      const { state } = snapshot;
      if ('activeClients' in state && !isFieldKnownAt('SessionState.inputNeeded', version)) {
        const { inputNeeded: _, ...rest } = state;
        return { ...snapshot, state: rest };
      }
      if (!('resource' in state && 'turns' in state) || isResponsePartKnownAt('inputRequest', version))
        return snapshot;
      const turns = knownTurns(state.turns, version);
      const { activeTurn } = state;
      const active =
        activeTurn === undefined
          ? {}
          : { activeTurn: { ...activeTurn, responseParts: knownParts(activeTurn.responseParts, version) } };
      return { ...snapshot, state: { ...state, turns, ...active } };
    },
  };
}

// What the host itself has made.
const isTurns = (value: unknown): value is Turn[] => Array.isArray(value);

const knownTurns = (turns: readonly Turn[], version: SupportedVersion): Turn[] =>
  turns.map((turn) => ({ ...turn, responseParts: knownParts(turn.responseParts, version) }));

function knownParts<P extends { kind: Parameters<typeof isResponsePartKnownAt>[0] }>(
  parts: readonly P[],
  version: SupportedVersion,
): P[] {
  return parts.filter((part) => isResponsePartKnownAt(part.kind, version));
}
