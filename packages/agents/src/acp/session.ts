import type { ContentBlock } from '@agentclientprotocol/sdk';
import {
  AgentError,
  type AgentSession,
  type OpenAgentSession,
  type TurnInput,
  type TurnOutput,
} from '@agenthost/host';
import type { Message } from '@agenthost/protocol';
import { ChildSessions } from './child-sessions.ts';
import { ClientToolTwins } from './client-tool-twins.ts';
import type { AcpAgentConfig } from './config.ts';
import { ConfigControl, type ConfigTarget } from './config-control.ts';
import type { AcpConnection, SessionReceiver } from './connection.ts';
import type { ConnectionLease, ConnectionPool } from './connection-pool.ts';
import type { AskPeople } from './elicitation.ts';
import { readTextFile, writeTextFile } from './files.ts';
import { type JsonObject, objectOf, textOf } from './json.ts';
import type { ToolServerEntry } from './mcp/tool-server.ts';
import { type FindToolServer, OfferedTools } from './offered-tools.ts';
import { primingText } from './priming.ts';
import { promptBlocks } from './prompt.ts';
import { type AcpLog, type AcpTimers, orAbort, withDeadline } from './runtime.ts';
import type { AgentSessionConfig } from './session-config.ts';
import type { SessionUpdate } from './session-update.ts';
import { PromptSteering } from './steering.ts';
import { SharedTerminals } from './terminals.ts';
import { AcpTurn } from './turn.ts';

/** What the sessions of one provider share. */
export interface AcpSessionContext {
  readonly agent: AcpAgentConfig;
  readonly pool: ConnectionPool;
  readonly timers: AcpTimers;
  readonly log: AcpLog;
  /** For the answers to `session/new`, `load`, `resume` and `close`. */
  readonly sessionTimeoutMs: number;
  /** Where sessions serve the tools of clients. */
  readonly findToolServer: FindToolServer;
  /** Sees what a new session of the agent offers, before anything was changed in it. */
  onOffered(config: AgentSessionConfig): void;
}

/** A session of the agent on a connection. */
interface Attachment {
  readonly connection: AcpConnection;
  readonly sessionId: string;
  readonly detach: () => void;
}

/** How long a result without any usage waits for the notification that some agents send after it. */
const trailingUsageMs = 150;

/**
 * Some agents answer `session/load` first and send the history after it. It counts as over when none of it has come for so long; one
 * that never stops must not hold up the turn for ever.
 */
const lateHistoryMs = 200;
const longestHistoryMs = 10_000;

/** How long an agent gets to close its session; it is a courtesy. */
const closeTimeoutMs = 2_000;

/**
 * A chat's session with an ACP agent. It survives its process: when that was stopped for idleness, the next turn starts it again and
 * resumes by the agent's own session id, or goes on from the host's record of the chat.
 */
export class AcpSession implements AgentSession, SessionReceiver {
  readonly #context: AcpSessionContext;
  readonly #options: OpenAgentSession;
  readonly #key: string;
  readonly #children = new ChildSessions(this);
  readonly #config: ConfigControl;
  readonly terminals: SharedTerminals;
  readonly #tools: OfferedTools;
  #mcpServers: ToolServerEntry[] = [];
  #sessionId: string | undefined;
  #attached: Attachment | undefined;
  #turn: AcpTurn | undefined;
  #steering: PromptSteering | undefined;
  /** Settles when the turn that is running has. */
  #running: Promise<void> = Promise.resolve();
  #priming: string | undefined;
  /** For the next turn. */
  readonly #notices = new Set<string>();
  #isClosed = false;
  #updateCount = 0;

