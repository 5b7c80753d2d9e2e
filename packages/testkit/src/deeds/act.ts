import type { Mirror } from '@agenthost/client';
import {
  type AnnotationsState,
  type ChannelKind,
  type ChatState,
  type ClientAction,
  type Message,
  openRequests,
  type RootState,
  type SessionState,
  type TerminalState,
} from '@agenthost/protocol';
import {
  approved,
  denied,
  openCalls,
  resultJudged,
  turnCancelled,
  turnStarted,
  userMessage,
} from '../builders.ts';
import type { SeededRandom } from '../seeded-random.ts';
import { annotationAction } from './annotations.ts';
import { answerChanged, completed } from './answers.ts';
import { goOnWithTool, someTools } from './client-tools.ts';
import { chatDirectory, sessionDirectory } from './directories.ts';
import { terminalAction } from './terminals.ts';

/** The common session. Its URI has the scheme of its agent, as with some clients. */
export const SESSION = 'simulated:/session';
export const SECOND_CHAT = 'ahp-chat:/second';
/** Prefix of the URIs of temporary chats. */
export const PASSING_CHAT = 'ahp-chat:/passing-';
/** Prefix of the URIs of temporary sessions, which are copies of the common one. */
export const PASSING_SESSION = 'ahp-session:/passing-';

/** Weight of each kind of channel that the client subscribes to. */
const PLACES = { chat: 10, session: 3, root: 0.7, terminal: 1.5 } as const;

const CHAT_DEEDS = {
  turnStarted: 8,
  answerCall: 10,
  goOnWithTool: 20,
  judgeResult: 5,
  answerQuestion: 6,
  closeRequest: 6,
  cancel: 2,
  draft: 5,
  isRead: 0.5,
  isArchived: 0.5,
  resume: 6,
  directory: 1.5,
  queue: 2,
  steer: 2,
  editPending: 1,
  unqueue: 1,
  unsteer: 0.5,
  reorder: 1,
  release: 1,
  sendDraft: 1,
  truncate: 0.4,
  resend: 0.4,
  /** Always rejected. */
  notDispatchable: 0.5,
  strangeCall: 0.5,
  strangeRequest: 0.3,
} as const;

const SESSION_DEEDS = {
  title: 3,
  isRead: 2,
  isArchived: 2,
  config: 2,
  directory: 3,
  /** Always rejected. */
  strangeConfig: 0.4,
  join: 6,
  leave: 1,
  strangeClient: 0.3,
} as const;

const ROOT_DEEDS = { config: 2, replace: 0.5, strangeConfig: 0.4 } as const;

/** A client that acts on the state of its mirrors. */
export interface Actor {
  /** Its client id. */
  readonly name: string;
  readonly random: SeededRandom;
  mirrors(): readonly Mirror<ChannelKind>[];
  dispatch(channel: string, action: ClientAction): void;
  /** The folder below which working directories are. Default: the current one. */
  readonly folder?: string;
  /** Text of a prompt. Default: a generated text. */
  prompt?(): string;
}

/** Dispatches an action that a user might choose, based on the state of the client's own mirrors. */
export function act(client: Actor): void {
  const { random } = client;
  const mirrors = client.mirrors();
  if (mirrors.length === 0) return;
  const kind = random.weighted(PLACES);
  const mirror = random.pick(
    [mirrors.filter((each) => each.kind === kind), mirrors].find((each) => each.length > 0) ?? [],
  );
  const { state } = mirror;
  const action = isChat(state)
    ? chatAction(client, state)
    : isSession(state)
      ? sessionAction(client, state)
      : isRoot(state)
        ? rootAction(random)
        : isTerminal(state)
          ? terminalAction(random, state, { clientId: client.name, session: SESSION, chat: SECOND_CHAT })
          : isAnnotations(state)
            ? annotationAction(random, state, SESSION)
            : undefined;
  for (const each of [action ?? []].flat()) client.dispatch(mirror.uri, each);
}

/** Dispatches an action on annotations, if the client is subscribed to those of the common session. */
export function annotate(client: Actor): void {
  for (const { uri, state } of client.mirrors())
    if (isAnnotations(state)) client.dispatch(uri, annotationAction(client.random, state, SESSION));
}

