import type { Log } from '../lib/log.ts';
import { isAwaited } from '../sync/awaited.ts';
import { Channel } from '../sync/channel.ts';
import type { TerminalHostData } from '../sync/host-data.ts';
import { dropImported } from '../sync/importing.ts';
import type { Sync } from '../sync/sync.ts';
import { turnDuration } from '../sync/turn-time.ts';
import { failurePart } from './failure.ts';
import type { TurnParts } from './parts.ts';

/**
 * Ends turns, session creations and imports that an earlier host left open, by ordinary journaled actions,
 * before clients can connect [CONN-8]. Keeps partial responses. Does not start queued messages. Turns whose agent can continue them
 * become resumable [CONN-22].
 *
 * Calls `recoverTerminals` first with the open terminals, which are not loaded. `areAll` is false if an
 * unreadable channel may be a terminal too.
 *
 * Rejects with the journal's error if the journal cannot be written, because clients would see work as
 * running that has ended.
 */
export async function recoverOpen(
  { sync, log, agents }: Pick<TurnParts, 'sync' | 'log' | 'agents'>,
  recoverTerminals: (
    terminals: readonly { readonly uri: string; readonly hostData: TerminalHostData }[],
    areAll: boolean,
  ) => Promise<void>,
): Promise<void> {
  const error = { errorType: 'hostRestarted', message: 'The host was restarted while this was running' };
  const cutImport = {
    errorType: 'importInterrupted',
    message: 'The host was restarted while this session was imported: import it again',
  };
  const endedAt = sync.lastRunTime;
  let failure: { readonly error: unknown } | undefined;
  sync.path.onHealth((present) => {
    failure = present;
  });
  const open = new Map<string, Channel | undefined>();
  const terminals = new Map<string, TerminalHostData>();
  const unread = new Set<string>();
  for (const uri of await sync.journal.listOpen()) {
    const found = await readOr(log, uri, () => readOpen(sync, uri));
    if (found === 'unreadable') unread.add(uri);
    else if (found === undefined || found instanceof Channel) {
      open.set(uri, found);
      // Its agent decides whether a turn of the chat is resumable.
      const { session } = found ?? {};
      if (session !== undefined) await readOr(log, session, () => sync.registry.openOf('session', session));
    } else terminals.set(uri, found);
  }
  await recoverTerminals(
    [...terminals].map(([uri, hostData]) => ({ uri, hostData })),
    unread.size === 0,
  );
  const end = (uri: string, channel: Channel | undefined): void => {
    sync.transact('host', (tx) => {
      if (channel?.is('session') === true && channel.state.lifecycle === 'creating') {
        const isImport = channel.hostData.importing !== undefined;
        tx.emit(channel, { type: 'session/creationFailed', error: isImport ? cutImport : error });
        dropImported(tx, sync, channel);
      }
      if (channel?.is('chat') === true && channel.state.activeTurn !== undefined) {
        const { id: turnId } = channel.state.activeTurn;
        const duration = turnDuration(sync, channel, endedAt);
        const part = failurePart({ sync, agents }, channel, error);
        tx.emit(channel, { type: 'chat/error', turnId, duration, part });
      }
      // Its clients may reconnect. `Membership` and `Unlisted` remove the mark.
      if (channel?.is('session') !== true || !isAwaited(channel)) tx.write({ op: 'markClosed', uri });
    });
    log.info({ uri }, 'ended work that an earlier host left open');
  };
  for (const [uri, channel] of open) end(uri, channel);
  // An unreadable channel may become readable later. It would then show work as running that no host part
  // would end.
  sync.registry.onLoaded((channel) => {
    if (unread.delete(channel.uri) && !channel.is('terminal')) end(channel.uri, channel);
  });
  await sync.path.drain();
  if (failure !== undefined) throw failure.error;
}

/** Marks chats with an open turn in the journal, so that the next start finds them without a scan. */
export function markOpenTurns(sync: Sync): void {
  sync.observe('chat', (tx, { channel, before, after }) => {
    const wasOpen = before.activeTurn !== undefined;
    const isOpen = after.activeTurn !== undefined;
    if (wasOpen !== isOpen) tx.write({ op: isOpen ? 'markOpen' : 'markClosed', uri: channel.uri });
  });
}

/**
 * Reads a channel that may be damaged. A damaged channel must not prevent the start: it stays marked and is
 * read again when it is used, or at the next start.
 */
async function readOr<T>(log: Log, uri: string, read: () => Promise<T>): Promise<T | 'unreadable'> {
  try {
    return await read();
  } catch (error) {
    log.error({ error, uri }, 'cannot read a channel that an earlier host left open');
    return 'unreadable';
  }
}

/** The kind comes from the row and not from the URI, whose scheme clients choose. */
async function readOpen(sync: Sync, uri: string): Promise<Channel | TerminalHostData | undefined> {
  const head = await sync.journal.readChannelHead(uri);
  // This host wrote the value after validation.
  return head?.kind === 'terminal' ? JSON.parse(head.local) : sync.registry.open(uri);
}