  /** Opens or resumes the agent's session. Rejects with `AgentError`; the signal ends the attempt. */
  static async open(
    context: AcpSessionContext,
    options: OpenAgentSession,
    signal: AbortSignal,
  ): Promise<AcpSession> {
    const session = new AcpSession(context, options);
    try {
      const lease = await orAbort(session.#attach(), signal, (late) => late.release());
      lease.release();
      return session;
    } catch (cause) {
      await session.close();
      if (cause instanceof AgentError) throw cause;
      throw new AgentError('agentError', `the session with ${context.agent.displayName} was not opened`, {
        cause,
      });
    }
  }

  private constructor(context: AcpSessionContext, options: OpenAgentSession) {
    this.#context = context;
    this.#options = options;
    this.#config = new ConfigControl(options.host, options.config, context.log);
    this.#sessionId = textOf(objectOf(options.memory)['sessionId']);
    this.terminals = new SharedTerminals({
      host: options.host,
      workingDirectory: options.workingDirectory,
      log: context.log,
      turnId: () => this.#turn?.id,
      released: async (terminal) => this.#turn?.showTerminal(terminal),
    });
    this.#tools = new OfferedTools({
      host: options.host,
      timers: context.timers,
      findServer: context.findToolServer,
      turn: () => this.#turn,
    });
    this.#key = context.agent.sharesProcess === false ? options.chat : '';
  }

  async runTurn(input: TurnInput, output: TurnOutput, signal: AbortSignal): Promise<void> {
    const before = this.#running;
    const steering = new PromptSteering();
    this.#steering = steering;
    let settle = (): void => {};
    this.#running = new Promise((resolve) => {
      settle = resolve;
    });
    try {
      // After a cancel the agent may still be unwinding the turn before.
      await before;
      if (signal.aborted) return;
      const lease = await orAbort(this.#attach(), signal, (late) => late.release());
      try {
        await this.#prompt(input, output, signal, steering);
      } finally {
        lease.release();
      }
    } catch (error) {
      if (!signal.aborted) throw error;
      this.#context.log('debug', 'turn ended after its cancel', { error: String(error) });
    } finally {
      steering.end();
      settle();
    }
  }

  async steer(message: Message): Promise<boolean> {
    return (await this.#steering?.steer(message)) === true;
  }

  async setConfig(values: Readonly<Record<string, unknown>>): Promise<void> {
    this.#config.want(values);
    // Without a process it is remembered for the next turn.
    if (this.#attached?.connection.isOpen === true) await this.#config.apply(this.#target(this.#attached));
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#closeAgentSession();
    this.#detach();
    this.#tools.end();
    await this.terminals.end();
    if (this.#key !== '') await this.#context.pool.drop(this.#key, 'its chat was closed');
  }

  /**
   * Ends it now. A turn that does not stop takes its process with it, other chats' turns on it included: an agent that goes on changing
   * files after a cancel would be worse.
   */
  async terminate(): Promise<void> {
    const stuck = this.#turn === undefined ? undefined : this.#attached?.connection;
    this.#isClosed = true;
    this.#detach();
    this.#tools.end();
    await this.terminals.end();
    await stuck?.close('a turn on it did not end when it was cancelled');
    if (this.#key !== '') await this.#context.pool.drop(this.#key, 'its chat was ended');
  }

  toolsChanged(): void {
    this.#tools.changed();
  }

  async update(update: SessionUpdate): Promise<void> {
    const { host } = this.#options;
    this.#updateCount += 1;
    switch (update.type) {
      case 'commands':
        return host.commands(update.commands);
      case 'info':
        return update.title === undefined ? undefined : host.title(update.title);
      case 'mode':
      case 'configOptions':
        return this.#config.take(update);
      default:
        // Outside a turn the rest is history that is being loaded again, or too late.
        return this.#turn?.update(update);
    }
  }

  async permission(params: JsonObject): Promise<string | undefined> {
    return this.#turn?.permission(params);
  }

  readonly askPeople: AskPeople = (questions, withdrawn) => this.#turn?.ask(questions, withdrawn);

  readTextFile(params: JsonObject): Promise<string> {
    return readTextFile(this.#options.workingDirectory, params);
  }

  writeTextFile(params: JsonObject): Promise<void> {
    return writeTextFile(this.#options.workingDirectory, params);
  }

  async #prompt(
    input: TurnInput,
    output: TurnOutput,
    signal: AbortSignal,
    steering: PromptSteering,
  ): Promise<void> {
    const attached = this.#attached;
    if (attached === undefined)
      throw new AgentError('agentExited', `${this.#name} ended before the turn began`);
    const { connection, sessionId } = attached;
    for (const notice of this.#notices) output.notify(notice);
    this.#notices.clear();
    const model = input.message.model?.id;
    if (model !== undefined && !(await this.#config.chooseModel(this.#target(attached), model))) {
      output.notify(`${this.#name} offers no model ${model}; it goes on with the one that it uses.`);
    }
    const tell = (problem: string): void => output.notify(problem);
    const prompt: ContentBlock[] = await promptBlocks(input, connection.traits, tell);
    prompt.unshift(...input.context.map((text): ContentBlock => ({ type: 'text', text })));
    if (this.#priming !== undefined && input.instructions !== undefined)
      prompt.unshift({ type: 'text', text: input.instructions });
    if (this.#priming !== undefined) prompt.unshift({ type: 'text', text: this.#priming });
    if (signal.aborted) return;
    const { workingDirectory } = this.#options;
    const turn = new AcpTurn(input.turnId, output, {
      workingDirectory,
      terminals: this.terminals,
      children: this.#children,
      twins: new ClientToolTwins(() => this.#tools.list()),
    });
    this.#children.use(connection);
    this.#turn = turn;
    const cancel = (): void => connection.notify('session/cancel', { sessionId });
    signal.addEventListener('abort', cancel, { once: true });
    try {
      const answer = connection.request('session/prompt', { sessionId, prompt });
      steering.begin({ connection, sessionId, readResource: input.readResource, tell });
      const result = await answer;
      this.#priming = undefined;
      turn.finish(result);
      if (!signal.aborted) await this.#awaitUsage(turn);
    } finally {
      signal.removeEventListener('abort', cancel);
      this.#turn = undefined;
      await turn.showKeptBack();
      await this.terminals.endTurn(signal.aborted);
    }
  }

  async #awaitUsage(turn: AcpTurn): Promise<void> {
    let cancel = (): void => {};
    const late = new Promise<void>((resolve) => {
      cancel = this.#context.timers.after(trailingUsageMs, resolve);
    });
    await Promise.race([turn.usageSeen, late]);
    cancel();
  }

  /** Holds the connection, with the agent's session on it. */
  async #attach(): Promise<ConnectionLease> {
    if (this.#isClosed) throw new AgentError('agentExited', `the session with ${this.#name} is closed`);
    const lease = await this.#context.pool.acquire(this.#key, this.#options.workingDirectory, () =>
      this.#options.onStep?.('handshake'),
    );
    this.#options.onStep?.('session');
    try {
      const { canLoad, canResume } = lease.connection.traits;
      const canReopen = canLoad || canResume;
      if (
        this.#attached?.connection !== lease.connection ||
        (canReopen && (await this.#tools.areMissing()))
      ) {
        await this.#closeAgentSession();
        this.#detach();
        this.#mcpServers = await this.#toolServers(!canReopen);
        this.#attached = (await this.#restore(lease.connection)) ?? (await this.#create(lease.connection));
        if (this.#isClosed) this.#detach();
        if (this.#attached === undefined)
          throw new AgentError('agentExited', `the session with ${this.#name} is closed`);
        this.#watch(this.#attached);
        await this.#config.apply(this.#target(this.#attached));
      }
      return lease;
    } catch (error) {
      lease.release();
      throw error;
    }
  }

  /** It works without them, too. */
  async #toolServers(isLastChance: boolean): Promise<ToolServerEntry[]> {
    try {
      return await this.#tools.servers(isLastChance);
    } catch (error) {
      const reason = String(error);
      this.#context.log('warn', 'no server for tools of clients', { reason });
      this.#notices.add(
        `${this.#name} gets no tools of clients: the host cannot serve them (${brief(reason)}).`,
      );
      return [];
    }
  }

  async #restore(connection: AcpConnection): Promise<Attachment | undefined> {
    const sessionId = this.#sessionId;
    if (sessionId === undefined) return undefined;
    const { canResume, canLoad } = connection.traits;
    const methods = [...(canResume ? ['session/resume'] : []), ...(canLoad ? ['session/load'] : [])];
    let reason = 'it cannot resume sessions';
    for (const method of methods) {
      // Before the request, since loading sends the history first: config in it counts, messages are ignored.
      const detach = await connection.attach(sessionId, this);
      try {
        this.#config.offered.read(
          await this.#request(connection, method, this.#sessionParams({ sessionId })),
        );
        if (method === 'session/load') await this.#passHistory();
        return { connection, sessionId, detach };
      } catch (error) {
        detach();
        if (!connection.isOpen || (error instanceof AgentError && error.errorType === 'authRequired'))
          throw error;
        reason = error instanceof Error ? error.message : String(error);
        this.#context.log('info', 'agent session not resumed', { method, sessionId, reason });
      }
    }
    this.#sessionId = undefined;
    await this.#prime();
    if (this.#priming !== undefined) {
      this.#notices.add(
        `${this.#name} could not take up its earlier session and goes on from a record of this chat (${brief(reason)}).`,
      );
    }
    return undefined;
  }

  async #passHistory(): Promise<void> {
    let seen = -1;
    for (let waitedMs = 0; seen !== this.#updateCount; waitedMs += lateHistoryMs) {
      if (waitedMs >= longestHistoryMs) return;
      seen = this.#updateCount;
      await new Promise<void>((resolve) => {
        this.#context.timers.after(lateHistoryMs, resolve);
      });
    }
  }

  async #create(connection: AcpConnection): Promise<Attachment> {
    if (this.#priming === undefined) await this.#prime();
    const answer = await this.#request(connection, 'session/new', this.#sessionParams({}));
    const sessionId = textOf(answer['sessionId']);
    if (sessionId === undefined) {
      throw new AgentError('agentError', `${this.#name} answered session/new without a session id`);
    }
    const detach = await connection.attach(sessionId, this);
    this.#sessionId = sessionId;
    this.#config.offered.read(answer);
    this.#context.onOffered(this.#config.offered);
    this.#options.host.saveMemory({ sessionId });
    return { connection, sessionId, detach };
  }

  async #prime(): Promise<void> {
    this.#priming = primingText(await this.#options.history());
  }

  #watch(attached: Attachment): void {
    void attached.connection.closed.then((reason) => {
      if (this.#attached !== attached) return;
      this.#detach();
      if (attached.connection.wasStopped || this.#isClosed) return;
      // Nobody waits for what it was running; what runs in the background stays.
      void this.terminals.end();
      this.#options.host.exited(reason.message);
    });
  }

  /** Lets the agent end its session, where it can; it may be resumed. Never rejects. */
  async #closeAgentSession(): Promise<void> {
    const attached = this.#attached;
    if (attached?.connection.isOpen !== true || !attached.connection.traits.canClose) return;
    const { sessionId } = attached;
    await this.#request(attached.connection, 'session/close', { sessionId }, closeTimeoutMs).catch(
      (error: unknown) => this.#context.log('info', 'agent session not closed', { error: String(error) }),
    );
  }

  #detach(): void {
    this.#children.detach();
    this.#attached?.detach();
    this.#attached = undefined;
  }

  #target({ connection, sessionId }: Attachment): ConfigTarget {
    return {
      connection,
      request: (method, params) => this.#request(connection, method, { sessionId, ...params }),
    };
  }

  #sessionParams(more: JsonObject): JsonObject {
    return { cwd: this.#options.workingDirectory, mcpServers: this.#mcpServers, ...more };
  }

  #request(
    connection: AcpConnection,
    method: string,
    params: JsonObject,
    timeoutMs = this.#context.sessionTimeoutMs,
  ): Promise<JsonObject> {
    return withDeadline(
      connection.request(method, params),
      this.#context.timers,
      timeoutMs,
      () =>
        new AgentError(
          'agentUnresponsive',
          `${this.#name} did not answer ${method} within ${timeoutMs / 1000} s`,
        ),
    );
  }

  get #name(): string {
    return this.#context.agent.displayName;
  }
}

/** The first line of a reason, for the transcript; the log has all of it. */
function brief(reason: string): string {
  const [line = ''] = reason.split('\n');
  return line.length <= 200 ? line : `${line.slice(0, 200)} …`;
}
