import {
  CLOSE_CODES,
  type ClientIdentityParams,
  type InitializeParams,
  type InitializeResult,
  invalidParam,
  invalidParams,
  invalidRequest,
  negotiateVersion,
  PROTOCOL_VERSION,
  permissionDenied,
  type ReconnectParams,
  type ReconnectResult,
  SUPPORTED_VERSIONS,
  type SupportedVersion,
  unsupportedProtocolVersion,
} from '@agenthost/protocol';
import { Answer } from '../../handler-port/answer.ts';
import type { JournalStart } from '../../journal/journal.ts';
import type { Channel } from '../../sync/channel.ts';
import { isUnjournaled } from '../../sync/sequencer.ts';
import type { Sync } from '../../sync/sync.ts';
import type { ClientLives, Departures } from '../clients/client-lives.ts';
import { type ClientRecord, checkClientIdentity, newClient } from '../clients/client-record.ts';
import type { Clients } from '../clients/clients.ts';
import { startEpoch } from '../clients/epochs.ts';
import type { Connection } from '../connection/connection.ts';
import type { ConnectionQuotas } from '../connection/connection-quotas.ts';
import { type Attaching, attachWithSnapshots } from './attach.ts';
import { replay } from './replay.ts';

/** What every handshake result of this host says. */
export type HostFacts = Pick<
  InitializeResult,
  'serverInfo' | 'defaultDirectory' | 'completionTriggerCharacters' | 'terminalCommandPrefix' | 'telemetry'
>;

/** The answer to a client that offers versions but none that the host supports. */
const NO_COMMON_VERSION = Answer.refusal(unsupportedProtocolVersion([...SUPPORTED_VERSIONS])).thenClose({
  code: CLOSE_CODES.unsupportedVersion,
  reason: 'no common protocol version',
});

/** For a connection that closed while its handshake was under way: no answer leaves any more. */
const NOBODY_LISTENS = Answer.behindCommit(null);