const isChat = (state: object): state is ChatState => 'turns' in state;
const isRoot = (state: object): state is RootState => 'agents' in state;
const isAnnotations = (state: object): state is AnnotationsState =>
  'annotations' in state && Array.isArray(state.annotations);
const isTerminal = (state: object): state is TerminalState => 'claim' in state;
const isSession = (state: object): state is SessionState => 'activeClients' in state;

function chatAction(
  { random, name: clientId, folder, prompt }: Actor,
  state: ChatState,
): ClientAction | ClientAction[] | undefined {
  const turnId = state.activeTurn?.id ?? '';
  const calls = openCalls(state);
  switch (random.weighted(CHAT_DEEDS)) {
    case 'turnStarted':
      // Sometimes starts a turn while another runs, or reuses a turn id.
      if (state.activeTurn !== undefined && random.chance(0.7)) return undefined;
      return turnStarted(
        random.chance(0.05) && state.turns.length > 0
          ? random.pick(state.turns).id
          : `turn-${random.hex(10)}`,
        prompt?.(),
      );
    case 'answerCall': {
      const call = calls.find(({ status }) => status === 'pending-confirmation');
      if (call?.status !== 'pending-confirmation') return undefined;
      const option = call.options?.[random.int(call.options.length)];
      const choice = option === undefined ? {} : { selectedOptionId: option.id };
      const isApproved = option === undefined ? random.chance(0.7) : option.kind === 'approve';
      if (!isApproved) return denied(turnId, call.toolCallId, choice);
      const edited = random.chance(call.editable === true ? 0.5 : 0.1)
        ? { editedToolInput: random.hex(4) }
        : {};
      return approved(turnId, call.toolCallId, { ...choice, ...edited });
    }
    case 'goOnWithTool':
      return goOnWithTool(random, state, clientId);
    case 'judgeResult': {
      const call = calls.find(({ status }) => status === 'pending-result-confirmation');
      return call && resultJudged(turnId, call.toolCallId, random.chance(0.7));
    }
    case 'cancel':
      return state.activeTurn === undefined ? undefined : turnCancelled(turnId);
    case 'draft':
      return random.chance(0.2)
        ? { type: 'chat/draftChanged' }
        : { type: 'chat/draftChanged', draft: withPhoto(userMessage(random.hex(6))) };
    case 'isRead':
      return { type: 'chat/isReadChanged', isRead: random.chance(0.5) };
    case 'isArchived':
      return { type: 'chat/isArchivedChanged', isArchived: random.chance(0.5) };
    case 'resume': {
      // Usually the last turn has not failed, which is no deed of a user.
      const last = state.turns.at(-1);
      const hasFailed = last?.state === 'error' && state.activeTurn === undefined;
      if (last === undefined || !(hasFailed || random.chance(0.1))) return undefined;
      return { type: 'chat/turnResume', turnId: last.id };
    }
    case 'directory':
      return chatDirectory(random, state, folder);
    case 'queue':
      return pendingSet(random, 'queued', prompt?.());
    case 'steer':
      return pendingSet(random, 'steering');
    case 'editPending': {
      const kind = random.chance(0.5) ? 'queued' : 'steering';
      const found = kind === 'steering' ? state.steeringMessage : state.queuedMessages?.at(-1);
      return found && { ...pendingSet(random, kind), id: found.id };
    }
    case 'unqueue': {
      const id = state.queuedMessages?.at(-1)?.id ?? `queued-${random.hex(4)}`;
      return { type: 'chat/pendingMessageRemoved', kind: 'queued', id };
    }
    case 'unsteer': {
      const id = state.steeringMessage?.id ?? `steering-${random.hex(4)}`;
      return { type: 'chat/pendingMessageRemoved', kind: 'steering', id };
    }
    case 'reorder':
      return {
        type: 'chat/queuedMessagesReordered',
        order: (state.queuedMessages ?? []).map(({ id }) => id).toReversed(),
      };
    case 'release':
      return {
        type: 'chat/queuedMessagesReordered',
        order: (state.queuedMessages ?? []).map(({ id }) => id),
      };
    case 'sendDraft': {
      // Queues the draft instead of starting a turn; the host clears the draft.
      const { draft } = state;
      return draft && { ...pendingSet(random, 'queued'), message: draft };
    }
    case 'resend': {
      if (state.turns.length < 2) return undefined;
      const { id } = random.pick(state.turns.slice(0, -1));
      return [{ type: 'chat/truncated', turnId: id }, turnStarted(`turn-${random.hex(10)}`, prompt?.())];
    }
    case 'truncate': {
      if (random.chance(0.2)) return { type: 'chat/truncated' };
      return state.turns.length === 0
        ? undefined
        : { type: 'chat/truncated', turnId: random.pick(state.turns).id };
    }
    case 'answerQuestion':
      return answerChanged(random, openRequests(state));
    case 'closeRequest':
      return completed(random, openRequests(state));
    case 'strangeCall':
      return approved(turnId, 'no such call');
    case 'strangeRequest':
      return { type: 'chat/inputCompleted', requestId: 'no such request', response: 'cancel' };
    case 'notDispatchable':
      return turnCancelled(`never-${random.hex(4)}`);
    default:
      return undefined;
  }
}

