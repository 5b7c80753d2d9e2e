import { AgentError, type TurnOutput, type WorkerChat, type WorkerTurn } from '@agenthost/host/agent';
import { defined, errorText } from '@agenthost/protocol/values';
import { isObject, type JsonObject, objectOf, textOf } from '../json.ts';
import type { ChildDetails, ChildSessions, ChildWriter } from '../session/child-sessions.ts';
import type { SessionUpdate, SubagentUpdate, ToolCallFields } from '../session/session-update.ts';

/** A tool call of a turn. `id` is the host's. */
export interface KnownCall {
  readonly id: string;
  readonly fields: ToolCallFields;
  readonly isOver: boolean;
}

/** Applies an agent's updates to an output: a turn, or one of its workers. */
export interface UpdateWriter extends ChildWriter {
  /** Whether this writer or one of its workers shows this call of the agent. */
  has(toolCallId: string): boolean;
}

interface Worker<W> {
  readonly chat: WorkerChat;
  readonly prompt: string;
  /** Completes the call that was created for the worker when the agent shows none. */
  readonly completeCall: (success: boolean) => void;
  /** Stops this worker only, if the agent supports that. */
  readonly cancel: () => void;
  turn?: { readonly turn: WorkerTurn; readonly writer: W };
  hasSpoken: boolean;
}

/** Dependencies of the workers of one turn. */
export interface WorkersPlace<W> {
  readonly output: TurnOutput;
  readonly children: Pick<ChildSessions, 'learn' | 'attach' | 'cancel'>;
  findCall(toolCallId: string): KnownCall | undefined;
  newWriter(output: TurnOutput): W;
}

/**
 * The sub-agents of one turn, each in a worker chat [CHAT-2]. Agents report them in two ways: by tool calls
 * that name their parent call in `_meta` (Claude Code, Qwen Code), or by child sessions announced with
 * `subagent_update` (Codex).
 */
export class Workers<W extends UpdateWriter> {
  readonly #place: WorkersPlace<W>;
  /** By the agent's id of the call or of the child session. */
  readonly #workers = new Map<string, Worker<W> | undefined>();
  #isOver = false;

  constructor(place: WorkersPlace<W>) {
    this.#place = place;
  }

  /** The worker that an update belongs to. `undefined` when it belongs to the turn itself. */
  writerOf(update: SessionUpdate): W | undefined {
    if (update.type === 'toolCall') {
      const owner = this.ownerOf(update.call.toolCallId);
      if (owner !== undefined) return owner;
    }
    const parentId = parentOf(update);
    if (parentId === undefined) return undefined;
    const call = this.#place.findCall(parentId);
    if (call === undefined) return this.ownerOf(parentId);
    const worker = this.#workers.has(parentId)
      ? this.#workers.get(parentId)
      : this.#open(parentId, call, update);
    if (worker !== undefined && update.type === 'message') worker.hasSpoken ||= hasText(update.content);
    return worker && this.#writer(worker);
  }

  /** The worker that shows a call of the agent. */
  ownerOf(toolCallId: string): W | undefined {
    return this.writers.find((writer) => writer.has(toolCallId));
  }

  /** All active workers. */
  get writers(): W[] {
    return [...this.#workers.values()].flatMap((worker) =>
      worker?.turn === undefined ? [] : [worker.turn.writer],
    );
  }

  /** A call of the turn has ended: the turn of its worker ends as well, with the report as its text. */
  async callEnded(toolCallId: string, success: boolean, report: string | undefined): Promise<void> {
    const worker = this.#workers.get(toolCallId);
    if (worker?.turn === undefined) return;
    const { turn } = worker.turn;
    if (success && report !== undefined && !worker.hasSpoken) await turn.output.markdown(report);
    delete worker.turn;
    turn.end(success ? undefined : new AgentError('workerFailed', report ?? 'The sub-agent failed.'));
  }

  /** The turn has ended. */
  end(): void {
    this.#isOver = true;
  }

