import type { ActionEnvelope } from '@agenthost/protocol';
import type { StoredEnvelope } from '../../journal/rows.ts';
import { moveWindow } from '../../sync/subscription.ts';
import type { RememberedSubscription } from '../clients/client-record.ts';
import type { Connection } from '../connection/connection.ts';
import { type Attaching, cutsOf, leave, subscribe, type Wanted } from './attach.ts';

/** A longer replay is answered by snapshots [CONN-5]. */
const MAX_REPLAY_BYTES = 16 * 1024 * 1024;

interface Request {
  readonly wanted: readonly Wanted[];
  readonly before: ReadonlyMap<string, RememberedSubscription>;
  /** The highest `serverSeq` that the client has seen. */
  readonly lastSeen: number;
}

/**
 * Reads the envelopes that a client missed from the journal. Returns `undefined` if the client needs snapshots [CONN-5] [CONN-6]. Otherwise the
 * connection is subscribed from the boundary on and its outbox is held.
 */
export async function replay(
  { sync, clients }: Attaching,
  connection: Connection,
  { wanted, before, lastSeen }: Request,
): Promise<{ actionsJson: string; gone: string[] } | undefined> {
  const heldAll = wanted.every(({ channel }) => {
    const subscription = before.get(channel.uri);
    if (subscription === undefined || subscription.since > lastSeen) return false;
    // The client may show turns that were dropped in its absence.
    if (channel.is('chat') && lastSeen < (channel.hostData.droppedSeq ?? 0)) return false;
    // An older subscription belongs to a disposed channel with the same URI.
    return subscription.since >= (channel.hostData.bornSeq ?? 0);
  });
  if (!heldAll) return undefined;
  const reading = await sync.path.boundary(
    () => ({
      cuts: cutsOf(wanted),
      alive: wanted.filter(({ channel }) => channel.isAlive),
      upTo: sync.emittedSeq,
      // The last envelope that the client has seen may be a private one. These have numbers too [ACT-7].
      last: sync.sequencer.last,
    }),
    ({ cuts, alive, upTo, last }) => {
      // History was cut after the boundary, and this window was not updated: the client needs a snapshot [CHAT-6].
      if (lastSeen > last || cuts !== cutsOf(wanted)) return undefined;
      connection.outbox.hold();
      for (const item of alive) {
        const { since = lastSeen, fromOrdinal = 0 } = before.get(item.channel.uri) ?? {};
        // The client was told which turns were dropped from its window.
        const keptFrom = item.channel.is('chat') ? (item.channel.hostData.keptFrom ?? 0) : 0;
        subscribe(clients, connection, item, { since, fromOrdinal: Math.max(fromOrdinal, keptFrom) });
      }
      const uris = alive.map(({ channel }) => channel.uri);
      return {
        alive,
        stats: sync.journal.windowStats(),
        rows: sync.journal.readEnvelopes(uris, lastSeen, upTo, MAX_REPLAY_BYTES),
      };
    },
  );
  if (reading === undefined) return undefined;
  const [stats, rows] = await Promise.all([reading.stats, reading.rows]);
  if (stats.trimmedSeq <= lastSeen && rows !== undefined) {
    const { actionsJson, emptied } = readable(rows, connection, before);
    const gone = wanted.filter((item) => !reading.alive.includes(item)).map(({ channel }) => channel.uri);
    if (actionsJson !== undefined) {
      widenEmptied(connection, reading.alive, emptied);
      return { actionsJson, gone };
    }
  }
  // The hold stays: snapshots follow. Nothing may be sent before them, and no envelope that they reflect after them.
  connection.outbox.dropHeldEnvelopes();
  for (const { channel } of reading.alive) leave(connection, channel);
  return undefined;
}

/** Finds envelopes that may change the end of a chat's history. */
const MAY_CUT = /"chat\/(?:truncated|turnResume)"/;

/** Windows that the replay empties hold all later turns. */
function widenEmptied(connection: Connection, alive: readonly Wanted[], emptied: ReadonlySet<string>): void {
  for (const { channel } of alive) {
    const subscription = channel.subscriptions.get(connection);
    if (subscription === undefined || subscription.isRealigned || !emptied.has(channel.uri)) continue;
    moveWindow(subscription, 0, subscription.since);
  }
}

/**
 * Returns the envelopes for this connection as a JSON array; `undefined`: its windows cannot reduce one of them (CHAT-6). Journaled JSON is sent
 * as it is: parsing and encoding a long replay would cost many times its size. `emptied`: the chats whose turns were all cut.
 */
function readable(
  rows: readonly StoredEnvelope[],
  connection: Connection,
  before: Request['before'],
): { actionsJson: string | undefined; emptied: ReadonlySet<string> } {
  const actions: string[] = [];
  const emptied = new Set<string>();
  for (const row of rows) {
    const mayCut = MAY_CUT.test(row.json) && (before.get(row.channel)?.fromOrdinal ?? 0) > 0;
    if (connection.translator.isIdentity && connection.sight.isWhole && !mayCut) {
      actions.push(row.json);
      continue;
    }
    // Journaled by this host after its checks.
    const stored: ActionEnvelope = JSON.parse(row.json);
    const envelope = connection.sight.replayed(stored);
    if (envelope === undefined) continue;
    // The window may lack the resumed turn, or the turn before it (CHAT-23).
    if (mayCut && envelope.action.type === 'chat/turnResume') return { actionsJson: undefined, emptied };
    if (mayCut && envelope.action.type === 'chat/truncated') {
      if (envelope.action.turnId !== undefined) return { actionsJson: undefined, emptied };
      emptied.add(row.channel);
    }
    const translated = connection.translator.replayed(envelope);
    if (translated === undefined) return { actionsJson: undefined, emptied };
    for (const one of translated) actions.push(JSON.stringify(one));
  }
  return { actionsJson: `[${actions.join(',')}]`, emptied };
}
