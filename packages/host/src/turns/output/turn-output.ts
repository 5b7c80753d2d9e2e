import {
  type ChatAction,
  type ChatInputQuestion,
  cutText,
  type FileEdit,
  type StringOrMarkdown,
  TEXT_LIMITS,
  type ToolCallResult,
  type UsageInfo,
} from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { AgentError } from '../../agents/errors.ts';
import type { ClientToolCall, HostToolCall, ToolCallHandle, ToolCallStart } from '../../agents/tool-call.ts';
import type {
  FileChange,
  InputQuestions,
  InputResponse,
  TurnOutput,
  WorkerChat,
  WorkerChatStart,
} from '../../agents/turn.ts';
import type { Approvals } from '../../approvals/approvals.ts';
import type { Ids } from '../../lib/clock.ts';
import type { Channel } from '../../sync/channel.ts';
import { withinLimits } from '../../sync/emitter.ts';
import type { Sync } from '../../sync/sync.ts';
import { turnDuration } from '../../sync/turn-time.ts';
import type { Tx } from '../../sync/tx.ts';
import { type ContentStore, keptLength } from '../contents/content-store.ts';
import type { ClientToolRuns } from '../tools/client-tool.ts';
import { withoutMarks } from '../tools/decision-mark.ts';
import type { HostTools } from '../tools/host-tools.ts';
import { LiveInputRequests } from '../tools/input-request.ts';
import type { SignIns } from '../tools/sign-ins.ts';
import { LiveToolCall } from '../tools/tool-call.ts';
import { TurnBackpressure } from './backpressure.ts';
import { TurnSize } from './turn-size.ts';

/**
 * Maximum number of questions, confirmations and running client tools of one session that may wait at once.
 */
export const MAX_OPEN_QUESTIONS = 1_000;

/** The turn that an output belongs to, while it is the chat's active turn. */
export interface LiveTurn {
  readonly chat: string;
  readonly session: string;
  readonly turnId: string;
}

/** Whether the id is short enough for clients to refer to it. */
const isNameable = (id: string): boolean => id.length <= TEXT_LIMITS.id.max;

const canBeAnswered = (question: ChatInputQuestion): boolean =>
  isNameable(question.id) && (!('options' in question) || question.options.every(({ id }) => isNameable(id)));

/** Creates a worker chat for a call of a turn [CHAT-2]. */
export type SpawnChat = (of: LiveTurn, worker: WorkerChatStart) => WorkerChat;

/**
 * The output that a provider writes a turn with. Converts its calls into actions, in order, while the turn is
 * open.
 */
export class LiveTurnOutput implements TurnOutput {
  readonly #sync: Sync;
  readonly #ids: Ids;
  readonly #contents: ContentStore;
  readonly #approvals: Approvals;
  readonly #turn: LiveTurn;
  readonly #spawnChat: SpawnChat;
  readonly #backpressure: TurnBackpressure;
  readonly #size = new TurnSize();
  readonly #onFull: (() => void) | undefined;
  readonly #clientTools: ClientToolRuns;
  readonly #hostTools: HostTools;
  readonly #signIns: SignIns;
  /** Aborts when the turn has ended. */
  readonly #over = new AbortController();
  readonly #toolCalls = new Map<string, LiveToolCall>();
  /** Ids of the calls of a resumed turn before it failed. */
  readonly #earlierCalls: ReadonlySet<string>;
  readonly #inputRequests: LiveInputRequests;
  #isOver = false;

