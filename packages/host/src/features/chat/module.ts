import type { ChatAction, Message } from '@agenthost/protocol';
import type { AgentRegistry } from '../../agents/registry.ts';
import { type Caller, type ChannelModule, type Planned, reject } from '../../handler-port/channel-module.ts';
import type { Ids } from '../../lib/clock.ts';
import type { Channel } from '../../sync/channel.ts';
import type { Sync } from '../../sync/sync.ts';
import type { Tx } from '../../sync/tx.ts';
import { windowOf } from '../../sync/window.ts';
import { hasUnpinned, pinChats } from '../../turns/contents/attached-chats.ts';
import { type AttachmentStore, waitingContents } from '../../turns/contents/attachment-store.ts';
import type { ContentStore } from '../../turns/contents/content-store.ts';
import type { Drain } from '../../turns/drain.ts';
import { canResume } from '../../turns/failure.ts';
import type { TurnLocales } from '../../turns/locales.ts';
import type { TurnSupervisor } from '../../turns/supervisor.ts';
import { failDeniedCall, fitClientResult } from './client-tools.ts';
import { forgetHistory, startQueued } from './queue.ts';
import { checkChatAction } from './rules.ts';
import { alignWindows, type CutPoint, findCut, findResumed, isIncomplete, lacksResumed } from './truncate.ts';

/** Plans the actions of clients on a chat. */
export function chatModule(parts: {
  sync: Sync;
  ids: Ids;
  agents: AgentRegistry;
  turns: TurnSupervisor;
  contents: ContentStore;
  attachments: AttachmentStore;
  drain: Drain;
  /** The languages of labels [CHAT-19]. */
  locales: TurnLocales;
}): ChannelModule<'chat'> {
  return {
    plan: (chat, action, caller) => {
      const isSent = action.type === 'chat/turnStarted' || action.type === 'chat/pendingMessageSet';
      if (!isSent || !hasUnpinned(action.message)) return planAction(parts, chat, { action, caller });
      return pinChats(parts.sync, action.message).then((pinned) => () => {
        if ('unknown' in pinned) return reject('unknownChat', `There is no chat ${pinned.unknown} to attach`);
        return planAction(parts, chat, { action: { ...action, message: pinned.message }, caller });
      });
    },
  };
}

type Parts = Parameters<typeof chatModule>[0];

/** `found`: data from disk about the action, from an earlier call. */
function planAction(
  parts: Parts,
  chat: Channel<'chat'>,
  { action, caller }: { action: ChatAction; caller: Caller },
  found?: Lookup,
): Planned<'chat'> {
  const { sync, turns, attachments, contents } = parts;
  const looking = isPresent(chat, found) ? undefined : lookUp(sync, chat, action);
  if (looking !== undefined)
    return looking.then((next) => () => planAction(parts, chat, { action, caller }, next));
  const cut = found?.cut;
  const rejection = checkChatAction(
    {
      sync,
      chat,
      state: chat.state,
      caller,
      isDraining: parts.drain.isOn,
      isArchived: () => found?.isArchived === true,
      hasCut: () => cut !== undefined,
      canResume: () => canResume(parts, chat),
      lastTurn: cut?.turns?.at(-1) ?? chat.state.turns.at(-1),
    },
    action,
  );
  if (rejection !== undefined)
    return { ...rejection, after: (tx) => failDeniedCall(tx, chat, action, caller) };
  return {
    action: (tx) => fitMessage(tx, attachments, chat, fitClientResult(contents, chat, action)),
    before: (tx) => {
      if (cut === undefined) return;
      const isCut = alignWindows(tx, sync, chat, cut);
      // A resumed turn stays in the history.
      if (isCut && action.type === 'chat/truncated') forgetHistory(tx, turns, chat);
    },
    after: (tx) => follow(tx, parts, chat, { action, caller }),
  };
}

/**
 * Data from disk about an action. Valid until the history is cut or a turn ends, because an ended turn may
 * have left memory.
 */
interface Lookup {
  readonly historyVersion: number;
  readonly turnCount: number;
  /** The position of a truncation's cut, or of a resumed turn; `undefined` if there is no such turn. */
  readonly cut?: CutPoint | undefined;
  /** True if a turn with this id is on disk. */
  readonly isArchived?: boolean;
}

const isPresent = (chat: Channel<'chat'>, found: Lookup | undefined): boolean =>
  found?.historyVersion === chat.historyVersion &&
  found.turnCount === chat.hostData.turnCount &&
  !isIncomplete(chat, found.cut);

