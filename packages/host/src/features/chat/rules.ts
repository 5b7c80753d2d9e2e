import {
  CHANNEL_LIMITS,
  type ChatAction,
  type ChatState,
  excessOf,
  findChat,
  findToolCallPart,
  lengthApart,
  type Message,
  type MessageOrigin,
  resumableTurn,
  type ToolCallState,
  type Turn,
  weightOf,
} from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { type Caller, type Rejection, reject } from '../../handler-port/channel-module.ts';
import { modelProblem } from '../../sessions/model-rule.ts';
import type { Channel } from '../../sync/channel.ts';
import type { Sync } from '../../sync/sync.ts';
import { DRAINING } from '../../turns/drain.ts';
import { findToolCall } from '../../turns/tools/tool-call.ts';
import { checkAnswerChanged, checkCompleted } from './input-rules.ts';

type Of<T extends ChatAction['type']> = Extract<ChatAction, { type: T }>;

/** Data that the rules check besides the action. */
interface Situation {
  readonly sync: Sync;
  readonly chat: Channel<'chat'>;
  readonly state: ChatState;
  readonly caller: Caller;
  /** Whether no turn may start now, because the host is about to stop. */
  readonly isDraining: boolean;
  /** Whether a turn with this id is on disk outside of the window, if this was looked up. */
  isArchived(turnId: string): boolean;
  /** Whether the last turn that a truncation keeps was found. */
  hasCut(): boolean;
  /** Whether the chat's agent can continue a failed turn. In a fork it may know nothing of a turn that was copied. */
  canResume(): boolean;
  /** The last ended turn of the chat, which may be outside of the window. */
  readonly lastTurn: Turn | undefined;
}

/**
 * Why a client may not dispatch this action now; `undefined` if it may [CHAT-2] [CHAT-3] [CHAT-5] [CHAT-8].
 */
export function checkChatAction(situation: Situation, action: ChatAction): Rejection | undefined {
  const { sync, chat } = situation;
  if (sync.registry.getOf('session', chat.session ?? '')?.hostData.importing !== undefined)
    return reject('importing', 'The session is being imported: wait until it is ready');
  switch (action.type) {
    case 'chat/turnStarted':
      return notInteractive(situation) ?? checkTurnStarted(situation, action);
    case 'chat/pendingMessageSet':
      return (
        notInteractive(situation) ??
        notFromUser(action.message) ??
        checkModel(situation, action.message) ??
        checkRoom(situation, action)
      );
    case 'chat/draftChanged':
      return action.draft === undefined ? undefined : notFromUser(action.draft);
    case 'chat/truncated':
      return notInteractive(situation) ?? checkCut(situation, action.turnId);
    case 'chat/queuedMessagesReordered':
      return notInteractive(situation);
    case 'chat/pendingMessageRemoved':
      return notInteractive(situation) ?? checkPendingRemoved(situation, action);
    case 'chat/turnResume':
      return notInteractive(situation) ?? checkResume(situation, action.turnId);
    case 'chat/turnCancelled':
      return situation.state.activeTurn?.id === action.turnId ? undefined : noSuchTurn(action.turnId);
    case 'chat/toolCallConfirmed':
      return checkConfirmed(situation, action);
    case 'chat/toolCallResultConfirmed':
      return checkToolCall(situation, action, 'pending-result-confirmation').rejection;
    case 'chat/toolCallComplete':
    case 'chat/toolCallContentChanged':
      return checkContributed(situation, action);
    case 'chat/inputAnswerChanged':
      return checkAnswerChanged(situation.state, action);
    case 'chat/inputCompleted':
      return checkCompleted(situation.state, action);
    case 'chat/workingDirectorySet':
    case 'chat/workingDirectoryRemoved':
      return checkDirectory(situation, action);
    case 'chat/isArchivedChanged':
      return action.isArchived ? notDefault(situation) : undefined;
    default:
      return undefined;
  }
}

/** The default chat is archived together with its session [CHAT-42]. */
function notDefault({ sync, chat }: Situation): Rejection | undefined {
  const session = sync.registry.getOf('session', chat.session ?? '');
  return session?.state.defaultChat === chat.uri
    ? reject('defaultChat', 'The default chat cannot be archived: archive its session')
    : undefined;
}

