import {
  type Journal,
  JournalError,
  type JournalStart,
  type JournalWrite,
  type SessionListOptions,
  type TurnRange,
} from '../journal.ts';
import { listedRows } from '../listed-rows.ts';
import type {
  DiskUse,
  ListedClient,
  StoredChannel,
  StoredChannelHead,
  StoredClient,
  StoredContent,
  StoredEnvelope,
  StoredProcess,
  StoredSession,
  StoredToken,
  StoredTurn,
  WholeDiskUse,
} from '../rows.ts';
import type { SearchOptions, SearchPage } from '../search/results.ts';
import { search } from '../search/search.ts';
import { MemoryDisk } from './disk.ts';
import { MemorySearchSource } from './search-source.ts';
import type { MemoryEnvelope, MemoryTurn } from './tables.ts';

/**
 * The journal in memory, for tests and for hosts without a data folder. A new journal on the same `MemoryDisk` finds all committed
 * batches, whether the last one was closed or not.
 */
export class MemoryJournal implements Journal {
  readonly #disk: MemoryDisk;
  #isOpen = false;

  constructor(disk: MemoryDisk = new MemoryDisk()) {
    this.#disk = disk;
  }

  async open(): Promise<JournalStart> {
    const disk = this.#disk;
    if (this.#isOpen) throw new JournalError('io', 'the journal is open already');
    if (disk.isLocked) throw new JournalError('locked', 'the journal in memory is in use by another host');
    disk.isLocked = true;
    this.#isOpen = true;
    const { lastSeq, lastTime } = disk;
    disk.reservedSeq = Math.max(disk.reservedSeq, lastSeq);
    const mayHaveLostTail = disk.hasLostTail && disk.reservedSeq > lastSeq;
    disk.hasLostTail = false;
    disk.lost = disk.lost.filter((range) => range.upTo > disk.trimmedSeq);
    if (mayHaveLostTail) disk.lost.push({ after: lastSeq, upTo: disk.reservedSeq });
    return { lastSeq, lastTime, reservedSeq: disk.reservedSeq, mayHaveLostTail, lost: [...disk.lost] };
  }

  async commit(writes: readonly JournalWrite[]): Promise<void> {
    // A read called before this resolves must not see the batch. No read runs between here and the end of the commit.
    await Promise.resolve();
    this.#opened().apply(writes);
  }

  async reserveSeq(seq: number): Promise<void> {
    const disk = this.#opened();
    disk.reservedSeq = Math.max(disk.reservedSeq, seq);
  }

  async readChannel(uri: string): Promise<StoredChannel | undefined> {
    const disk = this.#opened();
    const row = disk.channels.get(uri);
    return row && { ...row };
  }

  async readChannelHead(uri: string): Promise<StoredChannelHead | undefined> {
    const row = this.#opened().channels.get(uri);
    if (row === undefined) return undefined;
    const { state: _, ...head } = row;
    return head;
  }

  async readEnvelopesAfter(
    channel: string,
    after: number,
    maxBytes: number,
  ): Promise<readonly StoredEnvelope[]> {
    const all = this.#opened().envelopes.filter(
      (envelope) => envelope.channel === channel && envelope.seq > after,
    );
    let total = 0;
    const last = all.findIndex(({ json }) => {
      total += Buffer.byteLength(json);
      return total >= maxBytes;
    });
    return all.slice(0, last === -1 ? undefined : last + 1).map(withoutOrigin);
  }

