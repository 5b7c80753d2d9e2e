import type { ChatAction, FileEdit, StringOrMarkdown, ToolCallResult, UsageInfo } from '@agenthost/protocol';
import { AgentError } from '../agents/agent-error.ts';
import type { ClientToolCall } from '../agents/client-tool.ts';
import type { ToolCallHandle, ToolCallStart } from '../agents/tool-call.ts';
import type {
  FileChange,
  InputQuestions,
  InputResponse,
  TurnOutput,
  WorkerChat,
  WorkerChatStart,
} from '../agents/turn.ts';
import type { Approvals } from '../approvals/approvals.ts';
import type { Ids } from '../lib/clock.ts';
import type { Channel } from '../sync/channel.ts';
import type { Sync } from '../sync/sync.ts';
import type { ClientToolRuns } from './client-tool.ts';
import type { ContentStore } from './content.ts';
import { withoutMarks } from './decision-mark.ts';
import { LiveInputRequests } from './input-request.ts';
import { Pace } from './pace.ts';
import { LiveToolCall } from './tool-call.ts';
import { MAX_TURN_LENGTH, TurnSize } from './turn-size.ts';

/** The turn that an output belongs to, while it is the chat's active one. */
export interface LiveTurn {
  readonly chat: string;
  readonly session: string;
  readonly turnId: string;
}

/** Makes a worker chat for a call of a turn [CHAT-2]. */
export type SpawnChat = (of: LiveTurn, worker: WorkerChatStart) => WorkerChat;

/** What a provider writes a turn with: turns its calls into actions, in order, while the turn is open. */
export class LiveTurnOutput implements TurnOutput {
  readonly #sync: Sync;
  readonly #ids: Ids;
  readonly #contents: ContentStore;
  readonly #approvals: Approvals;
  readonly #turn: LiveTurn;
  readonly #spawnChat: SpawnChat;
  readonly #pace: Pace;
  readonly #size = new TurnSize();
  readonly #onFull: (() => void) | undefined;
  readonly #clientTools: ClientToolRuns;
  /** Aborts when the turn is over. */
  readonly #over = new AbortController();
  readonly #toolCalls = new Map<string, LiveToolCall>();
  readonly #inputRequests: LiveInputRequests;
  #isOver = false;