/**
 * A truncation at an unknown turn changes nothing [CHAT-6]. It is rejected if turns were removed by
 * retention, because its sender may still show the turn.
 */
function checkCut({ chat, hasCut }: Situation, turnId: string | undefined): Rejection | undefined {
  if (turnId === undefined || chat.hostData.keptFrom === undefined || hasCut()) return undefined;
  return reject(
    'noSuchTurn',
    `The chat has no turn ${turnId}: older turns were removed (retention.turnsPerChat)`,
  );
}

/** A chat works in directories of its session only [SESS-23] [CHAT-41]. */
function checkDirectory(
  { sync, chat }: Situation,
  { type, directory }: Of<'chat/workingDirectorySet' | 'chat/workingDirectoryRemoved'>,
): Rejection | undefined {
  const session = sync.registry.getOf('session', chat.session ?? '')?.state;
  const agent = sync.root.state.agents.find(({ provider }) => provider === session?.provider);
  if (agent?.capabilities?.multipleWorkingDirectories === undefined)
    return reject('notSupported', `Agent ${session?.provider ?? ''} works in one directory per session`);
  return type === 'chat/workingDirectoryRemoved' || session?.workingDirectories?.includes(directory) === true
    ? undefined
    : reject('invalidDirectory', `${JSON.stringify(directory)} is not a working directory of the session`);
}

function notInteractive({ sync, chat }: Situation): Rejection | undefined {
  const session = sync.registry.getOf('session', chat.session ?? '');
  const entry = session && findChat(session.state.chats, chat.uri);
  const interactivity = entry?.interactivity ?? chat.state.interactivity ?? 'full';
  return interactivity === 'full' ? undefined : reject('notInteractive', `This chat is ${interactivity}`);
}

function notFromUser({ origin }: { origin: MessageOrigin }): Rejection | undefined {
  return origin.kind === 'user'
    ? undefined
    : reject('notUserMessage', `Clients send messages of kind user, not ${origin.kind}`);
}

/** Only the last turn can be resumed, when its error says so [CHAT-23]. */
function checkResume(situation: Situation, turnId: string): Rejection | undefined {
  if (situation.isDraining) return draining;
  const { activeTurn } = situation.state;
  const turns = situation.lastTurn === undefined ? [] : [situation.lastTurn];
  const isResumable = resumableTurn({ turns, ...defined({ activeTurn }) })?.id === turnId;
  return isResumable && situation.canResume()
    ? undefined
    : reject('notResumable', `Turn ${turnId} cannot be resumed`);
}

const draining = reject('draining', DRAINING);

const noSuchTurn = (turnId: string): Rejection =>
  reject('noSuchTurn', `Turn ${turnId} is not the active one`);

function checkModel({ sync, chat }: Situation, message: Message): Rejection | undefined {
  const session = sync.registry.getOf('session', chat.session ?? '');
  const agent = sync.root.state.agents.find(({ provider }) => provider === session?.state.provider);
  const problem = modelProblem(message, agent);
  return problem === undefined ? undefined : reject('unknownModel', problem);
}

function checkTurnStarted(situation: Situation, action: Of<'chat/turnStarted'>): Rejection | undefined {
  const { sync, chat, state, isArchived } = situation;
  const session = sync.registry.getOf('session', chat.session ?? '');
  if (session?.state.lifecycle === 'failed') {
    return reject('creationFailed', 'The session could not be created and accepts no turns');
  }
  if (!isTime(action.startedAt))
    return reject('invalidTime', `startedAt: expected an ISO 8601 time, got "${action.startedAt}"`);
  if (situation.isDraining) return draining;
  if (state.activeTurn !== undefined)
    return reject('turnActive', `Turn ${state.activeTurn.id} is still running`);
  if (state.turns.some(({ id }) => id === action.turnId) || isArchived(action.turnId)) {
    return reject('turnExists', `Turn ${action.turnId} already exists`);
  }
  return notFromUser(action.message) ?? checkModel(situation, action.message);
}

/** Whether a text is an ISO 8601 time that the reducers of all clients can parse [CHAT-20]. */
const isTime = (text: string): boolean =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/.test(text) &&
  !Number.isNaN(Date.parse(text));