  async listChannels(session: string): Promise<readonly { uri: string; kind: string }[]> {
    const rows = [...this.#opened().channels.values()].filter((row) => row.session === session);
    return rows.map(({ uri, kind }) => ({ uri, kind }));
  }

  async listOpen(): Promise<readonly string[]> {
    return [...this.#opened().open].toSorted();
  }

  async listStale(seq: number, limit: number): Promise<readonly string[]> {
    const stale = this.#opened().envelopes.filter(
      (envelope) => envelope.seq <= seq && this.#isStale(envelope),
    );
    return [...new Set(stale.map((envelope) => envelope.channel))].slice(0, limit);
  }

  async readTurns(
    chat: string,
    { before = Number.POSITIVE_INFINITY, limit, maxBytes = Number.POSITIVE_INFINITY, least = 1 }: TurnRange,
  ): Promise<readonly StoredTurn[]> {
    const newestFirst = [...this.#turns(chat)]
      .filter(([ordinal]) => ordinal < before)
      .toSorted(([a], [b]) => b - a)
      .slice(0, limit);
    const turns: StoredTurn[] = [];
    let bytes = 0;
    for (const [ordinal, turn] of newestFirst) {
      bytes += Buffer.byteLength(turn.json);
      if (turns.length >= least && bytes > maxBytes) break;
      turns.push({ ordinal, id: turn.id, json: turn.json });
    }
    return turns.reverse();
  }

  async hasTurnBefore(chat: string, before: number): Promise<boolean> {
    return [...this.#turns(chat)].some(([ordinal]) => ordinal < before);
  }

  async findTurn(chat: string, turnId: string): Promise<number | undefined> {
    const found = [...this.#turns(chat)].filter(([, turn]) => turn.id === turnId);
    return found.map(([ordinal]) => ordinal).toSorted((a, b) => a - b)[0];
  }

  async readEnvelopes(
    channels: readonly string[],
    after: number,
    upTo: number,
    maxBytes: number,
  ): Promise<readonly StoredEnvelope[] | undefined> {
    const chosen = new Set(channels);
    const envelopes = this.#opened().envelopes.filter(
      ({ channel, seq }) => chosen.has(channel) && seq > after && seq <= upTo,
    );
    return sizeOf(envelopes) > maxBytes ? undefined : envelopes.map(withoutOrigin);
  }

  async findOutcome(clientId: string, epoch: string, clientSeq: number): Promise<StoredEnvelope | undefined> {
    const found = this.#opened().envelopes.find(
      ({ origin }) =>
        origin?.clientId === clientId && origin.epoch === epoch && origin.clientSeq === clientSeq,
    );
    return found && withoutOrigin(found);
  }

  async windowStats(): Promise<{ bytes: number; trimmedSeq: number; oldestTime: number | undefined }> {
    const { envelopes, trimmedSeq } = this.#opened();
    return { bytes: sizeOf(envelopes), trimmedSeq, oldestTime: envelopes[0]?.time };
  }

  async findTrimPoint(limits: { maxBytes: number; minTime: number }): Promise<number | undefined> {
    const { envelopes } = this.#opened();
    let bytes = sizeOf(envelopes);
    let point: number | undefined;
    for (const envelope of envelopes) {
      if (bytes <= limits.maxBytes && envelope.time >= limits.minTime) break;
      bytes -= Buffer.byteLength(envelope.json);
      point = envelope.seq;
    }
    return point;
  }

  async trim(seq: number, limit: number): Promise<number> {
    const disk = this.#opened();
    const kept = disk.envelopes.findIndex(
      (envelope, index) => index >= limit || envelope.seq > seq || this.#isStale(envelope),
    );
    const dropped = disk.envelopes.splice(0, kept === -1 ? disk.envelopes.length : kept);
    const newest = dropped.at(-1);
    if (newest === undefined) return 0;
    disk.trimmedSeq = newest.seq;
    disk.trimmedTime = newest.time;
    return dropped.length;
  }

  async listSessions(options: SessionListOptions): Promise<readonly StoredSession[]> {
    const { after, limit } = options;
    const rows = [...this.#opened().sessions.values()]
      .filter((session) => after === undefined || compareSessions(after, session) < 0)
      .toSorted(compareSessions)
      .slice(0, limit);
    return listedRows(rows, options);
  }

  async readClient(id: string): Promise<StoredClient | undefined> {
    return this.#opened().clients.get(id);
  }

  async listClients({
    limit,
    after,
  }: {
    limit: number;
    after?: { seenAt: number; id: string };
  }): Promise<readonly ListedClient[]> {
    type Place = { readonly seenAt: number; readonly id: string };
    const compare = (a: Place, b: Place): number => a.seenAt - b.seenAt || (a.id < b.id ? -1 : 1);
    return [...this.#opened().clients.values()]
      .filter((client) => after === undefined || (client.id !== after.id && compare(after, client) < 0))
      .toSorted(compare)
      .slice(0, limit)
      .map(({ id, tokenHash, seenAt, subscriptions, lastClientSeq, pastEpochs }) => ({
        id,
        tokenHash,
        seenAt,
        bytes: Buffer.byteLength(subscriptions),
        hasActed: lastClientSeq >= 0 || pastEpochs !== undefined,
      }));
  }

  async readContent(id: string): Promise<StoredContent | undefined> {
    const content = this.#opened().contents.get(id);
    return content && { id, contentType: content.contentType, data: content.data.slice() };
  }

  async readMeta(key: string): Promise<string | undefined> {
    return this.#opened().meta.get(key);
  }

  async listTokens(): Promise<readonly StoredToken[]> {
    return [...this.#opened().tokens.values()];
  }

  async listProcesses(): Promise<readonly StoredProcess[]> {
    return [...this.#opened().processes.values()].toSorted((a, b) => a.pid - b.pid);
  }

  async diskUse(session: string): Promise<DiskUse | undefined> {
    const disk = this.#opened();
    const channels = [...disk.channels.values()].filter(
      (row) => row.uri === session || row.session === session,
    );
    const contents = [...disk.contents.values()].flatMap(({ owners, data }) =>
      owners.filter((owner) => owner.session === session).map(() => data.byteLength),
    );
    if (channels.length + contents.length === 0 && !disk.sessions.has(session)) return undefined;
    const uris = new Set(channels.map((row) => row.uri));
    return {
      turnsBytes: sizeOf(channels.flatMap((row) => [...this.#turns(row.uri).values()])),
      stateBytes: sizeOf(channels.flatMap((row) => [{ json: row.state }, { json: row.local }])),
      windowBytes: sizeOf(disk.envelopes.filter((envelope) => uris.has(envelope.channel))),
      contentBytes: contents.reduce((sum, bytes) => sum + bytes, 0),
    };
  }

  async wholeDiskUse(): Promise<WholeDiskUse> {
    const disk = this.#opened();
    const contents = [...disk.contents.values()].reduce((sum, { data }) => sum + data.byteLength, 0);
    const turns = [...disk.channels.keys()].flatMap((uri) => [...this.#turns(uri).values()]);
    const states = [...disk.channels.values()].flatMap((row) => [{ json: row.state }, { json: row.local }]);
    return {
      databaseBytes: contents + sizeOf(turns) + sizeOf(states) + sizeOf(disk.envelopes),
      reusableBytes: 0,
      contentBytes: contents,
    };
  }

  search(query: string, options: SearchOptions): Promise<SearchPage> {
    return search({ read: async (slice) => slice(new MemorySearchSource(this.#opened())) }, query, options);
  }

  async fillIndex(): Promise<boolean> {
    this.#opened();
    return false;
  }

  async compact(): Promise<boolean> {
    this.#opened();
    return false;
  }

  async close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#disk.isLocked = false;
  }

  #opened(): MemoryDisk {
    if (!this.#isOpen) throw new JournalError('closed', 'the journal is not open');
    return this.#disk;
  }

  #turns(chat: string): ReadonlyMap<number, MemoryTurn> {
    return this.#opened().turns.get(chat) ?? new Map();
  }

  #isStale(envelope: StoredEnvelope): boolean {
    const row = this.#disk.channels.get(envelope.channel);
    return row !== undefined && envelope.seq > row.seq;
  }
}

function withoutOrigin({ seq, channel, time, json }: MemoryEnvelope): StoredEnvelope {
  return { seq, channel, time, json };
}

function sizeOf(items: readonly { readonly json: string }[]): number {
  return items.reduce((sum, item) => sum + Buffer.byteLength(item.json), 0);
}

function compareSessions(
  a: { readonly modifiedAt: string; readonly uri: string },
  b: { readonly modifiedAt: string; readonly uri: string },
): number {
  if (a.modifiedAt !== b.modifiedAt) return a.modifiedAt > b.modifiedAt ? -1 : 1;
  if (a.uri === b.uri) return 0;
  return a.uri < b.uri ? -1 : 1;
}
