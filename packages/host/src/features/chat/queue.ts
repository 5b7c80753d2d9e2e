import type { ChatState } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import type { Ids } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Channel } from '../../sync/channel.ts';
import type { Sync } from '../../sync/sync.ts';
import { startedNow } from '../../sync/turn-time.ts';
import type { Tx } from '../../sync/tx.ts';
import { forgetMemory } from '../../turns/agent/instructions.ts';
import type { AttachmentStore } from '../../turns/contents/attachment-store.ts';
import type { Drain } from '../../turns/drain.ts';
import type { TurnSupervisor } from '../../turns/supervisor.ts';

interface QueueParts {
  readonly sync: Sync;
  readonly ids: Ids;
  readonly attachments: AttachmentStore;
  readonly drain: Drain;
}

/**
 * Starts the first queued message if the chat is idle [CHAT-12]. Returns the id of the started turn. While the host drains, the message waits for
 * the end of the drain or for the next host.
 */
export function startQueued(
  tx: Tx,
  { sync, ids, attachments, drain }: QueueParts,
  chat: Channel<'chat'>,
): string | undefined {
  const head = chat.state.queuedMessages?.[0];
  if (head === undefined || chat.state.activeTurn !== undefined) return undefined;
  const session = sync.registry.getOf('session', chat.session ?? '');
  if (session?.state.lifecycle === 'failed') return undefined;
  if (drain.isOn) {
    drain.hold(tx, chat.uri);
    return undefined;
  }
  const turnId = ids.next();
  const message = attachments.storeForTurn(
    tx,
    { session: session?.uri ?? '', chat: chat.uri },
    head.message,
    turnId,
  );
  tx.emit(chat, { type: 'chat/pendingMessageRemoved', kind: 'queued', id: head.id });
  tx.emit(chat, {
    type: 'chat/turnStarted',
    turnId,
    startedAt: startedNow(sync),
    message,
    queuedMessageId: head.id,
    ...defined({ 'x-by': head['x-by'] }),
  });
  return turnId;
}

/** Passes each started turn to its agent, and starts the next queued message after a completed turn. */
export function observeTurns(parts: QueueParts & { readonly turns: TurnSupervisor }): void {
  const { sync, turns } = parts;
  sync.observe('chat', (tx, { channel, action, before, after, origin }) => {
    const ended = before.activeTurn?.id;
    if (origin !== undefined && ended !== undefined && after.activeTurn?.id !== ended) {
      // If the commit fails, the turn is open again, and its start may have been skipped meanwhile.
      tx.undo(() => sync.path.afterTurn(() => turns.start(channel.uri, ended)));
    }
    if (action.type === 'chat/turnResume') closeRequests(tx, channel);
    if (action.type === 'chat/turnStarted' || action.type === 'chat/turnResume') {
      const { uri } = channel;
      tx.effect(() => turns.start(uri, action.turnId));
    }
    if (action.type === 'chat/truncated' && isShorter(before, after)) forgetHistory(tx, turns, channel);
    if (action.type === 'chat/turnComplete') startQueued(tx, parts, channel);
  });
}

/** Starts the queues that a drain has held, also those that an earlier host has held. */
export function resumeQueues(parts: QueueParts & { readonly log: Log }): void {
  const { sync, drain, log } = parts;
  const start = async (uri: string): Promise<void> => {
    const chat = await sync.registry.openOf('chat', uri);
    if (drain.isOn || drain.isStopped) return;
    sync.transact('host', (tx) => {
      drain.release(tx, uri);
      if (chat?.isAlive === true) startQueued(tx, parts, chat);
    });
  };
  for (const uri of drain.heldChats)
    start(uri).catch((error: unknown) => log.error({ error, chat: uri }, 'could not start a held queue'));
}

/** Cancels the input requests that a resumed turn left open: the agent no longer waits for them [CHAT-29]. */
function closeRequests(tx: Tx, chat: Channel<'chat'>): void {
  for (const part of chat.state.activeTurn?.responseParts ?? []) {
    if (part.kind !== 'inputRequest' || part.response !== undefined) continue;
    tx.emit(chat, { type: 'chat/inputCompleted', requestId: part.request.id, response: 'cancel' });
  }
}

const isShorter = (before: ChatState, after: ChatState): boolean =>
  before.turns.length > after.turns.length ||
  // The older turns, which are not in memory, were removed too.
  (before.turnsNextCursor !== undefined && after.turnsNextCursor === undefined) ||
  (before.activeTurn !== undefined && after.activeTurn === undefined);

/**
 * Removes the agent's memory in the tick that cuts the history, so that a kill cannot separate the two
 * [CHAT-6].
 */
export function forgetHistory(tx: Tx, turns: TurnSupervisor, chat: Channel<'chat'>): void {
  forgetMemory(tx, chat);
  tx.effect(() => turns.forget(chat.uri));
}
