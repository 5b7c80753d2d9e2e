import {
  type ActionEnvelope,
  type AgentInfo,
  type ChannelKind,
  isWithinScope,
  ROOT_URI,
  type RootState,
  type SessionRole,
  type Snapshot,
  type StateAction,
  type TokenScope,
} from '@agenthost/protocol';
import type { Roles } from '../../auth/people.ts';
import type { Channel } from '../../sync/channel.ts';
import type { Registry } from '../../sync/registry.ts';
import { EncodedEnvelope, type EncodedNotification } from '../../sync/subscription.ts';
import { isObject } from '../json.ts';

/** Kinds of channels that belong to one session, and that a role in it shows. */
const OF_SESSION: ReadonlySet<ChannelKind> = new Set(['session', 'chat', 'changeset', 'annotations']);

/** Notifications that concern no session, or that are made for each receiver. */
const OWN_NOTIFICATIONS: ReadonlySet<string> = new Set(['x-presenceChanged', 'x-rolesChanged']);

/** Notifications that name a session. */
const SESSION_NOTIFICATIONS: ReadonlySet<string> = new Set([
  'root/sessionAdded',
  'root/sessionRemoved',
  'root/sessionSummaryChanged',
]);

/**
 * The part of the host that a connection may see. A token with a scope sees everything. Another one sees the sessions that its person has a role
 * in, and of the root channel the agents. Roles are read at each use, so that a change takes effect at once.
 */
export class Sight {
  readonly #scope: TokenScope;
  readonly #roles: () => Roles;
  readonly #registry: Pick<Registry, 'get'>;

  constructor(scope: TokenScope, roles: () => Roles, registry: Pick<Registry, 'get'>) {
    this.#scope = scope;
    this.#roles = roles;
    this.#registry = registry;
  }

  /** Whether the token has a scope on the host. */
  get isWhole(): boolean {
    return isWithinScope(this.#scope, 'observe');
  }

  /** The roles of the person of the token. */
  get roles(): Roles {
    return this.#roles();
  }

  /** Whether the client may act somewhere: by its scope, or by a role in a session. */
  get mayAct(): boolean {
    return (
      isWithinScope(this.#scope, 'interact') || [...this.roles.values()].some((role) => role !== 'observe')
    );
  }

  /** The role in the session of a channel; `undefined`: none, or the channel belongs to no session. */
  roleIn(channel: Channel): SessionRole | undefined {
    const session = sessionOf(channel);
    return session === undefined ? undefined : this.roles.get(session);
  }

  /** Whether the connection may see a channel. Of the root channel it may see a part. */
  sees(channel: Channel): boolean {
    return this.isWhole || channel.uri === ROOT_URI || this.roleIn(channel) !== undefined;
  }

  /** Whether the connection may see a channel that is in memory. */
  seesUri(uri: string): boolean {
    if (this.isWhole || this.roles.has(uri)) return true;
    const channel = this.#registry.get(uri);
    return channel !== undefined && this.sees(channel);
  }

  /** The envelope as the connection may see it; `undefined`: not at all. */
  envelope(encoded: EncodedEnvelope, ownClientId: string | undefined): EncodedEnvelope | undefined {
    if (this.isWhole) return encoded;
    const shown = this.#shown(encoded.value, ownClientId);
    if (shown === undefined) return undefined;
    return shown === encoded.value ? encoded : new EncodedEnvelope(shown, undefined, encoded.states);
  }

  /** A journaled envelope as the connection may see it; `undefined`: not at all. */
  replayed(envelope: ActionEnvelope): ActionEnvelope | undefined {
    return this.isWhole ? envelope : this.#shown(envelope, undefined);
  }

  /** Whether the connection may get a notification. */
  passes({ method, params }: EncodedNotification): boolean {
    if (this.isWhole || OWN_NOTIFICATIONS.has(method)) return true;
    if (!SESSION_NOTIFICATIONS.has(method)) return false;
    const session = sessionIn(params);
    return session !== undefined && this.roles.has(session);
  }

  /** The snapshot as the connection may see it. The channel must be one that it sees. */
  snapshot(snapshot: Snapshot): Snapshot {
    const { state } = snapshot;
    if (this.isWhole || snapshot.resource !== ROOT_URI || !('agents' in state)) return snapshot;
    return { ...snapshot, state: { agents: state.agents.map(shownAgent) } satisfies RootState };
  }

  #shown(envelope: ActionEnvelope, ownClientId: string | undefined): ActionEnvelope | undefined {
    // A rejection goes to its sender, and has what the sender sent.
    const { origin, rejectionReason, channel } = envelope;
    if (rejectionReason !== undefined && ownClientId !== undefined && origin?.clientId === ownClientId)
      return envelope;
    if (channel !== ROOT_URI) return this.seesUri(channel) ? envelope : undefined;
    const action = shownRootAction(envelope.action);
    return action && { ...envelope, action };
  }
}

/** The session of a channel that belongs to one; `undefined`: it does not, or it shows more than the session. */
export function sessionOf(channel: Channel): string | undefined {
  if (!OF_SESSION.has(channel.kind)) return undefined;
  return channel.is('session') ? channel.uri : channel.session;
}

/** Settings, terminals and the number of sessions concern the host. */
function shownRootAction(action: StateAction): StateAction | undefined {
  if (action.type !== 'root/agentsChanged') return undefined;
  return { ...action, agents: action.agents.map(shownAgent) };
}

/** An agent without plugins of the user and the services that it signs in to. */
function shownAgent({ customizations: _, protectedResources: __, ...agent }: AgentInfo): AgentInfo {
  return agent;
}

function sessionIn(params: object): string | undefined {
  if ('session' in params && typeof params.session === 'string') return params.session;
  const summary = 'summary' in params ? params.summary : undefined;
  return isObject(summary) && typeof summary['resource'] === 'string' ? summary['resource'] : undefined;
}
