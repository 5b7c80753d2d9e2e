import type { ChatAction, Message } from '@agenthost/protocol';
import type { Ids } from '../../lib/clock.ts';
import type { Channel } from '../../sync/channel.ts';
import type { Sync } from '../../sync/sync.ts';
import type { TurnSupervisor } from '../../turns/supervisor.ts';
import type { Caller, ChannelModule } from '../module.ts';
import { queueSteering, startQueued } from './queue.ts';
import { checkChatAction } from './rules.ts';
import { alignWindows, type CutPoint, findCut } from './truncate.ts';

/** What clients may do on a chat, and what the host does about it. */
export function chatModule(parts: {
  sync: Sync;
  ids: Ids;
  turns: TurnSupervisor;
  /** Remembers in whose language labels are made [CHAT-19]. */
  setLocale(chat: string, locale: string): void;
}): ChannelModule<'chat'> {
  const { sync, turns, ids } = parts;
  const cuts = new Map<ChatAction, CutPoint>();
  const archived = new Set<ChatAction>();
  observeTurns(sync, ids, turns);
  return {
    prepare: (chat, action) => {
      const isPaged = chat.local.turnCount > chat.state.turns.length;
      if (action.type === 'chat/turnStarted' && isPaged) {
        return sync.journal.findTurn(chat.uri, action.turnId).then((ordinal) => {
          if (ordinal !== undefined) archived.add(action);
        });
      }
      const { turnId } = action.type === 'chat/truncated' ? action : { turnId: undefined };
      if (turnId === undefined) return undefined;
      return readCut(sync, chat, turnId).then((cut) => {
        if (cut !== undefined) cuts.set(action, cut);
      });
    },
    check: (chat, action, caller) =>
      checkChatAction(
        { sync, chat, state: chat.state, caller, isArchived: () => archived.delete(action) },
        action,
      ),
    before: (chat, action) => {
      const cut = cuts.get(action);
      cuts.delete(action);
      if (cut !== undefined && cut.historyVersion === chat.historyVersion) alignWindows(sync, chat, cut);
    },
    after: (chat, action, caller) => follow(parts, chat, action, caller),
  };
}

/** Commits first, so that the rows read are those of the present state. */
const readCut = async (sync: Sync, chat: Channel<'chat'>, turnId: string): Promise<CutPoint | undefined> =>
  sync.path.boundary(
    () => undefined,
    () => findCut(sync, chat, turnId),
  );

function follow(
  { sync, ids, turns, setLocale }: Parameters<typeof chatModule>[0],
  chat: Channel<'chat'>,
  action: ChatAction,
  caller: Caller,
): void {
  const { uri } = chat;
  switch (action.type) {
    case 'chat/turnStarted':
      setLocale(uri, caller.locale);
      clearDraft(sync, chat, action.message);
      return;
    case 'chat/pendingMessageSet':
      clearDraft(sync, chat, action.message);
      if (action.kind === 'queued') startQueued(sync, ids, chat);
      else if (chat.state.activeTurn !== undefined) queueSteering(sync, chat, action);
      return;
    case 'chat/queuedMessagesReordered':
      startQueued(sync, ids, chat);
      return;
    case 'chat/turnCancelled':
      sync.path.effect(() => turns.stop(uri, action.turnId));
      return;
    case 'chat/toolCallConfirmed':
      sync.path.effect(() => turns.answered(uri, action));
      return;
    case 'chat/toolCallResultConfirmed':
      sync.path.effect(() => turns.resultAnswered(uri, action));
      return;
    default:
  }
}

/** A draft that was just sent goes [CHAT-14]. */
function clearDraft(sync: Sync, chat: Channel<'chat'>, sent: Message): void {
  if (chat.state.draft?.text === sent.text) sync.emit(chat, { type: 'chat/draftChanged' });
}

/** What follows from turns whoever started or ended them: the agent gets a new one, the queue goes on after a complete one. */
function observeTurns(sync: Sync, ids: Ids, turns: TurnSupervisor): void {
  sync.observe('chat', ({ channel, action, before, after }) => {
    if (action.type === 'chat/turnStarted') {
      const { uri } = channel;
      sync.path.effect(() => turns.start(uri, action.turnId));
      const steering = channel.state.steeringMessage;
      if (steering !== undefined) queueSteering(sync, channel, steering);
    }
    if (action.type === 'chat/truncated' && before !== after)
      sync.path.effect(() => turns.forget(channel.uri));
    if (action.type === 'chat/turnComplete') startQueued(sync, ids, channel);
  });
}
