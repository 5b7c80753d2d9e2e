import {
  type ChatAction,
  type ChatState,
  type Message,
  type SessionState,
  SessionStatus,
  type ToolCallState,
  type Turn,
} from '@agenthost/protocol';

type ActionOf<T extends ChatAction['type']> = Extract<ChatAction, { type: T }>;

/** When turns of `turnStarted` begin. */
export const TURN_STARTED_AT = '2026-06-01T00:00:00.000Z';

/** A user's message. */
export const userMessage = (text: string): Message => ({ text, origin: { kind: 'user' } });

/** `chat/turnStarted` with a user's message. */
export const turnStarted = (turnId: string, text = `prompt of ${turnId}`): ActionOf<'chat/turnStarted'> => ({
  type: 'chat/turnStarted',
  turnId,
  startedAt: TURN_STARTED_AT,
  message: userMessage(text),
});

/** `chat/turnCancelled` for a turn. */
export const turnCancelled = (turnId: string): ActionOf<'chat/turnCancelled'> => ({
  type: 'chat/turnCancelled',
  turnId,
  duration: 0,
});

/** Approves a pending call. */
export const approved = (
  turnId: string,
  toolCallId: string,
  extra: { editedToolInput?: string; selectedOptionId?: string } = {},
): ActionOf<'chat/toolCallConfirmed'> => ({
  type: 'chat/toolCallConfirmed',
  turnId,
  toolCallId,
  approved: true,
  confirmed: 'user-action',
  ...extra,
});

/** Denies a pending call. */
export const denied = (
  turnId: string,
  toolCallId: string,
  extra: { selectedOptionId?: string } = {},
): ActionOf<'chat/toolCallConfirmed'> => ({
  type: 'chat/toolCallConfirmed',
  turnId,
  toolCallId,
  approved: false,
  reason: 'denied',
  ...extra,
});

/** Approves or denies a pending result. */
export const resultJudged = (
  turnId: string,
  toolCallId: string,
  isApproved: boolean,
): ActionOf<'chat/toolCallResultConfirmed'> => ({
  type: 'chat/toolCallResultConfirmed',
  turnId,
  toolCallId,
  approved: isApproved,
});

/** A completed turn with one Markdown part. */
export const completedTurn = (id: string, text = `answer of ${id}`): Turn & { startedAt: string } => ({
  id,
  startedAt: TURN_STARTED_AT,
  message: userMessage(`prompt of ${id}`),
  responseParts: [{ kind: 'markdown', id: `${id}-part`, content: text }],
  state: 'complete',
});

/** An idle chat without turns. */
export const chatState = (resource: string, changes: Partial<ChatState> = {}): ChatState => ({
  resource,
  title: '',
  status: SessionStatus.Idle,
  modifiedAt: new Date(0).toISOString(),
  turns: [],
  ...changes,
});

/** A ready session without chats. */
export const sessionState = (changes: Partial<SessionState> = {}): SessionState => ({
  provider: 'simulated',
  title: '',
  status: SessionStatus.Idle,
  lifecycle: 'ready',
  activeClients: [],
  chats: [],
  ...changes,
});

/** The tool calls of a chat's active turn, oldest first. */
export const openCalls = (state: ChatState): ToolCallState[] =>
  (state.activeTurn?.responseParts ?? []).flatMap((part) =>
    part.kind === 'toolCall' ? [part.toolCall] : [],
  );

/** All Markdown of a turn, joined. */
export const markdownOf = (turn: Pick<Turn, 'responseParts'> | undefined): string =>
  (turn?.responseParts ?? []).flatMap((part) => (part.kind === 'markdown' ? [part.content] : [])).join('');
