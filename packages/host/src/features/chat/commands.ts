import {
  alreadyExists,
  type ChatSummary,
  type CreateChatParams,
  conflict,
  type FetchTurnsResult,
  findChat,
  invalidParam,
  invalidParams,
  type Message,
  notFound,
  sessionNotFound,
} from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import type { AgentRegistry } from '../../agents/registry.ts';
import type { Caller } from '../../handler-port/channel-module.ts';
import type { Commands } from '../../handler-port/commands.ts';
import { checkNewUri } from '../../handler-port/new-uri.ts';
import { openChat } from '../../handler-port/open-chat.ts';
import type { Ids } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { checkRoom } from '../../sessions/chat-room.ts';
import { removeChat } from '../../sessions/disposal.ts';
import { modelProblem } from '../../sessions/model-rule.ts';
import type { Channel } from '../../sync/channel.ts';
import { JournalUnavailable } from '../../sync/commit-path.ts';
import { createChat, type ForkPoint, forkTitle, isCurrent } from '../../sync/fork.ts';
import { newChat, summaryOf } from '../../sync/new-chat.ts';
import { moveWindow } from '../../sync/subscription.ts';
import type { Sync } from '../../sync/sync.ts';
import { startedNow } from '../../sync/turn-time.ts';
import type { Tx } from '../../sync/tx.ts';
import {
  cursorBefore,
  findOrdinal,
  hasOlder,
  ordinalOfCursor,
  readTurn,
  turnsLoaded,
  windowOf,
} from '../../sync/window.ts';
import { hasUnpinned, pinChats } from '../../turns/contents/attached-chats.ts';
import type { AttachmentStore } from '../../turns/contents/attachment-store.ts';
import { DRAINING, type Drain } from '../../turns/drain.ts';
import type { TurnLocales } from '../../turns/locales.ts';
import type { TurnSupervisor } from '../../turns/supervisor.ts';
import { findChatFork } from './fork.ts';
import { copyContext, findSideChat, type SideChatStart, storeContext } from './side-chat.ts';

/** Maximum number of turns in one answer to `fetchTurns`, and bytes of their JSON. */
const PAGE_TURNS = 50;
const PAGE_BYTES = 8 * 1024 * 1024;

export interface ChatParts {
  readonly sync: Sync;
  readonly ids: Ids;
  readonly agents: AgentRegistry;
  readonly turns: TurnSupervisor;
  /** The languages of labels [CHAT-19]. */
  readonly locales: TurnLocales;
  readonly attachments: AttachmentStore;
  readonly log: Log;
  readonly drain: Drain;
  /** Validates a working directory (`file:` URI), in the order of [SESS-1]. */
  resolveDirectory(uri: string, caller: Caller): Promise<{ uri: string }>;
}