  constructor(parts: {
    sync: Sync;
    ids: Ids;
    contents: ContentStore;
    approvals: Approvals;
    clientTools: ClientToolRuns;
    turn: LiveTurn;
    spawnChat: SpawnChat;
    /** The turn has become too large, and was ended for it. */
    onFull?: () => void;
  }) {
    this.#onFull = parts.onFull;
    this.#spawnChat = parts.spawnChat;
    this.#sync = parts.sync;
    this.#ids = parts.ids;
    this.#contents = parts.contents;
    this.#approvals = parts.approvals;
    this.#clientTools = parts.clientTools;
    this.#turn = parts.turn;
    this.#pace = new Pace(parts.sync);
    this.#inputRequests = new LiveInputRequests({
      emit: (make) => this.#emit(make),
      newId: () => this.#ids.next(),
    });
  }

  markdown(text: string): Promise<void> {
    return this.#append('markdown', text);
  }

  reasoning(text: string): Promise<void> {
    return this.#append('reasoning', text);
  }

  notify(content: StringOrMarkdown): void {
    const { turnId } = this.#turn;
    this.#emit(() => ({ type: 'chat/responsePart', turnId, part: { kind: 'systemNotification', content } }));
  }

  usage(usage: UsageInfo): void {
    this.#emit(() => ({ type: 'chat/usage', turnId: this.#turn.turnId, usage }));
  }

  activity(text: string | undefined): void {
    this.#emit((chat) =>
      chat.state.activity === text
        ? undefined
        : { type: 'chat/activityChanged', ...(text === undefined ? {} : { activity: text }) },
    );
  }

  fileEdit(change: FileChange): FileEdit {
    return this.#contents.fileEdit(this.#turn, change);
  }

  toolCall(call: ToolCallStart): ToolCallHandle {
    const toolCallId = call.toolCallId ?? this.#ids.next();
    const handle = new LiveToolCall({
      id: toolCallId,
      turnId: this.#turn.turnId,
      pace: this.#pace,
      emit: (make) => this.#emit(make),
      fit: (result) => this.#contents.fit(this.#turn, result),
      open: (question) => this.#approvals.open({ ...this.#turn, toolCallId, start: call }, question),
    });
    this.#toolCalls.set(toolCallId, handle);
    this.#emit(() => ({
      type: 'chat/toolCallStart',
      turnId: this.#turn.turnId,
      toolCallId,
      toolName: call.toolName,
      displayName: call.displayName,
      ...(call.intention === undefined ? {} : { intention: call.intention }),
      ...(call.contributor === undefined ? {} : { contributor: call.contributor }),
      ...(call.meta === undefined ? {} : { _meta: withoutMarks(call.meta) }),
    }));
    if (this.#isOver) handle.end();
    return handle;
  }

  clientTool(call: ClientToolCall, withdrawn?: AbortSignal): Promise<ToolCallResult> {
    const turn = { ...this.#turn, over: this.#over.signal, toolCall: this.toolCall.bind(this) };
    return this.#clientTools.run(turn, call, withdrawn);
  }

  ask(request: InputQuestions, withdrawn?: AbortSignal): Promise<InputResponse> {
    return this.#inputRequests.ask(request, withdrawn);
  }

  /** A client has closed an input request; how is in state. */
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
      ...(agentName === undefined ? {} : { agentName }),
      ...(description === undefined ? {} : { description }),
    });
    return worker;
  }

  /** A client has answered a question about a tool call; the answer is in state. */
  answered(toolCallId: string, action: Extract<ChatAction, { type: 'chat/toolCallConfirmed' }>): void {
    const chat = this.#chat();
    if (chat !== undefined) this.#toolCalls.get(toolCallId)?.answered(chat.state, action);
  }

  /** A client has approved or denied a tool call's result. */
  resultAnswered(toolCallId: string, approved: boolean): void {
    this.#toolCalls.get(toolCallId)?.resultAnswered(approved);
  }

  /** The turn is over: whoever waits for a person goes on as skipped. */
  end(): void {
    this.#isOver = true;
    this.#over.abort();
    this.#pace.end();
    for (const handle of this.#toolCalls.values()) handle.end();
    this.#inputRequests.end();
  }

  #append(kind: 'markdown' | 'reasoning', text: string): Promise<void> {
    if (text === '' || this.#isOver) return Promise.resolve();
    return this.#pace.step(text.length, () => {
      const chat = this.#chat();
      if (chat !== undefined) this.#emitOn(chat, this.#appended(chat, kind, text));
      this.#pace.stepped();
    });
  }

  /** What makes this text the end of what was said. */
  #appended(chat: Channel<'chat'>, kind: 'markdown' | 'reasoning', content: string): ChatAction {
    const { turnId } = this.#turn;
    const last = chat.outline.activeTurn?.responseParts.at(-1);
    if (last?.kind !== kind) {
      return { type: 'chat/responsePart', turnId, part: { kind, id: this.#ids.next(), content } };
    }
    const type = kind === 'markdown' ? 'chat/delta' : 'chat/reasoning';
    return { type, turnId, partId: last.id, content };
  }

  /** The chat, while this turn is its active one. */
  #chat(): Channel<'chat'> | undefined {
    const chat = this.#sync.registry.getOf('chat', this.#turn.chat);
    return chat?.outline.activeTurn?.id === this.#turn.turnId ? chat : undefined;
  }

  #emit(make: (chat: Channel<'chat'>) => ChatAction | undefined): void {
    if (!this.#isOver) this.#sync.path.transact('host', () => this.#change(make));
  }

  #change(make: (chat: Channel<'chat'>) => ChatAction | undefined): void {
    const chat = this.#chat();
    const action = chat === undefined ? undefined : make(chat);
    if (chat !== undefined && action !== undefined) this.#emitOn(chat, action);
  }

  #emitOn(chat: Channel<'chat'>, action: ChatAction): void {
    this.#sync.emit(chat, action);
    if (this.#size.add(action)) this.#endFull(chat);
  }

  #endFull(chat: Channel<'chat'>): void {
    const { turnId } = this.#turn;
    const mebibytes = MAX_TURN_LENGTH / (1024 * 1024);
    const message = `The agent was stopped: its turn has grown beyond ${mebibytes} MiB of text`;
    this.#sync.emit(chat, { type: 'chat/error', turnId, error: { errorType: 'agentError', message } });
    this.#sync.path.effect(() => this.#onFull?.());
  }
}