/** Admits connections: `initialize` and `reconnect` [CONN-1] to [CONN-9]. */
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

  /**
   * `lost`: a client whose last number lies there has seen what the journal may not hold, and gets snapshots. `bornSeq`: the numbers
   * of this host are above it. `isReplaced`: whether a token is no longer one, so that another may take over its client ids.
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
    isReplaced(tokenHash: string): boolean;
  }) {
    this.#quotas = parts.quotas;
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
    // Given up while it waited: it must not take over from the connection that came after it.
    if (connection.isClosed) return NOBODY_LISTENS;
    const known = this.#admit(connection, params.clientId, found);
    const client = known ?? newClient(params.clientId, connection.identity.tokenHash, version);
    this.#takeOver(connection, client, version, localeOf(params));
    return this.#orBack(connection, () => this.#begin(connection, { client, version, uris }, params));
  }

  async #begin(
    connection: Connection,
    { client, version, uris }: { client: ClientRecord; version: SupportedVersion; uris: readonly string[] },
    params: InitializeParams,
  ): Promise<Answer> {
    const epoch = params['x-epoch'];
    void this.#clients.note(client, (record) => {
      record.version = version;
      record.locale = localeOf(params);
      record.tokenHash = connection.identity.tokenHash;
      record.subscriptions = new Map();
      startEpoch(record, epoch);
    });
    if (connection.takesPart) await this.#departures.returned(client.id, uris);
    const wanted = (await this.#open(uris)).map((channel) => ({
      channel,
      view: undefined,
      delivery: undefined,
    }));
    const { snapshots, fromSeq } = await attachWithSnapshots(this.#attaching, connection, wanted);
    const result: InitializeResult = {
      protocolVersion: version,
      serverSeq: fromSeq,
      snapshots,
      ...this.#facts,
      'x-scope': connection.identity.scope,
    };
    return Answer.held(connection.dialect.result('initialize', result));
  }

  async reconnect(connection: Connection, params: ReconnectParams): Promise<Answer> {
    this.#checkFirst(connection);
    const uris = this.#checkSubscriptions(connection, params, params.subscriptions);
    checkClientIdentity(params);
    const found = await this.#clients.find(params.clientId);
    // Given up while it waited: it must not take over from the connection that came after it.
    if (connection.isClosed) return NOBODY_LISTENS;
    const known = this.#admit(connection, params.clientId, found);
    const client = known ?? newClient(params.clientId, connection.identity.tokenHash, PROTOCOL_VERSION);
    this.#takeOver(connection, client, client.version, client.locale);
    return this.#orBack(connection, () =>
      this.#goOn(connection, { client, isKnown: known !== undefined, uris }, params),
    );
  }

  async #goOn(
    connection: Connection,
    { client, isKnown, uris }: { client: ClientRecord; isKnown: boolean; uris: readonly string[] },
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
    const channels = await this.#open(uris);
    const wanted = channels.map((channel) => {
      const last = before.get(channel.uri);
      return { channel, view: last?.view, delivery: last?.delivery };
    });
    const missing = uris.filter((uri) => !channels.some((channel) => channel.uri === uri));
    const lastSeen = params.lastSeenServerSeq;
    if (isKnown && this.#isTrusted(lastSeen)) {
      const replayed = await replay(this.#attaching, connection, { wanted, before, lastSeen });
      if (replayed !== undefined) {
        const gone = JSON.stringify([...missing, ...replayed.gone]);
        return Answer.heldJson(`{"type":"replay","actions":${replayed.actionsJson},"missing":${gone}}`);
      }
    }
    const { snapshots } = await attachWithSnapshots(this.#attaching, connection, wanted);
    const result: ReconnectResult = { type: 'snapshot', snapshots };
    return Answer.held(result);
  }

  /** Whether the journal holds all that a client got up to that number, the windows of its subscriptions included. */
  #isTrusted(lastSeen: number): boolean {
    if (this.#lost.some(({ after, upTo }) => after < lastSeen && lastSeen <= upTo)) return false;
    // An earlier host that was killed may have given it a window without being able to write that down.
    return lastSeen > this.#bornSeq || !isUnjournaled(lastSeen);
  }

  /** The connection is over. */
  leave(connection: Connection): void {
    if (!connection.isOnline) return;
    this.#clients.disconnect(connection.online.client, connection);
  }

  /** After a failed handshake the connection is still uninitialised, and another may follow [CONN-3]. */
  async #orBack(connection: Connection, admit: () => Promise<Answer>): Promise<Answer> {
    try {
      return await admit();
    } catch (error) {
      this.leave(connection);
      connection.goOffline();
      throw error;
    }
  }

  get #attaching(): Attaching {
    return { sync: this.#sync, clients: this.#clients };
  }

  #checkFirst(connection: Connection): void {
    if (connection.isOnline) {
      throw invalidRequest('This connection has done its handshake; open another one for another client');
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

  /** The client's record, if it may be used under this token; one that came first while `found` was read counts. */
  #admit(
    connection: Connection,
    clientId: string,
    found: ClientRecord | undefined,
  ): ClientRecord | undefined {
    const record = this.#clients.inMemory(clientId) ?? found;
    const { tokenHash = connection.identity.tokenHash } = record ?? {};
    if (tokenHash !== connection.identity.tokenHash && !this.#isReplaced(tokenHash)) {
      throw permissionDenied('This clientId belongs to another token; use a new one');
    }
    return record;
  }

  /** The newest connection of a client speaks for it; the older one is closed and heard no more [CONN-3]. */
  #takeOver(
    connection: Connection,
    client: ClientRecord,
    version: SupportedVersion,
    locale: string | undefined,
  ): void {
    const older = this.#clients.connect(client, connection);
    older?.close(CLOSE_CODES.replaced, 'another connection of this client took over');
    connection.goOnline({ client, version, locale: locale ?? 'en' });
  }

  async #open(uris: readonly string[]): Promise<Channel[]> {
    const opened = await Promise.all(uris.map((uri) => this.#sync.registry.open(uri)));
    return opened.filter((channel) => channel !== undefined);
  }
}

/** The version to speak; `undefined`: there is no common one. Throws `-32602` for a list without versions. */
function negotiate(offered: readonly unknown[]): SupportedVersion | undefined {
  const outcome = negotiateVersion(offered);
  if (outcome.ok) return outcome.version;
  if (outcome.reason === 'malformed')
    throw invalidParam('protocolVersions', 'expected at least one version such as "0.5.2"');
  return undefined;
}

/** What a client says of its language, if that can be a tag of one: nothing else is kept. */
const localeOf = ({ locale }: InitializeParams): string | undefined =>
  locale !== undefined && /^[A-Za-z0-9]{1,8}([-_][A-Za-z0-9]{1,8}){0,8}$/.test(locale) ? locale : undefined;