/** `createChat`, `disposeChat`, `fetchTurns` [CHAT-1] [CHAT-15]. */
export function chatCommands(parts: ChatParts): Commands {
  return {
    createChat: async (params, caller) => {
      const { channel, chat, source } = params;
      const { sync } = parts;
      const initialMessage = params.initialMessage && (await pinned(sync, params.initialMessage));
      const session = await sync.registry.openOf('session', channel);
      if (session === undefined) throw sessionNotFound(channel);
      checkNewUri('chat', chat, 'chat');
      checkRoom(session);
      const { capabilities } = parts.agents.get(session.state.provider).describe();
      if (capabilities?.multipleChats === undefined) {
        throw invalidParams(`Agent ${session.state.provider} supports one chat per session`);
      }
      if (source !== undefined && capabilities.multipleChats[source.kind] !== true) {
        const ability = source.kind === 'fork' ? 'fork chats' : 'start side chats';
        throw invalidParams(`Agent ${session.state.provider} cannot ${ability} (params.source)`);
      }
      if (session.state.lifecycle === 'failed') throw invalidParams('The session could not be created');
      if (session.hostData.importing !== undefined)
        throw invalidParams('The session is being imported: wait until it is ready');
      if (initialMessage !== undefined && initialMessage.origin.kind !== 'user') {
        throw invalidParam('initialMessage.origin.kind', 'expected user');
      }
      if (initialMessage !== undefined) {
        const agent = sync.root.state.agents.find(({ provider }) => provider === session.state.provider);
        const problem = modelProblem(initialMessage, agent);
        if (problem !== undefined) throw invalidParam('initialMessage.model.id', problem);
      }
      if ((await sync.registry.open(chat)) !== undefined) throw alreadyExists('Chat', chat);
      const workingDirectories = source?.kind === 'fork' ? undefined : chosenDirectories(session, params);
      // Agents choose the folders of worker chats, so the caller's access to such a folder is checked.
      for (const uri of workersFolders(session, source?.chat)) await parts.resolveDirectory(uri, caller);
      for (;;) {
        const fork = source?.kind === 'fork' ? await findChatFork(sync, channel, source) : undefined;
        const side = source?.kind === 'sideChat' ? await findSideChat(sync, channel, source) : undefined;
        // Meanwhile another client may have created the chat, disposed of the session or cut the source.
        if (sync.registry.get(chat) !== undefined) throw alreadyExists('Chat', chat);
        if (!session.isAlive) throw sessionNotFound(channel);
        if (initialMessage !== undefined && parts.drain.isOn) throw conflict(DRAINING);
        checkRoom(session);
        if (fork !== undefined && !isCurrent(fork)) continue;
        sync.transact('client', (tx) =>
          addChat(tx, parts, session, {
            uri: chat,
            first: initialMessage,
            workingDirectories,
            fork,
            side,
            caller,
          }),
        );
        return null;
      }
    },
    disposeChat: async ({ channel }) => {
      const { sync } = parts;
      const chat = await sync.registry.openOf('chat', channel);
      const session = sync.registry.getOf('session', chat?.session ?? '');
      if (chat?.isAlive !== true || session === undefined) throw notFound('Chat', channel);
      if (session.hostData.importing !== undefined)
        throw invalidParams('The session is being imported: wait until it is ready');
      const full = fullChats(session);
      if (full.length === 1 && full[0]?.resource === channel) {
        throw invalidParams('The last full chat of a session cannot be disposed; dispose the session');
      }
      sync.transact('client', (tx) => {
        removeChat(tx, parts, session, chat);
        keepDefault(tx, session);
      });
      return null;
    },
    fetchTurns: async ({ channel, cursor, before, limit }, caller) => {
      const chat = await openChat(parts.sync, channel);
      if (before !== undefined || limit !== undefined) return readPage(parts.sync, chat, before, limit);
      return sendOlder(parts.sync, chat, caller, cursor);
    },
  };
}

/** The first message of a new chat, with the last turn of each attached chat. Throws `-32008` if there is no such chat [CHAT-40]. */
async function pinned(sync: Sync, given: Message): Promise<Message> {
  if (!hasUnpinned(given)) return given;
  const result = await pinChats(sync, given);
  if ('unknown' in result) throw notFound('Chat', result.unknown);
  return result.message;
}

/** The folders of a worker chat; none for other chats. */
const workersFolders = (session: Channel<'session'>, chat: string | undefined): readonly string[] => {
  const entry = chat === undefined ? undefined : findChat(session.state.chats, chat);
  return entry?.origin?.kind === 'tool' ? (entry.workingDirectories ?? []) : [];
};

/** The directories for a new chat. Throws `-32602` if one is not the session's [CHAT-38]. */
function chosenDirectories(
  { uri, state }: Channel<'session'>,
  { workingDirectories }: Pick<CreateChatParams, 'workingDirectories'>,
): string[] | undefined {
  const { workingDirectories: known = [] } = state;
  const index = workingDirectories?.findIndex((directory) => !known.includes(directory)) ?? -1;
  if (index >= 0)
    throw invalidParam(`workingDirectories[${index}]`, `is not among the working directories of ${uri}`);
  return workingDirectories && [...new Set(workingDirectories)];
}

function addChat(
  tx: Tx,
  { sync, ids, locales, attachments }: ChatParts,
  session: Channel<'session'>,
  {
    uri,
    first,
    fork,
    side,
    workingDirectories,
    caller,
  }: {
    uri: string;
    first: Message | undefined;
    fork: ForkPoint | undefined;
    side: SideChatStart | undefined;
    workingDirectories: string[] | undefined;
    caller: Caller;
  },
): void {
  const from = fork?.source.uri ?? side?.origin.chat;
  const source = from === undefined ? undefined : findChat(session.state.chats, from);
  const state = newChat({
    resource: uri,
    modifiedAt: new Date(sync.stamp()).toISOString(),
    workingDirectories: workingDirectories ?? source?.workingDirectories,
    movable: true,
    ...defined({
      title: fork && source && forkTitle(source.title),
      origin: side?.origin ?? (fork && { kind: 'fork' as const, chat: fork.source.uri, turnId: fork.turnId }),
    }),
  });
  const place = { session: session.uri, chat: uri };
  const chat = createChat(tx, sync, { session: session.uri, state, point: fork });
  const context =
    side === undefined
      ? copyContext(tx, ids, place, fork?.source)
      : storeContext(tx, ids, place, side.context);
  if (context !== undefined) tx.setHostData(chat, { ...chat.hostData, context });
  tx.emit(session, { type: 'session/chatAdded', summary: summaryOf(state) });
  if (first === undefined) return;
  const turnId = ids.next();
  const message = attachments.storeForTurn(tx, place, first, turnId);
  tx.emit(chat, {
    type: 'chat/turnStarted',
    turnId,
    startedAt: startedNow(sync),
    message,
    ...defined({ 'x-by': caller.author }),
  });
  locales.started(uri, caller.locale);
}