  /** A child session was announced or has changed. */
  async announced(update: SubagentUpdate): Promise<void> {
    const { sessionId, state } = update;
    const { details, isNew } = this.#place.children.learn(sessionId, update.details);
    // A child's update between two turns of its parent does not belong to this turn.
    if (!this.#workers.has(sessionId) && !isNew && !isActive(state)) return;
    const worker = this.#workers.get(sessionId) ?? (await this.#openChild(sessionId, details));
    if (worker === undefined) return;
    if (isActive(state)) this.#writer(worker);
    else if (state !== undefined) endTurn(worker, state);
  }

  #open(parentId: string, call: KnownCall, update: SessionUpdate): Worker<W> | undefined {
    const input = objectOf(call.fields.rawInput);
    const agentName =
      textOf(input['subagent_type']) ??
      (update.type === 'toolCall' ? textOf(update.call.meta['subagentType']) : undefined);
    const description = textOf(input['description']);
    const title = call.fields.title ?? description ?? 'Sub-agent';
    return this.#spawn(parentId, {
      toolCallId: call.id,
      prompt: textOf(input['prompt']) ?? title,
      title,
      agentName,
      description,
      completeCall: () => undefined,
      // Agents that report workers by calls cannot stop a single one.
      cancel: () => undefined,
    });
  }

  async #openChild(
    sessionId: string,
    { title = 'Sub-agent', description, cwd }: ChildDetails,
  ): Promise<Worker<W> | undefined> {
    const call = this.#place.output.toolCall({
      toolName: 'subagent',
      displayName: 'Sub-agent',
      ...defined({ intention: description }),
    });
    call.run({ invocationMessage: title });
    const worker = this.#spawn(sessionId, {
      toolCallId: call.id,
      prompt: description ?? title,
      title,
      description,
      workingDirectory: cwd,
      completeCall: (success) =>
        void call.complete({
          success,
          pastTenseMessage: title,
          ...(success ? {} : { error: { message: 'The sub-agent failed.' } }),
        }),
      cancel: () => this.#place.children.cancel(sessionId),
    });
    if (worker !== undefined) await this.#place.children.attach(sessionId, () => this.#writer(worker));
    return worker;
  }

  #spawn(
    key: string,
    {
      prompt,
      completeCall,
      cancel,
      ...start
    }: {
      toolCallId: string;
      prompt: string;
      title: string;
      agentName?: string | undefined;
      description?: string | undefined;
      workingDirectory?: string | undefined;
      completeCall: (success: boolean) => void;
      cancel: () => void;
    },
  ): Worker<W> | undefined {
    const { toolCallId, title, agentName, description, workingDirectory } = start;
    let worker: Worker<W> | undefined;
    try {
      const chat = this.#place.output.spawnChat({
        toolCallId,
        title,
        ...defined({ agentName, description, workingDirectory }),
      });
      worker = { chat, prompt, completeCall, cancel, hasSpoken: false };
    } catch (error) {
      // The output of a worker without a chat is shown in the parent's turn.
      this.#place.output.notify(`The sub-agent "${title}" has no chat of its own: ${errorText(error)}`);
    }
    this.#workers.set(key, worker);
    return worker;
  }

  #writer(worker: Worker<W>): W {
    if (worker.turn === undefined) {
      const turn = worker.chat.turn(worker.prompt);
      worker.turn = { turn, writer: this.#place.newWriter(turn.output) };
      // A worker that continues in the background after its parent's turn is not cancelled by the end of that
      // turn.
      turn.signal.addEventListener('abort', () => this.#isOver || worker.cancel(), { once: true });
    }
    return worker.turn.writer;
  }
}

function endTurn(worker: Worker<unknown>, state: JsonObject): void {
  const isFailure = state['stopReason'] === 'error';
  const { turn } = worker.turn ?? {};
  delete worker.turn;
  const message = textOf(objectOf(state['error'])['message']) ?? textOf(state['message']);
  turn?.end(isFailure ? new AgentError('workerFailed', message ?? 'The sub-agent failed.') : undefined);
  worker.completeCall(!isFailure);
}

/** Whether a child works; waiting for an answer counts as well. */
const isActive = (state: JsonObject | undefined): boolean =>
  state?.['state'] === 'running' || state?.['state'] === 'requires_action';

const hasText = (content: JsonObject): boolean => textOf(content['text']) !== undefined;

/** The parent call of an update, in the various forms of the agents. */
function parentOf(update: SessionUpdate): string | undefined {
  const meta =
    update.type === 'toolCall'
      ? update.call.meta
      : update.type === 'message' || update.type === 'thought'
        ? update.meta
        : undefined;
  if (!isObject(meta)) return undefined;
  return textOf(objectOf(meta['claudeCode'])['parentToolUseId']) ?? textOf(meta['parentToolCallId']);
}
