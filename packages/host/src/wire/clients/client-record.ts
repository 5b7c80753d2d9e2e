import {
  type ClientIdentityParams,
  invalidParam,
  lineOf,
  PROTOCOL_VERSION,
  type SubscribeView,
  type SubscriptionDeliveryOptions,
  TEXT_LIMITS,
} from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import type { JournalWrite } from '../../journal/journal.ts';
import type { StoredClient } from '../../journal/rows.ts';
import { type ClientNames, namesOf } from './author.ts';
import { type Epochs, NONE_PROCESSED } from './epochs.ts';

const MAX_LENGTH = TEXT_LIMITS.client.max;

/** A subscription that is remembered after its connection has closed. */
export interface RememberedSubscription {
  readonly view?: SubscribeView;
  readonly delivery?: SubscriptionDeliveryOptions;
  /** The `serverSeq` from which it holds. */
  readonly since: number;
  /** Chats: ordinal of the oldest turn that the client holds. */
  readonly fromOrdinal: number;
}

/** The data that the host remembers of a client over reconnects and restarts. Only `Clients` changes it. */
export interface ClientRecord extends Epochs {
  readonly id: string;
  tokenHash: string;
  /** The negotiated version [NEG-7]. */
  version: string;
  /** BCP 47; `undefined`: the client did not say [CHAT-19]. */
  locale: string | undefined;
  /** From its last `initialize`. */
  names: ClientNames;
  /** Whether it shows user interfaces of MCP servers, from its last `initialize` [MCP-2]. */
  hasMcpApps: boolean;
  subscriptions: Map<string, RememberedSubscription>;
}

/** The JSON of the subscriptions in a row. */
type StoredSubscriptions = readonly (readonly [string, RememberedSubscription])[];

/** The same with what the client said of itself. */
interface StoredFacts {
  readonly held: StoredSubscriptions;
  readonly names?: ClientNames;
  readonly hasMcpApps?: boolean;
}

/** Checks the texts by which a client names itself. Both are journaled, also for clients that may only look. Throws `-32602`. */
export function checkClientIdentity({ clientId, 'x-epoch': epoch }: ClientIdentityParams): void {
  if (clientId.length === 0 || !isStorable(clientId))
    throw invalidParam('clientId', `expected 1 to ${MAX_LENGTH} characters without NUL and lone surrogates`);
  if (epoch !== undefined && !isStorable(epoch))
    throw invalidParam(
      'x-epoch',
      `expected at most ${MAX_LENGTH} characters without NUL and lone surrogates`,
    );
}

/** SQLite stores a lone surrogate as U+FFFD, so two ids could collide. */
const isStorable = (text: string): boolean => text.length <= MAX_LENGTH && !/[\p{Surrogate}\0]/u.test(text);

/** Makes the record of a client without one. */
export const newClient = (id: string, tokenHash: string, version: string): ClientRecord => ({
  id,
  tokenHash,
  version,
  epoch: undefined,
  lastClientSeq: NONE_PROCESSED,
  past: new Map(),
  locale: undefined,
  names: namesOf(undefined),
  hasMcpApps: false,
  subscriptions: new Map(),
});

/** Returns the JSON of the subscriptions, and of names and abilities if the client gave any, for a row. */
export function storedSubscriptions({ subscriptions, names, hasMcpApps }: ClientRecord): string {
  const held: StoredSubscriptions = [...subscriptions];
  const isNamed = names.device !== undefined || names.name !== namesOf(undefined).name;
  if (!isNamed && !hasMcpApps) return JSON.stringify(held);
  return JSON.stringify({ held, ...(isNamed ? { names } : {}), ...(hasMcpApps ? { hasMcpApps } : {}) });
}

/** Whether a client may be forgotten. One with a processed action stays known while it may resend that action [ACT-5]. */
export const mayForget = (record: ClientRecord): boolean =>
  record.lastClientSeq === NONE_PROCESSED && processedEpochs(record).length === 0;

/** Returns the row of a record. */
export function toRow(record: ClientRecord, seenAt: number): Extract<JournalWrite, { op: 'client' }> {
  const { id, tokenHash, version, epoch, lastClientSeq, locale } = record;
  const past = processedEpochs(record);
  return {
    op: 'client',
    id,
    tokenHash,
    version,
    lastClientSeq,
    subscriptions: storedSubscriptions(record),
    seenAt,
    ...defined({ epoch, locale, pastEpochs: past.length === 0 ? undefined : JSON.stringify(past) }),
  };
}

/** Reads a row. */
export function fromRow(row: StoredClient): ClientRecord {
  // Written by `toRow`.
  const stored: StoredSubscriptions | StoredFacts = JSON.parse(row.subscriptions);
  const facts: StoredFacts = 'held' in stored ? stored : { held: stored };
  const { held, names = namesOf(undefined), hasMcpApps = false } = facts;
  const past: [string, number][] = JSON.parse(row.pastEpochs ?? '[]');
  return {
    id: row.id,
    tokenHash: row.tokenHash,
    version: lineOf(row.version) === undefined ? PROTOCOL_VERSION : row.version,
    epoch: row.epoch,
    lastClientSeq: row.lastClientSeq,
    past: new Map(past),
    locale: row.locale,
    names,
    hasMcpApps,
    subscriptions: new Map(held),
  };
}

/** The earlier epochs with a processed action. The others need not be known again. */
const processedEpochs = ({ past }: ClientRecord): [string, number][] =>
  [...past].filter(([, last]) => last > NONE_PROCESSED);