/** The chats that users can write to, in the order of the list. */
const fullChats = (session: Channel<'session'>): ChatSummary[] =>
  session.state.chats.filter(({ interactivity = 'full' }) => interactivity === 'full');

/** Replaces the default chat of a session that has lost it. */
function keepDefault(tx: Tx, session: Channel<'session'>): void {
  if (session.state.defaultChat !== undefined) return;
  const [next] = fullChats(session);
  if (next === undefined) return;
  tx.emit(session, { type: 'session/defaultChatChanged', defaultChat: next.resource });
}

/** Sends the turns before a window to its subscriber alone, and extends the window. */
async function sendOlder(
  sync: Sync,
  chat: Channel<'chat'>,
  caller: Caller,
  cursor: string | undefined,
): Promise<FetchTurnsResult> {
  const asked = cursor === undefined ? undefined : ordinalOfCursor(cursor);
  if (cursor !== undefined && (asked === undefined || asked > chat.hostData.turnCount)) {
    throw invalidParam('cursor', 'unknown');
  }
  const subscription = chat.subscriptions.get(caller.sink);
  if (subscription === undefined) return {};
  // Ignores the position of the cursor. The cursor of a longer window would leave a gap, and that of a
  // shorter window would repeat turns.
  const before = subscription.fromOrdinal;
  if (before === 0) return {};
  let isDropped = false;
  await sync.path.boundary(
    () => chat.historyVersion,
    async (historyVersion) => {
      const rows = await sync.journal.readTurns(chat.uri, {
        before,
        limit: PAGE_TURNS,
        maxBytes: PAGE_BYTES,
      });
      const oldest = rows[0]?.ordinal ?? before;
      const isMore = rows.length > 0 && (await hasOlder(sync.journal, chat.uri, oldest));
      // The history was cut meanwhile: the client was told, and the turns that were read may no longer exist.
      if (chat.historyVersion !== historyVersion) return;
      // The client has subscribed again and has a new window.
      if (chat.subscriptions.get(caller.sink) !== subscription) return;
      // The position must be durable before the turns are sent. After a kill the host must know the start of
      // the window.
      const takeBack = moveWindow(
        subscription,
        Math.min(subscription.fromOrdinal, oldest),
        sync.sequencer.following,
      );
      sync.sendPrivate(
        caller.sink,
        {
          channel: chat.uri,
          action: turnsLoaded(rows.map(readTurn), isMore ? cursorBefore(oldest) : undefined),
        },
        () => {
          takeBack();
          isDropped = true;
        },
      );
    },
  );
  if (isDropped) throw new JournalUnavailable(sync.path.trouble);
  return {};
}

async function readPage(
  sync: Sync,
  chat: Channel<'chat'>,
  before: string | undefined,
  limit: number | undefined,
): Promise<FetchTurnsResult> {
  const ordinal = before === undefined ? undefined : await findOrdinal(sync.journal, windowOf(chat), before);
  if (before !== undefined && ordinal === undefined)
    throw invalidParam('before', 'no such turn in this chat');
  if (limit !== undefined && limit < 1) throw invalidParam('limit', 'expected an integer of at least 1');
  const rows = await sync.afterCommit(() =>
    sync.journal.readTurns(chat.uri, {
      ...defined({ before: ordinal }),
      limit: Math.min(limit ?? PAGE_TURNS, 1_000),
      maxBytes: PAGE_BYTES,
    }),
  );
  const hasMore = await hasOlder(sync.journal, chat.uri, rows[0]?.ordinal ?? 0);
  return { turns: rows.map(readTurn), hasMore };
}
