import {
  CLOSE_CODES,
  type ClientIdentityParams,
  type InitializeParams,
  type InitializeResult,
  invalidParam,
  invalidParams,
  invalidRequest,
  negotiateVersion,
  permissionDenied,
  type ReconnectParams,
  type ReconnectResult,
  ROOT_URI,
  type Snapshot,
  SUPPORTED_RANGES,
  unknownClient,
  unsupportedProtocolVersion,
  WireError,
} from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { Answer } from '../../handler-port/answer.ts';
import type { StatelessChannels } from '../../handler-port/stateless-channels.ts';
import type { JournalStart } from '../../journal/journal.ts';
import type { Channel } from '../../sync/channel.ts';
import { isUnjournaled } from '../../sync/sequencer.ts';
import type { Sync } from '../../sync/sync.ts';
import { namesOf } from '../clients/author.ts';
import type { ClientLives, Departures } from '../clients/client-lives.ts';
import { type ClientRecord, checkClientIdentity, newClient } from '../clients/client-record.ts';
import type { Clients } from '../clients/clients.ts';
import { startEpoch } from '../clients/epochs.ts';
import type { Connection } from '../connection/connection.ts';
import type { ConnectionQuotas } from '../connection/connection-quotas.ts';
import { type Attaching, attachWithSnapshots } from './attach.ts';
import { replay } from './replay.ts';

/** Members of the handshake result that are the same for all clients. */
export type HostFacts = Pick<
  InitializeResult,
  'serverInfo' | 'defaultDirectory' | 'completionTriggerCharacters' | 'terminalCommandPrefix' | 'automations'
>;

/** The answer to a client that offers no version that the host supports. */
const NO_COMMON_VERSION = Answer.refusal(unsupportedProtocolVersion([...SUPPORTED_RANGES])).thenClose({
  code: CLOSE_CODES.unsupportedVersion,
  reason: 'no common protocol version',
});

/** The result for a connection that has closed during its handshake. It is not sent. */
const NOT_SENT = Answer.behindCommit(null);

/** Handles the handshakes of connections: `initialize` and `reconnect` [CONN-1] to [CONN-9]. */
export class Handshake {
  readonly #sync: Sync;
  readonly #clients: Clients<Connection>;
  readonly #facts: HostFacts;
  readonly #lost: JournalStart['lost'];
  readonly #bornSeq: number;
  readonly #lives: ClientLives<Connection>;
  readonly #departures: Departures;
  readonly #quotas: ConnectionQuotas;
  readonly #isReplaced: (tokenHash: string) => boolean;
  readonly #stateless: StatelessChannels;

  /**
   * `lost`: ranges of numbers that the journal may not hold. A client whose last number is in one of them gets snapshots. `bornSeq`: all numbers
   * of this run of the host are above it. `isReplaced`: whether a token has ended, so that other tokens may take over its client ids.
   */
  constructor(parts: {
    sync: Sync;
    clients: Clients<Connection>;
    facts: HostFacts;
    lost: JournalStart['lost'];
    bornSeq: number;
    lives: ClientLives<Connection>;
    departures: Departures;
    quotas: ConnectionQuotas;
    stateless: StatelessChannels;
    isReplaced(tokenHash: string): boolean;
  }) {
    this.#quotas = parts.quotas;
    this.#stateless = parts.stateless;
    this.#departures = parts.departures;
    this.#isReplaced = parts.isReplaced;
    this.#sync = parts.sync;
    this.#clients = parts.clients;
    this.#facts = parts.facts;
    this.#lost = parts.lost;
    this.#bornSeq = parts.bornSeq;
    this.#lives = parts.lives;
  }

  async initialize(connection: Connection, params: InitializeParams): Promise<Answer> {
    this.#checkFirst(connection);
    const version = negotiate(params.protocolVersions);
    if (version === undefined) return NO_COMMON_VERSION;
    const uris = this.#checkSubscriptions(connection, params, params.initialSubscriptions ?? []);
    checkClientIdentity(params);
    const found = await this.#clients.find(params.clientId);
    // A closed connection must not replace a newer one of the client.
    if (connection.isClosed) return NOT_SENT;
    const known = this.#admit(connection, params.clientId, found);
    const client = known ?? newClient(params.clientId, connection.identity.tokenHash, version);
    this.#takeOver(connection, client, version, localeOf(params));
    return this.#orGoOffline(connection, () => this.#begin(connection, { client, version, uris }, params));
  }

