import type { ActiveTurn, ChatAction, ErrorInfo, Message, Turn } from '@agenthost/protocol';
import { defined, errorText } from '@agenthost/protocol/values';
import type { AgentTerminal } from '../agents/agent-terminal.ts';
import { AgentError } from '../agents/errors.ts';
import type { AgentSession } from '../agents/provider.ts';
import type { TurnInput } from '../agents/turn.ts';
import { steadyNow } from '../lib/clock.ts';
import type { Channel } from '../sync/channel.ts';
import { turnDuration } from '../sync/turn-time.ts';
import { readTurn, WINDOW_LIMITS } from '../sync/window.ts';
import { ChatAgent } from './agent/chat-agent.ts';
import { forgetMemory, Instructions } from './agent/instructions.ts';
import { commandContext, commandOf, isWholeContext, messageForAgent } from './command/command.ts';
import { runCommand } from './command/command-turn.ts';
import { withAnnotations } from './contents/attached-annotations.ts';
import { withTranscripts } from './contents/attached-chats.ts';
import { failurePart } from './failure.ts';
import { LiveTurnOutput, type SpawnChat } from './output/turn-output.ts';
import type { TurnParts } from './parts.ts';
import { Steering } from './steering.ts';

/** Time that a cancelled agent gets to stop before it is terminated. */
const CANCEL_GRACE_MS = 10_000;
/** Number of terminals of ended commands that are kept for viewing. The oldest is removed first. */
const KEPT_TERMINALS = 8;

interface Run {
  readonly turnId: string;
  /** See `runKeyOf`. */
  readonly key: string;
  /** Whether the agent continues a turn that failed [CHAT-23]. */
  readonly isResumed: boolean;
  /** The command that the host runs itself instead of the agent [CHAT-17]. */
  readonly command: string | undefined;
  readonly output: LiveTurnOutput;
  readonly steering: Steering;
  readonly abort: AbortController;
  /** The agent session that runs the turn. Absent while the session opens. */
  agent?: AgentSession;
  /** Resolves when the chat can run its next turn: the provider has finished, or was abandoned. */
  readonly vacated: Promise<void>;
  readonly vacate: () => void;
}

type RunnerParts = TurnParts & { readonly spawnChat: SpawnChat };

/** Runs the turns of one chat: passes each turn to the agent, and ends turns that the agent does not end. */
export class ChatRunner {
  readonly #parts: RunnerParts;
  readonly #chat: string;
  readonly #session: string;
  readonly #agent: ChatAgent;
  readonly #instructions: Instructions;
  #run: Run | undefined;
  /** Key of the last run that was passed to an agent. No run is passed twice. */
  #begunRun: string | undefined;
  /** Terminals of ended commands, oldest first. */
  readonly #endedTerminals: AgentTerminal[] = [];
  #usedAt: number;
  /** True when the agent session must be replaced after its current turn. */
  #mustRenew = false;
  /** True when the agent session must be closed after its current turn, and may be resumed by the next one. */
  #mustReopen = false;
  #isDisposed = false;
  #isHostStopping = false;

