import {
  type ChatState,
  type ChatSummary,
  findById,
  findChat,
  findOpenRequest,
  type SessionInputRequest,
  SessionStatus,
} from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import type { Channel } from '../../sync/channel.ts';
import type { Sync } from '../../sync/sync.ts';
import type { Change, Tx } from '../../sync/tx.ts';
import { findToolCall } from '../../turns/tools/tool-call.ts';
import { titleFrom } from './title.ts';

/** Actions of chats that make the session unread. */
const MAKES_UNREAD: ReadonlySet<string> = new Set([
  'chat/turnStarted',
  'chat/turnResume',
  'chat/inputRequested',
]);

/** Mirrors changes of chats into their session, in the same cause [SESS-5] [SESS-6] [SESS-7]. */
export function mirrorChats(sync: Sync): void {
  sync.observe('chat', (tx, change) => {
    const session = sync.registry.getOf('session', change.channel.session ?? '');
    if (session === undefined) return;
    mirrorSummary(tx, session, change);
    mirrorInputNeeded(tx, session, change);
    if (change.action.type === 'chat/turnStarted' && change.action.message.origin.kind === 'user')
      nameFromMessage(tx, session, change.channel, change.action.message.text);
    if (MAKES_UNREAD.has(change.action.type)) clearRead(tx, session);
  });
  sync.observe('session', (tx, { channel, before, after, action }) => {
    if (before.activity === after.activity || action.type === 'session/activityChanged') return;
    const { activity } = after;
    tx.emit(channel, { type: 'session/activityChanged', ...defined({ activity }) });
  });
}

/** Mirrors a chat's summary. Title and interactivity belong to the session's list; the other members follow the chat [SESS-6]. */
function mirrorSummary(
  tx: Tx,
  session: Channel<'session'>,
  { channel, before, after }: Change<'chat'>,
): void {
  if (
    before.status === after.status &&
    before.activity === after.activity &&
    before.modifiedAt === after.modifiedAt &&
    before.workingDirectories === after.workingDirectories &&
    before.movable === after.movable
  )
    return;
  const entry = findChat(session.state.chats, channel.uri);
  if (entry === undefined) return;
  if (after.activity === undefined && entry.activity !== undefined) {
    const { activity: _, ...rest } = entry;
    const summary: ChatSummary = { ...rest, status: after.status, modifiedAt: after.modifiedAt };
    tx.emit(session, { type: 'session/chatAdded', summary });
    return;
  }
  const changes: Partial<ChatSummary> = {
    ...(entry.status === after.status ? {} : { status: after.status }),
    ...(entry.modifiedAt === after.modifiedAt ? {} : { modifiedAt: after.modifiedAt }),
    ...(after.movable === undefined || entry.movable === after.movable ? {} : { movable: after.movable }),
    ...(after.activity === undefined || entry.activity === after.activity
      ? {}
      : { activity: after.activity }),
    ...(before.workingDirectories === after.workingDirectories
      ? {}
      : defined({ workingDirectories: after.workingDirectories })),
  };
  if (Object.keys(changes).length > 0)
    tx.emit(session, { type: 'session/chatUpdated', chat: channel.uri, changes });
}

/**
 * Adds an entry of `inputNeeded` for every open block of a chat, so that clients can answer with the session
 * alone [SESS-7].
 */
function mirrorInputNeeded(tx: Tx, session: Channel<'session'>, change: Change<'chat'>): void {
  const { channel, action, after } = change;
  // Agents choose the ids of both, and may use the same id twice.
  const keyOf = (kind: 'call' | 'input', id: string): string => `${channel.uri}#${kind}/${id}`;
  switch (action.type) {
    case 'chat/toolCallStart':
    case 'chat/toolCallReady':
    case 'chat/toolCallConfirmed':
    case 'chat/toolCallComplete':
    case 'chat/toolCallResultConfirmed':
    case 'chat/toolCallAuthRequired':
    case 'chat/toolCallAuthResolved':
    case 'chat/toolCallContentChanged': {
      const id = keyOf('call', action.toolCallId);
      setBlock(tx, session, id, toolBlock(channel.uri, after, action.toolCallId, id));
      return;
    }
    case 'chat/inputRequested':
    case 'chat/inputAnswerChanged':
    case 'chat/inputCompleted': {
      const requestId = action.type === 'chat/inputRequested' ? action.request.id : action.requestId;
      const request = findOpenRequest(after, requestId);
      const id = keyOf('input', requestId);
      setBlock(tx, session, id, request && { id, kind: 'chatInput', chat: channel.uri, request });
      return;
    }
    case 'chat/turnComplete':
    case 'chat/turnCancelled':
    case 'chat/error':
    case 'chat/truncated':
      // An action that changes nothing, such as a truncation at an unknown turn, closes no block.
      if (after.activeTurn === undefined) clearBlocks(tx, session, channel.uri);
      return;
    default:
  }
}

function toolBlock(
  chat: string,
  state: ChatState,
  toolCallId: string,
  id: string,
): SessionInputRequest | undefined {
  const turn = state.activeTurn;
  const toolCall = findToolCall(state, toolCallId);
  if (turn === undefined || toolCall === undefined) return undefined;
  if (toolCall.status === 'pending-confirmation' || toolCall.status === 'pending-result-confirmation') {
    return { id, kind: 'toolConfirmation', chat, turnId: turn.id, toolCall };
  }
  if (toolCall.status === 'auth-required')
    return { id, kind: 'toolAuthentication', chat, turnId: turn.id, toolCall };
  if (toolCall.status === 'running' && toolCall.contributor?.kind === 'client') {
    const { clientId } = toolCall.contributor;
    return { id, kind: 'toolClientExecution', chat, turnId: turn.id, clientId, toolCall };
  }
  return undefined;
}

function setBlock(
  tx: Tx,
  session: Channel<'session'>,
  id: string,
  request: SessionInputRequest | undefined,
): void {
  if (request !== undefined) tx.emit(session, { type: 'session/inputNeededSet', request });
  else if (findById(session.state.inputNeeded, id) !== undefined) {
    tx.emit(session, { type: 'session/inputNeededRemoved', id });
  }
}

/** Removes all open blocks of a chat. */
function clearBlocks(tx: Tx, session: Channel<'session'>, chat: string): void {
  // The last one first, because the list is searched from its end.
  for (const { id } of (session.state.inputNeeded ?? [])
    .filter((entry) => entry.chat === chat)
    .toReversed()) {
    tx.emit(session, { type: 'session/inputNeededRemoved', id });
  }
}

function clearRead(tx: Tx, session: Channel<'session'>): void {
  if ((session.state.status & SessionStatus.IsRead) !== 0) {
    tx.emit(session, { type: 'session/isReadChanged', isRead: false });
  }
}

/**
 * Sets the titles of a session and its chats from their first messages, unless they have titles [SESS-11].
 */
function nameFromMessage(tx: Tx, session: Channel<'session'>, chat: Channel<'chat'>, text: string): void {
  const title = titleFrom(text);
  if (title === '') return;
  const entry = findChat(session.state.chats, chat.uri);
  if (entry !== undefined && entry.title === '') {
    tx.setHostData(chat, { ...chat.hostData, titledBy: 'message' });
    tx.emit(session, { type: 'session/chatUpdated', chat: chat.uri, changes: { title } });
  }
  if (session.hostData.titledBy !== 'nobody') return;
  tx.setHostData(session, { ...session.hostData, titledBy: 'message' });
  tx.emit(session, { type: 'session/titleChanged', title });
}
