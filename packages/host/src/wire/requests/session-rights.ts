import {
  type ChatState,
  type ClientRequestMethod,
  type ClientToHostRequests,
  findToolCallPart,
  isClientAction,
  isWithinScope,
  isWithinSession,
  messagesIn,
  partBeyondSession,
  reachOfRequest,
  roleOfRequest,
  type StateAction,
  scopeOfRequest,
  type TokenScope,
} from '@agenthost/protocol';
import type { Channel } from '../../sync/channel.ts';
import type { Sync } from '../../sync/sync.ts';
import type { Connection } from '../connection/connection.ts';
import { sessionOf } from '../connection/sight.ts';

/**
 * The outcome of a check: `held` is the role in the session if that is the reason, otherwise the scope of the token. `beyond`: a part that takes a scope
 * on the host.
 */
export type RoleCheck =
  | { readonly isAllowed: true }
  | { readonly isAllowed: false; readonly held: TokenScope; readonly beyond?: string };

const ALLOWED: RoleCheck = { isAllowed: true };

/** Decides about what the scope of a token does not allow: the roles of its person in sessions may. Everything else stays denied. */
export class SessionRights {
  readonly #sync: Sync;
  readonly #commandPrefix: string | undefined;

  /** `commandPrefix`: of messages that run a terminal command. */
  constructor(sync: Sync, commandPrefix: string | undefined) {
    this.#sync = sync;
    this.#commandPrefix = commandPrefix;
  }

  /** Whether a request that the scope of the token does not allow is allowed by roles. The params must fit their schema. */
  async ofRequest<M extends ClientRequestMethod>(
    { identity: { scope }, sight }: Connection,
    method: M,
    params: ClientToHostRequests[M]['params'],
  ): Promise<RoleCheck> {
    const reach = reachOfRequest(method, params);
    // The scope is `none`: it allows everything else that each token may do.
    if (reach === 'own') return ALLOWED;
    if (reach === 'host') return { isAllowed: false, held: scope };
    if (reach === 'shared') return sight.roles.size > 0 ? ALLOWED : { isAllowed: false, held: scope };
    const least = roleOfRequest(method, params);
    for (const uri of reach) {
      const channel = await this.#sync.registry.load(uri);
      const held = (channel && sight.roleIn(channel)) ?? scope;
      if (channel === undefined || sessionOf(channel) === undefined || !isWithinScope(held, least))
        // A role may equal the scope that the method requires, and not be sufficient.
        return { isAllowed: false, held: isWithinScope(held, scopeOfRequest(method, params)) ? scope : held };
    }
    const initial = 'initialMessage' in params ? params.initialMessage : undefined;
    const beyond = initial && partBeyondSession(initial, this.#commandPrefix);
    return beyond === undefined ? ALLOWED : { isAllowed: false, held: scope, beyond };
  }

  /** The same for an action that takes `least`. It must fit its schema, and belong on the channel. */
  ofAction(
    { identity: { scope }, sight }: Connection,
    channel: Channel,
    action: StateAction,
    least: TokenScope,
  ): RoleCheck {
    const { type } = action;
    const held = sight.roleIn(channel) ?? scope;
    if (!isClientAction(type) || !isWithinSession(type)) return { isAllowed: false, held: scope };
    if (!isWithinScope(held, least)) return { isAllowed: false, held };
    const beyond =
      messagesIn(action)
        .map((message) => partBeyondSession(message, this.#commandPrefix))
        .find((part) => part !== undefined) ??
      (channel.is('chat') && isForGood(channel.state, action) ? 'an approval or denial for good' : undefined);
    return beyond === undefined ? ALLOWED : { isAllowed: false, held: scope, beyond };
  }
}

/** Whether an answer decides about more than the one call. What is remembered may cover a folder, or what only the agent knows. */
function isForGood({ activeTurn }: ChatState, action: StateAction): boolean {
  if (action.type !== 'chat/toolCallConfirmed' || activeTurn === undefined) return false;
  // Without a choice, a denial holds for the one call.
  if (!action.approved && action.selectedOptionId === undefined) return false;
  const call = findToolCallPart(activeTurn.responseParts, action.toolCallId)?.toolCall;
  const options = call?.status === 'pending-confirmation' ? (call.options ?? []) : [];
  const { selectedOptionId } = action;
  const chosen =
    selectedOptionId === undefined
      ? options.filter(({ kind }) => kind === 'approve')
      : options.filter(({ id }) => id === selectedOptionId);
  // Without a choice, the agent gets an option for one use if there is one.
  const isLasting = chosen.map((option) => option['x-lasting'] === true);
  return selectedOptionId === undefined
    ? isLasting.length > 0 && isLasting.every(Boolean)
    : isLasting.some(Boolean);
}