  constructor(parts: RunnerParts, chat: Channel<'chat'>) {
    this.#parts = parts;
    this.#chat = chat.uri;
    this.#session = chat.session ?? '';
    this.#usedAt = steadyNow(parts.sync.clock);
    this.#instructions = new Instructions(parts.sync, { chat: this.#chat, session: this.#session });
    this.#agent = new ChatAgent(parts, { chat: this.#chat, session: this.#session }, (reason) =>
      this.#exited(reason),
    );
  }

  /** Id of the turn that an agent runs now, if any. */
  get runningTurn(): string | undefined {
    return this.#run?.turnId;
  }

  /** The session of the chat, and ids of the processes of its agent. */
  get processes(): { readonly session: string; readonly pids: readonly number[] } {
    return { session: this.#session, pids: this.#agent.processIds };
  }

  /** Time of the last call of `touch`, by `steadyNow`. */
  get usedAt(): number {
    return this.#usedAt;
  }

  /** Records that the chat is in memory or runs a turn. */
  touch(): void {
    this.#usedAt = steadyNow(this.#parts.sync.clock);
  }

  /** Opens the agent session before the first turn. Rejects with the reason if it cannot be opened. */
  async open(): Promise<void> {
    await this.#agent.open();
  }

  /** Passes the chat's active turn to the agent, after the agent has finished the previous turn. */
  async start(turnId: string): Promise<void> {
    await this.#run?.vacated;
    if (this.#isDisposed || this.#run !== undefined) return;
    const chat = this.#parts.sync.registry.getOf('chat', this.#chat);
    const turn = chat?.state.activeTurn;
    if (chat === undefined || turn?.id !== turnId) return;
    const key = runKeyOf(turn);
    if (this.#begunRun === key) return;
    this.#begunRun = key;
    const output = new LiveTurnOutput({
      ...this.#parts,
      turn: { chat: this.#chat, session: this.#session, turnId },
      onFull: () => {
        if (this.#run?.turnId === turnId) this.stop();
      },
    });
    const release = chat.pin();
    const { promise: vacated, resolve } = Promise.withResolvers<void>();
    const run: Run = {
      turnId,
      key,
      isResumed: errorCountOf(turn) > 0,
      command: commandOf(turn.message),
      output,
      steering: new Steering(this.#parts, { session: this.#session, chat: this.#chat, turnId }),
      abort: new AbortController(),
      vacated,
      vacate: () => {
        if (this.#run === run) {
          this.#run = undefined;
          if (this.#mustRenew) this.#leaveAgent();
          else if (this.#mustReopen) this.#closeAgent();
        }
        release();
        resolve();
      },
    };
    this.#run = run;
    await this.#drive(run, turn.message, chat);
    run.vacate();
  }

  /** Called when a steering message was set. The message waits until the agent runs the turn. */
  steer(): void {
    this.#run?.steering.look();
  }

  /** Called when a client has approved or denied a tool call. */
  answered(action: Extract<ChatAction, { type: 'chat/toolCallConfirmed' }>): void {
    if (this.#run?.turnId === action.turnId) this.#run.output.answered(action.toolCallId, action);
  }

  /** Called when a client has approved or denied a tool call's result. */
  resultAnswered(action: Extract<ChatAction, { type: 'chat/toolCallResultConfirmed' }>): void {
    if (this.#run?.turnId === action.turnId)
      this.#run.output.resultAnswered(action.toolCallId, action.approved);
  }

  /** Called when a client has closed an input request. */
  inputCompleted(requestId: string): void {
    this.#run?.output.inputCompleted(requestId);
  }

  /**
   * Cancels the agent's work after the turn was ended by someone else (cancelled, truncated). An agent that
   * does not stop is terminated.
   */
  stop(): void {
    const run = this.#run;
    if (run === undefined || run.abort.signal.aborted) return;
    run.output.end();
    run.abort.abort();
    const cancelGrace = this.#parts.timers.after(CANCEL_GRACE_MS, () => {
      this.#parts.log.warn(
        { chat: this.#chat, turn: run.turnId },
        'the agent ignored the cancel and is terminated',
      );
      void this.#agent.terminate(run.agent);
      // The next turn must not wait for an agent that ignores termination too.
      run.vacate();
    });
    void run.vacated.then(cancelGrace);
  }

  /**
   * Called when the agent's memory no longer matches the chat. The next turn opens a new agent session and
   * passes it the remaining history [CHAT-6].
   */
  forget(): void {
    this.stop();
    // A client may use the id of a removed turn again.
    this.#begunRun = undefined;
    this.#leaveAgent();
  }

  /**
   * Makes the next turn open a new agent session with the history. The current turn continues with the
   * present agent session.
   */
  renewAgent(): void {
    if (this.#run !== undefined && this.#run.command === undefined) this.#mustRenew = true;
    else this.#leaveAgent();
  }

  /** Makes the next turn open the agent again, with its memory. The current turn continues with the present agent session. */
  reopenAgent(): void {
    this.#mustReopen = true;
    // An agent that is still opening may have been given the earlier directories.
    void this.#agent.settled().then(() => {
      if (this.#mustReopen && (this.#run === undefined || this.#run.command !== undefined))
        this.#closeAgent();
    });
  }

  #closeAgent(): void {
    this.#mustReopen = false;
    const close = this.#agent.leave();
    void (this.#run?.vacated ?? Promise.resolve()).then(close);
  }

  #leaveAgent(): void {
    this.#mustRenew = false;
    const close = this.#agent.leave();
    void (this.#run?.vacated ?? Promise.resolve()).then(close);
    this.#parts.sync.transact('host', (tx) => {
      const chat = this.#parts.sync.registry.getOf('chat', this.#chat);
      // The memory was already removed in the tick that cut the history. The agent may have saved again since
      // then.
      if (chat !== undefined) forgetMemory(tx, chat);
    });
  }

  /** Passes changed values of mutable config to the agent. */
  async configure(values: Readonly<Record<string, unknown>>): Promise<void> {
    await this.#agent.configure(values);
  }

  /** Tells the agent that the tools of active clients have changed. */
  async toolsChanged(): Promise<void> {
    await this.#agent.toolsChanged();
  }

  /** Ends the agent session. Resolves when its current turn has ended too. Idempotent. */
  async dispose(options: { isHostStopping?: boolean } = {}): Promise<void> {
    this.#isDisposed = true;
    this.#isHostStopping = options.isHostStopping === true;
    this.stop();
    await this.#agent.leave()();
    await this.#run?.vacated;
  }

  async #drive(run: Run, message: Message, chat: Channel<'chat'>): Promise<void> {
    try {
      await this.#parts.beforeTurn({ session: this.#session, chat: this.#chat, turnId: run.turnId });
      if (run.command === undefined) {
        const { turnId, output, abort } = run;
        const of = { session: this.#session, chat: this.#chat, turnId };
        await this.#parts.prepareTurn({ ...of, output, signal: abort.signal });
        if (!abort.signal.aborted) await this.#runAgent(run, message, chat);
      }
      if (run.command !== undefined) await this.#runCommand(run, run.command, message);
      this.#end(run);
    } catch (error) {
      this.#end(run, this.#explain(error, run.abort.signal));
    } finally {
      run.output.end();
    }
  }

  async #runAgent(run: Run, message: Message, chat: Channel<'chat'>): Promise<void> {
    const { turns } = chat.state;
    const agent = await this.#agent.open();
    run.agent = agent;
    const isPart = turns.length < chat.hostData.turnCount && !isWholeContext(turns);
    const history = isPart ? await this.#storedTurns(chat) : turns;
    const contribution = await this.#parts.contribute?.({
      session: this.#session,
      chat: this.#chat,
      turnId: run.turnId,
      message: messageForAgent(message),
      output: run.output,
      signal: run.abort.signal,
    });
    const transcribed = await withTranscripts(
      this.#parts.sync,
      contribution?.message ?? messageForAgent(message),
    );
    const given = await withAnnotations(this.#parts, transcribed);
    if (run.abort.signal.aborted) return;
    const notice = this.#agent.noticeAbout(agent);
    if (notice !== undefined) run.output.notify(notice);
    if (agent.limitsTools !== true) contribution?.toolsNotLimited?.();
    const prompt = await this.#promptOf(run, message);
    if (run.abort.signal.aborted) return;
    const scoped = agent.scopesRules === true ? contribution?.scoped : undefined;
    const { context, instructions, heard } = this.#instructions.next(
      agent,
      scoped?.instructions ?? contribution?.instructions,
    );
    const input: TurnInput = {
      turnId: run.turnId,
      message: given,
      context: [
        ...context,
        ...(contribution?.context ?? []),
        ...selectionContext(chat),
        ...commandContext(history),
        ...prompt,
      ],
      ...defined({
        instructions,
        rules: scoped?.rules,
        tools: agent.limitsTools === true ? contribution?.tools : undefined,
      }),
      locale: this.#parts.localeOf(this.#chat),
      readResource: this.#parts.readResource,
    };
    const { abort } = run;
    const { output = run.output } = contribution ?? {};
    const done =
      run.isResumed && agent.resumeTurn !== undefined
        ? agent.resumeTurn(input, output, abort.signal)
        : agent.runTurn(input, output, abort.signal);
    run.steering.begin(agent);
    await done;
    await run.steering.settle(run.abort.signal);
    if (!run.abort.signal.aborted) await contribution?.finish?.();
    // A stopped agent may not have read the instructions.
    if (!run.abort.signal.aborted) heard();
  }

  /** The text of the MCP prompt that a message invokes. A prompt that cannot be had is told in the chat. */
  async #promptOf({ output }: Run, { text }: Message): Promise<readonly string[]> {
    try {
      const prompt = await this.#parts.promptText(this.#session, text);
      return prompt === undefined ? [] : [prompt];
    } catch (error) {
      output.notify(`The prompt was not read: ${errorText(error)}`);
      return [];
    }
  }

  /**
   * The newest turns from the journal, if too few are in memory. The active turn was committed before it
   * started.
   */
  async #storedTurns({ uri }: Channel<'chat'>): Promise<readonly Turn[]> {
    const rows = await this.#parts.sync.journal.readTurns(uri, WINDOW_LIMITS);
    return rows.map(readTurn);
  }

  #runCommand(run: Run, command: string, { attachments = [] }: Message): Promise<void> {
    const { terminals } = this.#parts;
    run.steering.begin('host');
    return runCommand(command, {
      turnId: run.turnId,
      attachmentLabels: attachments.map(({ label }) => label),
      output: run.output,
      signal: run.abort.signal,
      workingDirectory: () => this.#workingDirectory(),
      terminal: (start) =>
        terminals.startForAgent(
          { session: this.#session, chat: this.#chat, workingDirectory: start.cwd },
          start,
        ),
      isHostStopping: () => this.#isHostStopping,
      ended: (terminal) => this.#keepEnded(terminal),
    });
  }

  async #workingDirectory(): Promise<string> {
    const { sync, workingDirectoryOf } = this.#parts;
    const chat = await sync.registry.openOf('chat', this.#chat);
    const session = await sync.registry.openOf('session', this.#session);
    if (chat === undefined || session === undefined) throw new AgentError('hostError', 'The chat is gone');
    return workingDirectoryOf(session, chat);
  }

  /** Keeps the terminal of an ended command for viewing. Removes the oldest one above the limit. */
  #keepEnded(terminal: AgentTerminal): void {
    this.#endedTerminals.push(terminal);
    for (const old of this.#endedTerminals.splice(0, this.#endedTerminals.length - KEPT_TERMINALS)) {
      old
        .release()
        .catch((error: unknown) =>
          this.#parts.log.warn(
            { error, terminal: old.uri },
            'the terminal of an ended command was not removed',
          ),
        );
    }
  }

  /**
   * Ends the turn if it is still open, so that a turn never stays open because a provider forgot to end it. Without an error it completes.
   */
  #end({ turnId, key }: Run, error?: ErrorInfo): void {
    const { sync } = this.#parts;
    sync.transact('host', (tx) => {
      const chat = sync.registry.getOf('chat', this.#chat);
      const turn = chat?.state.activeTurn;
      // The turn may have been resumed already, in another run.
      if (chat === undefined || turn === undefined || runKeyOf(turn) !== key) return;
      const duration = turnDuration(sync, chat);
      if (error === undefined) return tx.emit(chat, { type: 'chat/turnComplete', turnId, duration });
      const part = failurePart(this.#parts, chat, error);
      tx.emit(chat, { type: 'chat/error', turnId, duration, part });
    });
  }

  #explain(error: unknown, { reason }: AbortSignal): ErrorInfo {
    if (error instanceof AgentError) return { errorType: error.errorType, message: error.message };
    // An agent that rejects with the abort reason was stopped and has not failed.
    if (error !== reason) this.#parts.log.error({ error, chat: this.#chat }, 'an agent failed unexpectedly');
    return { errorType: 'agentError', message: errorText(error) };
  }

  /** Ends the current turn after the agent process has exited. */
  #exited(reason: string): void {
    const run = this.#run;
    if (run === undefined || run.command !== undefined) return;
    if (!run.abort.signal.aborted) {
      this.#end(run, { errorType: 'agentExited', message: reason });
      run.output.end();
      run.abort.abort();
    }
    // The promise of the turn may never settle after the process has exited.
    run.vacate();
  }
}

/** Identifies a run of a turn. A resumed turn keeps the error part of each earlier run [CHAT-23]. */
const runKeyOf = (turn: ActiveTurn): string => `${errorCountOf(turn)} ${turn.id}`;

const errorCountOf = ({ responseParts }: ActiveTurn): number =>
  responseParts.reduce((count, { kind }) => (kind === 'error' ? count + 1 : count), 0);

/** The text that a side chat is about, for its first turn [CHAT-39]. */
function selectionContext({ state: { origin }, hostData }: Channel<'chat'>): readonly string[] {
  if (origin?.kind !== 'sideChat' || origin.selection === undefined || hostData.turnCount > 0) return [];
  return [`The user asks about this part of the earlier conversation:\n\n${origin.selection.text}`];
}
