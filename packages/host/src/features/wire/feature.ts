import { type AutomationCapabilities, CLOSE_CODES, type RootConfigState } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import type { ServerTransport } from '@agenthost/rpc/websocket-server';
import type { AccessTokens } from '../../auth/access-tokens.ts';
import type { OwnerTokens } from '../../auth/owner-tokens.ts';
import type { People } from '../../auth/people.ts';
import { numberSetting } from '../../config/host-config.ts';
import type { StatelessChannels } from '../../handler-port/stateless-channels.ts';
import type { JournalStart } from '../../journal/journal.ts';
import type { Clock, Timers } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { PresentClients } from '../../presence/present-clients.ts';
import type { Sync } from '../../sync/sync.ts';
import { COMMAND_PREFIX } from '../../turns/command/command.ts';
import { ClientLives, type Presence } from '../../wire/clients/client-lives.ts';
import type { Connection } from '../../wire/connection/connection.ts';
import { DEFAULT_OUTBOX_LIMITS, type OutboxLimits } from '../../wire/connection/outbox.ts';
import { Hub } from '../../wire/hub.ts';
import type { FindWays } from '../../wire/ways.ts';
import { COMPLETION_TRIGGERS } from '../../workspace/completion/word.ts';
import type { Feature } from '../feature.ts';
import type { FeatureList } from '../feature-list.ts';

/** Default time in which a client that left can return to its claims [SESS-8] [TERM-5]. */
const GRACE_MS = 30_000;

interface Parts {
  readonly sync: Sync;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  readonly start: JournalStart;
  readonly accessTokens: AccessTokens;
  readonly ownerTokens: OwnerTokens;
  readonly people: People;
  /** Answer requests, plan actions, and are told of clients that leave and return. */
  readonly features: Pick<FeatureList, 'commands' | 'channels' | 'clients'>;
  readonly presentClients: PresentClients;
  /** The channels without state. */
  readonly stateless: StatelessChannels;
  readonly serverInfo: { readonly name: string; readonly version: string };
  /** Absolute path of the working directory for sessions without one. */
  readonly defaultDirectory: string;
  /** Absent: the host has no automations [AUTO-1]. */
  readonly automations: AutomationCapabilities | undefined;
  readonly outbox: Partial<OutboxLimits> | undefined;
  readonly graceMs: number | undefined;
  /** Finds clients with ways of their own. */
  readonly findWays: FindWays;
  /** Wraps the transport of each connection. Absent: they are used as they are. */
  readonly wrapTransport: ((transport: ServerTransport) => ServerTransport) | undefined;
}

/** The connections of clients. */
export function wireFeature(parts: Parts): Feature & {
  readonly hub: Hub;
  readonly presence: Presence;
  whenStopped(stop: () => Promise<void>): void;
} {
  const { sync, clock, timers, log, start, accessTokens, ownerTokens, features } = parts;
  const lives = new ClientLives<Connection>({ clock, timers, graceMs: parts.graceMs ?? GRACE_MS });
  const config = (): RootConfigState | undefined => sync.root.state.config;
  const hub = new Hub({
    sync,
    timers,
    log,
    commands: features.commands,
    modules: features.channels,
    departures: features.clients,
    presentClients: parts.presentClients,
    stateless: parts.stateless,
    limits: { ...DEFAULT_OUTBOX_LIMITS, ...parts.outbox },
    wrapTransport: parts.wrapTransport,
    facts: {
      serverInfo: parts.serverInfo,
      defaultDirectory: parts.defaultDirectory,
      terminalCommandPrefix: COMMAND_PREFIX,
      completionTriggerCharacters: [...COMPLETION_TRIGGERS],
      ...defined({ automations: parts.automations }),
    },
    connectionLimits: () => ({
      maxConnections: numberSetting(config(), 'maxConnections'),
      maxConnectionsPerToken: numberSetting(config(), 'maxConnectionsPerToken'),
      maxSubscriptions: numberSetting(config(), 'maxSubscriptions'),
      maxSubscriptionsPerToken: numberSetting(config(), 'maxSubscriptionsPerToken'),
      maxAwayClientsPerToken: numberSetting(config(), 'maxAwayClientsPerToken'),
      maxMessagesPerSecond: numberSetting(config(), 'maxMessagesPerSecond'),
      maxPendingMessages: numberSetting(config(), 'maxPendingMessages'),
    }),
    lost: start.lost,
    bornSeq: start.reservedSeq,
    lives,
    findWays: parts.findWays,
    isOwner: (tokenHash) => ownerTokens.isPresent(tokenHash),
    isGiven: (tokenHash) => accessTokens.isValid(tokenHash),
    people: parts.people,
    personOf: (tokenHash) => accessTokens.personOf(tokenHash),
    isReplaced: (tokenHash) =>
      tokenHash === '' || ownerTokens.isReplaced(tokenHash) || accessTokens.isExpired(tokenHash),
  });
  accessTokens.onEnded((tokenHash, isRevoked, revoking) => hub.endToken(tokenHash, isRevoked, revoking));
  parts.people.onChanged((person) => hub.rolesChanged(person));
  let stopListening = (): Promise<void> => Promise.resolve();
  return {
    name: 'wire',
    hub,
    presence: lives,
    whenStopped: (stop) => {
      stopListening = stop;
    },
    sweep: () => hub.checkAlive(),
    stop: async () => {
      lives.stop();
      hub.close(CLOSE_CODES.shuttingDown, 'the host is stopping');
      await stopListening();
    },
  };
}