/**
 * The whole queue is part of the state that each client gets. The limit is a number that people can still
 * overview.
 */
function checkRoom({ state }: Situation, action: Of<'chat/pendingMessageSet'>): Rejection | undefined {
  if (action.kind !== 'queued') return undefined;
  const { queuedMessages = [] } = state;
  const others = queuedMessages.filter(({ id }) => id !== action.id);
  const { queuedMessages: count, queuedLength } = CHANNEL_LIMITS;
  if (others.length >= count.max) {
    return reject(
      'queueFull',
      `At most ${count.max} messages can wait in a chat; remove one, or wait until one has started`,
    );
  }
  const length = weightOf(others) + weightOf(action.message) - lengthApart(action);
  return length > queuedLength.max
    ? reject('queueFull', `${excessOf(queuedLength, length)}; remove one, or wait until one has started`)
    : undefined;
}

function checkPendingRemoved(
  { state }: Situation,
  { kind, id }: Of<'chat/pendingMessageRemoved'>,
): Rejection | undefined {
  const isThere =
    kind === 'steering'
      ? state.steeringMessage?.id === id
      : state.queuedMessages?.some((each) => each.id === id) === true;
  return isThere ? undefined : reject('noSuchMessage', `There is no ${kind} message ${id}`);
}

function checkToolCall<S extends ToolCallState['status']>(
  { state }: Situation,
  { turnId, toolCallId }: { turnId: string; toolCallId: string },
  status: S,
):
  | { call: Extract<ToolCallState, { status: S }>; rejection?: undefined }
  | { call?: undefined; rejection: Rejection } {
  if (state.activeTurn?.id !== turnId) return { rejection: noSuchTurn(turnId) };
  const call = findToolCall(state, toolCallId);
  if (call === undefined)
    return { rejection: reject('noSuchToolCall', `Turn ${turnId} has no tool call ${toolCallId}`) };
  if (!hasStatus(call, status)) {
    return { rejection: reject('wrongState', `Tool call ${toolCallId} is ${call.status}, not ${status}`) };
  }
  return { call };
}

const hasStatus = <S extends ToolCallState['status']>(
  call: ToolCallState,
  status: S,
): call is Extract<ToolCallState, { status: S }> => call.status === status;

function checkConfirmed(situation: Situation, action: Of<'chat/toolCallConfirmed'>): Rejection | undefined {
  const { call, rejection } = checkToolCall(situation, action, 'pending-confirmation');
  if (rejection !== undefined) return rejection;
  if (action.approved && action.editedToolInput !== undefined && call.editable !== true) {
    return reject('notEditable', `The input of tool call ${call.toolCallId} cannot be edited`);
  }
  if (action.selectedOptionId === undefined) return undefined;
  const option = call.options?.find(({ id }) => id === action.selectedOptionId);
  if (option === undefined) return reject('unknownOption', `There is no option ${action.selectedOptionId}`);
  return (option.kind === 'approve') === action.approved
    ? undefined
    : reject('contradiction', `Option ${option.id} is of kind ${option.kind}`);
}

/** Any client may fail a call that waits for a token, in place of signing in [CHAT-31]. */
function givesUpSignIn(
  { state }: Situation,
  action: Of<'chat/toolCallComplete' | 'chat/toolCallContentChanged'>,
): boolean {
  if (action.type !== 'chat/toolCallComplete' || action.result.success) return false;
  const { activeTurn } = state;
  if (activeTurn?.id !== action.turnId) return false;
  const part = findToolCallPart(activeTurn.responseParts, action.toolCallId);
  return part?.toolCall.status === 'auth-required';
}

function checkContributed(
  situation: Situation,
  action: Of<'chat/toolCallComplete' | 'chat/toolCallContentChanged'>,
): Rejection | undefined {
  if (givesUpSignIn(situation, action)) return undefined;
  const { call, rejection } = checkToolCall(situation, action, 'running');
  if (rejection !== undefined) return rejection;
  const isOwner =
    call.contributor?.kind === 'client' && call.contributor.clientId === situation.caller.clientId;
  return isOwner
    ? undefined
    : reject('notContributor', `Tool call ${call.toolCallId} is not run by this client`);
}