  constructor(parts: {
    sync: Sync;
    ids: Ids;
    contents: ContentStore;
    approvals: Approvals;
    clientTools: ClientToolRuns;
    hostTools: HostTools;
    signIns: SignIns;
    turn: LiveTurn;
    spawnChat: SpawnChat;
    /** Called when the turn became too large and was therefore ended. */
    onFull?: () => void;
  }) {
    this.#onFull = parts.onFull;
    this.#spawnChat = parts.spawnChat;
    this.#sync = parts.sync;
    this.#ids = parts.ids;
    this.#contents = parts.contents;
    this.#approvals = parts.approvals;
    this.#clientTools = parts.clientTools;
    this.#hostTools = parts.hostTools;
    this.#signIns = parts.signIns;
    this.#turn = parts.turn;
    this.#backpressure = new TurnBackpressure(parts.sync, (why) => this.#endRunaway(why));
    this.#inputRequests = new LiveInputRequests({
      emit: (make) => void this.#emit(make),
      newId: () => this.#ids.next(),
    });
    const earlier = this.#chat()?.state.activeTurn?.responseParts ?? [];
    this.#size.addParts(earlier);
    this.#earlierCalls = new Set(
      earlier.flatMap((part) => (part.kind === 'toolCall' ? [part.toolCall.toolCallId] : [])),
    );
  }

  markdown(text: string): Promise<void> {
    return this.#append('markdown', text);
  }

  reasoning(text: string): Promise<void> {
    return this.#append('reasoning', text);
  }

  ready(): Promise<void> {
    return this.#isOver ? Promise.resolve() : this.#backpressure.ready();
  }

  notify(content: StringOrMarkdown): void {
    const { turnId } = this.#turn;
    const { max } = TEXT_LIMITS.sentence;
    const shown = typeof content === 'string' ? cutText(content, max) : content;
    void this.#emit(() => ({
      type: 'chat/responsePart',
      turnId,
      part: { kind: 'systemNotification', content: shown },
    }));
  }

  usage(usage: UsageInfo): void {
    void this.#emit(() => ({ type: 'chat/usage', turnId: this.#turn.turnId, usage }));
  }

  activity(text: string | undefined): void {
    void this.#emit((chat) =>
      chat.state.activity === text
        ? undefined
        : { type: 'chat/activityChanged', ...defined({ activity: text }) },
    );
  }

  fileEdit(change: FileChange): FileEdit {
    if (!this.#isOver) void this.#backpressure.step(keptLength(change), this.#backpressure.stepped);
    return this.#contents.fileEdit(this.#turn, change);
  }

  toolCall(call: ToolCallStart): ToolCallHandle {
    const given = call.toolCallId ?? this.#ids.next();
    // Clients could not answer a call with a longer id, or with the id of an earlier call.
    const isUsable = isNameable(given) && !this.#earlierCalls.has(given);
    const toolCallId = isUsable ? given : this.#ids.next();
    const handle = new LiveToolCall({
      id: toolCallId,
      turnId: this.#turn.turnId,
      emit: (make, length) => this.#emit(make, length),
      fit: (result) => this.#contents.fit(this.#turn, result),
      store: (input) => this.#contents.put(this.#turn, input, 'text/plain; charset=utf-8'),
      awaitToken: (auth, outcome) =>
        this.#signIns.add({ chat: this.#turn.chat, toolCallId, auth, ...outcome }),
      open: (question) => this.#approvals.open({ ...this.#turn, toolCallId, start: call }, question),
    });
    this.#toolCalls.set(toolCallId, handle);
    void this.#emit(() => ({
      type: 'chat/toolCallStart',
      turnId: this.#turn.turnId,
      toolCallId,
      toolName: call.toolName,
      displayName: call.displayName,
      ...defined({ intention: call.intention, contributor: call.contributor }),
      ...(call.meta === undefined ? {} : { _meta: withoutMarks(call.meta) }),
    }));
    if (this.#isOver) handle.end();
    return handle;
  }

  clientTool(call: ClientToolCall, withdrawn?: AbortSignal): Promise<ToolCallResult> {
    const turn = { ...this.#turn, over: this.#over.signal, toolCall: this.toolCall.bind(this) };
    return this.#clientTools.run(turn, call, withdrawn);
  }

  hostTool(call: HostToolCall, withdrawn?: AbortSignal): Promise<ToolCallResult> {
    const [toolCall, ask] = [this.toolCall.bind(this), this.ask.bind(this)];
    const turn = { ...this.#turn, over: this.#over.signal, toolCall, ask };
    return this.#hostTools.run(turn, call, withdrawn);
  }

  ask(request: InputQuestions, withdrawn?: AbortSignal): Promise<InputResponse> {
    const { requestId, ...rest } = request;
    const { questions = [] } = rest;
    if (questions.every(canBeAnswered)) {
      const isKept = requestId === undefined || isNameable(requestId);
      return this.#inputRequests.ask(isKept ? request : rest, withdrawn);
    }
    const { max } = TEXT_LIMITS.id;
    this.notify(
      `A question of the agent cannot be answered: one of its ids is longer than ${max} characters.`,
    );
    return Promise.resolve({ response: 'cancel', answers: {} });
  }

  /** Called when a client has closed an input request. State contains the answer. */
  inputCompleted(requestId: string): void {
    const chat = this.#chat();
    if (chat !== undefined) this.#inputRequests.completed(chat.state, requestId);
  }

  spawnChat(start: WorkerChatStart): WorkerChat {
    const { toolCallId, title, agentName, description } = start;
    const call = this.#toolCalls.get(toolCallId);
    if (call === undefined) throw new AgentError('hostError', `The turn has no tool call ${toolCallId}`);
    const worker = this.#spawnChat(this.#turn, start);
    call.subagent({
      type: 'subagent',
      resource: worker.uri,
      title,
      ...defined({ agentName, description }),
    });
    return worker;
  }

  /** Called when a client has approved or denied a tool call. State contains the answer. */
  answered(toolCallId: string, action: Extract<ChatAction, { type: 'chat/toolCallConfirmed' }>): void {
    const chat = this.#chat();
    if (chat !== undefined) this.#toolCalls.get(toolCallId)?.answered(chat.state, action);
  }

  /** Called when a client has approved or denied a tool call's result. */
  resultAnswered(toolCallId: string, approved: boolean): void {
    this.#toolCalls.get(toolCallId)?.resultAnswered(approved);
  }

  /** Ends the output with its turn. Callers that wait for users continue as skipped. */
  end(): void {
    this.#isOver = true;
    this.#over.abort();
    this.#backpressure.end();
    for (const handle of this.#toolCalls.values()) handle.end();
    this.#inputRequests.end();
  }

  #append(kind: 'markdown' | 'reasoning', text: string): Promise<void> {
    if (text === '' || this.#isOver) return Promise.resolve();
    return this.#backpressure.step(text.length, (tx) => {
      const chat = this.#chat();
      if (chat !== undefined) this.#say(tx, chat, kind, text);
      this.#backpressure.stepped(tx);
    });
  }

  /** Appends text to the last part if it is of this kind, or else to a new part. */
  #say(tx: Tx, chat: Channel<'chat'>, kind: 'markdown' | 'reasoning', content: string): void {
    const { turnId } = this.#turn;
    const last = chat.outline.activeTurn?.responseParts.at(-1);
    const partId = last?.kind === kind ? last.id : this.#ids.next();
    if (last?.kind !== kind) {
      // The part starts empty, so that a client that shows only appended text does not miss its beginning
      // [CHAT-4].
      const part = { kind, id: partId, content: '' };
      this.#emitOn(tx, chat, { type: 'chat/responsePart', turnId, part });
      if (this.#chat() === undefined) return;
    }
    const type = kind === 'markdown' ? 'chat/delta' : 'chat/reasoning';
    this.#emitOn(tx, chat, { type, turnId, partId, content });
  }

  /** The chat, if this turn is its active turn. */
  #chat(): Channel<'chat'> | undefined {
    const chat = this.#sync.registry.getOf('chat', this.#turn.chat);
    return chat?.outline.activeTurn?.id === this.#turn.turnId ? chat : undefined;
  }

  /** Emits an action as one step of `length` characters. Resolves when the agent may take the next step. */
  #emit(make: (chat: Channel<'chat'>) => ChatAction | undefined, length = 0): Promise<void> {
    if (this.#isOver) return Promise.resolve();
    return this.#backpressure.step(length, (tx) => {
      this.#change(tx, make);
      this.#backpressure.stepped(tx);
    });
  }

  #change(tx: Tx, make: (chat: Channel<'chat'>) => ChatAction | undefined): void {
    const chat = this.#chat();
    const action = chat === undefined ? undefined : make(chat);
    if (chat !== undefined && action !== undefined) this.#emitOn(tx, chat, action);
  }

  #emitOn(tx: Tx, chat: Channel<'chat'>, given: ChatAction): void {
    // Count the size after the texts were cut, as in state.
    const action = withinLimits(given);
    tx.emit(chat, action);
    const limit = this.#size.add(action);
    const { partCount } = this.#size;
    this.#backpressure.setPartCount(partCount);
    if (limit !== undefined) this.#stop(tx, chat, `its turn exceeds ${limit}`);
    else if (this.#opensTooMany(action))
      this.#stop(tx, chat, `more than ${MAX_OPEN_QUESTIONS} questions of its session are unanswered`);
  }

  /** All open questions are part of the session's state, and are closed in one tick when their turn ends. */
  #opensTooMany({ type }: ChatAction): boolean {
    if (type !== 'chat/inputRequested' && type !== 'chat/toolCallReady') return false;
    const session = this.#sync.registry.getOf('session', this.#turn.session);
    return (session?.state.inputNeeded?.length ?? 0) > MAX_OPEN_QUESTIONS;
  }

  /** Ends the turn of an agent that does not wait. Later output of the agent is ignored. */
  #endRunaway(why: string): void {
    this.end();
    this.#sync.transact('host', (tx) => {
      const chat = this.#chat();
      if (chat !== undefined) this.#stop(tx, chat, why);
    });
  }

  #stop(tx: Tx, chat: Channel<'chat'>, why: string): void {
    const { turnId } = this.#turn;
    const message = `The agent was stopped: ${why}`;
    const part = { kind: 'error' as const, error: { errorType: 'agentError', message } };
    tx.emit(chat, { type: 'chat/error', turnId, duration: turnDuration(this.#sync, chat), part });
    tx.effect(() => this.#onFull?.());
  }
}