  async #begin(
    connection: Connection,
    { client, version, uris }: { client: ClientRecord; version: string; uris: readonly string[] },
    params: InitializeParams,
  ): Promise<Answer> {
    const epoch = params['x-epoch'];
    void this.#clients.note(client, (record) => {
      record.version = version;
      record.locale = localeOf(params);
      record.names = namesOf(params.clientInfo);
      record.hasMcpApps = params.capabilities?.mcpApps !== undefined;
      record.tokenHash = connection.identity.tokenHash;
      record.subscriptions = new Map();
      startEpoch(record, epoch);
    });
    if (connection.takesPart) await this.#departures.returned(client.id, uris);
    const wanted = (await this.#open(connection, uris)).map((channel) => ({
      channel,
      view: undefined,
      delivery: undefined,
    }));
    const { snapshots, fromSeq } = await attachWithSnapshots(this.#attaching, connection, wanted);
    // Later output waits for the answer.
    this.#joinStateless(connection, uris, false);
    const result: InitializeResult = {
      protocolVersion: version,
      serverSeq: fromSeq,
      snapshots: stillSeen(connection, snapshots),
      ...(connection.sight.isWhole
        ? { ...this.#facts, telemetry: this.#stateless.capabilities(connection.identity.scope) }
        : { ...defined({ serverInfo: this.#facts.serverInfo }) }),
      'x-scope': connection.identity.scope,
      ...rolesOf(connection),
    };
    return Answer.held(connection.translator.result('initialize', result));
  }

  async reconnect(connection: Connection, params: ReconnectParams): Promise<Answer> {
    this.#checkFirst(connection);
    const uris = this.#checkSubscriptions(connection, params, params.subscriptions);
    checkClientIdentity(params);
    const found = await this.#clients.find(params.clientId);
    // A closed connection must not replace a newer one of the client.
    if (connection.isClosed) return NOT_SENT;
    const client = this.#admit(connection, params.clientId, found);
    // Its version is not known any more [NEG-7].
    if (client === undefined) throw unknownClient(params.clientId);
    this.#takeOver(connection, client, client.version, client.locale);
    return this.#orGoOffline(connection, () => this.#goOn(connection, { client, uris }, params));
  }

  async #goOn(
    connection: Connection,
    { client, uris }: { client: ClientRecord; uris: readonly string[] },
    params: ReconnectParams,
  ): Promise<Answer> {
    const epoch = params['x-epoch'];
    const before = client.subscriptions;
    void this.#clients.note(client, (record) => {
      record.tokenHash = connection.identity.tokenHash;
      record.subscriptions = new Map([...before].filter(([uri]) => uris.includes(uri)));
      startEpoch(record, epoch);
    });
    if (connection.takesPart) await this.#departures.returned(client.id, uris);
    const joined = this.#joinStateless(connection, uris, true);
    const channels = await this.#open(connection, uris);
    const wanted = channels.map((channel) => {
      const last = before.get(channel.uri);
      return { channel, view: last?.view, delivery: last?.delivery };
    });
    const missing = uris.filter(
      (uri) => !joined.has(uri) && !channels.some((channel) => channel.uri === uri),
    );
    const lastSeen = params.lastSeenServerSeq;
    if (this.#isTrusted(lastSeen)) {
      const replayed = await replay(this.#attaching, connection, { wanted, before, lastSeen });
      if (replayed !== undefined) {
        const gone = JSON.stringify(connection.translator.uris([...missing, ...replayed.gone]));
        return Answer.heldJson(`{"type":"replay","actions":${replayed.actionsJson},"missing":${gone}}`);
      }
    }
    const { snapshots } = await attachWithSnapshots(this.#attaching, connection, wanted);
    const result: ReconnectResult = { type: 'snapshot', snapshots: stillSeen(connection, snapshots) };
    return Answer.held(result);
  }

  /** Whether the journal holds everything that a client was sent up to that number, and the windows of its subscriptions. */
  #isTrusted(lastSeen: number): boolean {
    if (this.#lost.some(({ after, upTo }) => after < lastSeen && lastSeen <= upTo)) return false;
    // An earlier run that was killed may have sent a window without journaling it.
    return lastSeen > this.#bornSeq || !isUnjournaled(lastSeen);
  }

  /** Call it when a connection has closed. */
  leave(connection: Connection): void {
    if (!connection.isOnline) return;
    this.#clients.disconnect(connection.online.client, connection);
  }

  /** After a failed handshake the connection is uninitialised again, so that another handshake may follow [CONN-3]. */
  async #orGoOffline(connection: Connection, admit: () => Promise<Answer>): Promise<Answer> {
    try {
      return await admit();
    } catch (error) {
      this.leave(connection);
      this.#stateless.leave(connection);
      connection.goOffline();
      throw error;
    }
  }

  get #attaching(): Attaching {
    return { sync: this.#sync, clients: this.#clients };
  }

  #checkFirst(connection: Connection): void {
    if (connection.isOnline) {
      throw invalidRequest(
        'This connection has completed its handshake; open another one for another client',
      );
    }
  }

  #checkSubscriptions(
    connection: Connection,
    { clientId }: ClientIdentityParams,
    uris: readonly string[],
  ): string[] {
    const unique = [...new Set(uris)];
    const replaced = this.#lives.connectionOf(clientId);
    const refusal = this.#quotas.subscriptionRefusal(connection, unique.length, replaced);
    if (refusal !== undefined) throw invalidParams(`${refusal}, got ${unique.length}`);
    return unique;
  }

  /**
   * Returns the record of a client; `undefined`: it has none. Throws `-32009` if the client id belongs to another token. A record that came into
   * memory while `found` was read takes precedence.
   */
  #admit(
    connection: Connection,
    clientId: string,
    found: ClientRecord | undefined,
  ): ClientRecord | undefined {
    const record = this.#clients.inMemory(clientId) ?? found;
    const { tokenHash = connection.identity.tokenHash } = record ?? {};
    if (tokenHash !== connection.identity.tokenHash && !this.#isReplaced(tokenHash)) {
      throw permissionDenied('This clientId belongs to another token; use a new clientId');
    }
    return record;
  }

  /** Makes a connection the one that speaks for a client, and closes the older one [CONN-3]. */
  #takeOver(connection: Connection, client: ClientRecord, version: string, locale: string | undefined): void {
    const older = this.#clients.connect(client, connection);
    older?.close(CLOSE_CODES.replaced, 'another connection of this client took over');
    connection.goOnline({ client, version, locale: locale ?? 'en' });
  }

  /** Subscribes to the channels without state, as far as the connection may. Returns their URIs. */
  #joinStateless(connection: Connection, uris: readonly string[], isResumed: boolean): Set<string> {
    const joined = new Set<string>();
    const { scope } = connection.identity;
    const { hasMcpApps } = connection.online.client;
    for (const uri of uris) {
      if (!connection.sight.isWhole || !this.#stateless.has(uri)) continue;
      try {
        this.#stateless.subscribe(uri, connection, { scope, hasMcpApps, isResumed });
        joined.add(uri);
      } catch (error) {
        // A channel that is not permitted is left out of the answer, as any other one.
        if (!(error instanceof WireError)) throw error;
      }
    }
    return joined;
  }

  async #open({ sight }: Connection, uris: readonly string[]): Promise<Channel[]> {
    const opened = await Promise.all(uris.map((uri) => this.#sync.registry.open(uri)));
    return opened.flatMap((channel) => (channel !== undefined && sight.sees(channel) ? [channel] : []));
  }
}