function lookUp(sync: Sync, chat: Channel<'chat'>, action: ChatAction): Promise<Lookup> | undefined {
  if (action.type === 'chat/turnResume') return lookUpResumed(sync, chat);
  const turnId =
    action.type === 'chat/turnStarted' || action.type === 'chat/truncated' ? action.turnId : undefined;
  if (turnId === undefined) return undefined;
  const isPaged = chat.hostData.turnCount > chat.state.turns.length;
  if (action.type === 'chat/turnStarted' && !isPaged) return undefined;
  // Commit first, so that the rows match the state.
  return sync.path.boundary(
    () => ({
      historyVersion: chat.historyVersion,
      turnCount: chat.hostData.turnCount,
      at: windowOf(chat),
    }),
    async ({ historyVersion, turnCount, at }) => {
      if (action.type === 'chat/truncated') {
        return { historyVersion, turnCount, cut: await findCut(sync, chat, at, turnId) };
      }
      return {
        historyVersion,
        turnCount,
        isArchived: (await sync.journal.findTurn(chat.uri, turnId)) !== undefined,
      };
    },
  );
}

/** The last turns, when a window lacks one that a resumption needs. */
function lookUpResumed(sync: Sync, chat: Channel<'chat'>): Promise<Lookup> | undefined {
  if (chat.state.activeTurn !== undefined || !lacksResumed(chat)) return undefined;
  // Commit first, so that the rows match the state.
  return sync.path.boundary(
    () => ({ historyVersion: chat.historyVersion, turnCount: chat.hostData.turnCount }),
    async (at) => ({ ...at, cut: await findResumed(sync, chat) }),
  );
}

function follow(
  tx: Tx,
  parts: Parts,
  chat: Channel<'chat'>,
  { action, caller }: { action: ChatAction; caller: Caller },
): void {
  const { turns, locales } = parts;
  const { uri } = chat;
  switch (action.type) {
    case 'chat/turnResume':
      locales.started(uri, caller.locale);
      return;
    case 'chat/turnStarted':
      locales.started(uri, caller.locale);
      clearDraft(tx, chat, action.message);
      return;
    case 'chat/pendingMessageSet':
      locales.pending(tx, chat, action.id, caller.locale);
      clearDraft(tx, chat, action.message);
      if (action.kind === 'queued') startQueued(tx, parts, chat);
      else tx.effect(() => turns.steer(uri));
      return;
    case 'chat/queuedMessagesReordered':
      startQueued(tx, parts, chat);
      return;
    case 'chat/turnCancelled':
      tx.effect(() => turns.stop(uri, action.turnId));
      return;
    case 'chat/toolCallConfirmed':
      tx.effect(() => turns.answered(uri, action));
      return;
    case 'chat/toolCallResultConfirmed':
      tx.effect(() => turns.resultAnswered(uri, action));
      return;
    case 'chat/workingDirectorySet':
    case 'chat/workingDirectoryRemoved':
      tx.effect(() => turns.directoriesChanged([uri]));
      return;
    case 'chat/inputCompleted':
      tx.effect(() => turns.inputCompleted(uri, action.requestId));
      return;
    default:
  }
}

/** Clears a draft that was just sent [CHAT-14]. */
function clearDraft(tx: Tx, chat: Channel<'chat'>, sent: Message): void {
  if (chat.state.draft?.text === sent.text) tx.emit(chat, { type: 'chat/draftChanged' });
}

/** A client's action with large attachments of its message replaced by references. */
function fitMessage(
  tx: Tx,
  attachments: AttachmentStore,
  chat: Channel<'chat'>,
  action: ChatAction,
): ChatAction {
  const place = { session: chat.session ?? '', chat: chat.uri };
  switch (action.type) {
    case 'chat/turnStarted': {
      const message = attachments.storeForTurn(tx, place, action.message, action.turnId);
      return message === action.message ? action : { ...action, message };
    }
    case 'chat/pendingMessageSet': {
      const message = attachments.storeWaiting(tx, place, action.message, waitingContents(chat.state));
      return message === action.message ? action : { ...action, message };
    }
    case 'chat/draftChanged': {
      if (action.draft === undefined) return action;
      const draft = attachments.storeWaiting(tx, place, action.draft, waitingContents(chat.state));
      return draft === action.draft ? action : { ...action, draft };
    }
    default:
      return action;
  }
}