const pendingSet = (
  random: SeededRandom,
  kind: 'queued' | 'steering',
  text = random.hex(6),
): Extract<ClientAction, { type: 'chat/pendingMessageSet' }> => ({
  type: 'chat/pendingMessageSet',
  kind,
  id: `${kind}-${random.hex(4)}`,
  message: withPhoto(userMessage(text)),
});

/** So large that the host stores it outside its message. */
const PHOTO = {
  type: 'embeddedResource',
  label: 'photo.png',
  contentType: 'image/png',
  data: Buffer.alloc(15_000, 0xf0).toString('base64'),
} as const;

/** Attaches a photo to some messages. The text decides, so that no extra random number is drawn. */
const withPhoto = (message: Message): Message =>
  /^[0-4]/.test(message.text) ? { ...message, attachments: [PHOTO] } : message;

function sessionAction(
  { random, name: clientId, folder }: Actor,
  state: SessionState,
): ClientAction | undefined {
  switch (random.weighted(SESSION_DEEDS)) {
    case 'title':
      return { type: 'session/titleChanged', title: random.hex(6) };
    case 'isRead':
      return { type: 'session/isReadChanged', isRead: random.chance(0.5) };
    case 'isArchived':
      return { type: 'session/isArchivedChanged', isArchived: random.chance(0.5) };
    case 'config':
      return { type: 'session/configChanged', config: sessionConfig(random) };
    case 'directory':
      return sessionDirectory(random, state, folder);
    case 'strangeConfig':
      return {
        type: 'session/configChanged',
        config: random.chance(0.5) ? { ...sessionConfig(random), approvals: 'maybe' } : { strange: 1 },
      };
    case 'join':
      return {
        type: 'session/activeClientSet',
        activeClient: { clientId, displayName: random.hex(4), tools: someTools(random) },
      };
    case 'leave':
      return state.activeClients.some((each) => each.clientId === clientId)
        ? { type: 'session/activeClientRemoved', clientId }
        : undefined;
    case 'strangeClient':
      return { type: 'session/activeClientRemoved', clientId: 'somebody else' };
    default:
      return undefined;
  }
}

function sessionConfig(random: SeededRandom): Record<string, unknown> {
  return random.pick([
    { instructions: random.hex(6) },
    { metadata: { [random.hex(1)]: random.hex(4) } },
    { metadata: {} },
    { approvals: random.pick(['ask', 'ask', 'ask', 'edits', 'all', 'none']) },
  ]);
}

function rootAction(random: SeededRandom): ClientAction | undefined {
  const config = { agentIdleMinutes: 5 + random.int(10) };
  switch (random.weighted(ROOT_DEEDS)) {
    case 'config':
      return { type: 'root/configChanged', config };
    case 'replace':
      return { type: 'root/configChanged', config, replace: true };
    case 'strangeConfig':
      return { type: 'root/configChanged', config: { ...config, maxTerminals: random.pick([0, 'many']) } };
    default:
      return undefined;
  }
}