/** Without channels whose roles ended while the snapshots were made. Envelopes of these are not sent. */
const stillSeen = ({ sight }: Connection, snapshots: readonly Snapshot[]): Snapshot[] =>
  snapshots.filter(({ resource }) => resource === ROOT_URI || sight.seesUri(resource));

/** The person of the token, and the person's roles. */
function rolesOf({ person, sight }: Connection): Pick<InitializeResult, 'x-person' | 'x-roles'> {
  const { roles } = sight;
  return defined({
    'x-person': person,
    'x-roles': roles.size === 0 ? undefined : Object.fromEntries(roles),
  });
}

/** Returns the newest common version; `undefined`: there is none. Throws `-32602` for a list without versions. */
function negotiate(offered: readonly unknown[]): string | undefined {
  const outcome = negotiateVersion(offered);
  if (outcome.ok) return outcome.version;
  if (outcome.reason === 'malformed')
    throw invalidParam('protocolVersions', 'expected at least one version such as "1.0.0"');
  return undefined;
}

/** The locale of a client, if it has the form of a language tag. */
const localeOf = ({ locale }: InitializeParams): string | undefined =>
  locale !== undefined && /^[A-Za-z0-9]{1,8}([-_][A-Za-z0-9]{1,8}){0,8}$/.test(locale) ? locale : undefined;
