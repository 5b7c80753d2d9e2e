import { AgentError, type OpenAgentSession } from '@agenthost/host/agent';
import { errorText } from '@agenthost/protocol/values';
import type { OfferedTools } from '../client-tools/offered-tools.ts';
import type { ToolServerEntry } from '../client-tools/tool-server.ts';
import type { ConfigControl, ConfigTarget } from '../config/config-control.ts';
import { type JsonObject, objectOf, textOf } from '../json.ts';
import type { AcpConnection, SessionReceiver } from '../process/connection.ts';
import type { ConnectionLease } from '../process/connection-pool.ts';
import { withDeadline } from '../runtime.ts';
import type { ChildSessions } from './child-sessions.ts';
import { primingText } from './priming.ts';
import type { AcpSessionContext } from './session-context.ts';

/** A session of the agent on a connection. */
interface AttachedSession extends ConfigTarget {
  readonly sessionId: string;
}

interface Attachment extends AttachedSession {
  readonly detach: () => void;
}

/** Parts of a chat's session that opening it needs. */
interface SessionOpeningParts {
  readonly context: AcpSessionContext;
  readonly options: OpenAgentSession;
  /** Takes the agent's messages while the session is attached. */
  readonly receiver: SessionReceiver;
  readonly children: ChildSessions;
  readonly config: ConfigControl;
  readonly tools: OfferedTools;
  /** Called when the agent exited unexpectedly. */
  onLost(reason: string): void;
}

/**
 * Some agents answer `session/load` first and send the history after it. The history counts as complete when
 * nothing arrives for this long. An agent that never stops sending must not delay the turn forever.
 * Milliseconds.
 */
const LATE_HISTORY_MS = 200;
const LONGEST_HISTORY_MS = 10_000;

/** Time limit for an agent to close its session, in milliseconds. */
const CLOSE_TIMEOUT_MS = 2_000;

/**
 * Opens a chat's session with the agent: a new one, or the earlier one by the agent's own id. If the
 * earlier one is lost, opens a new one with a record of the chat for the agent (`priming`), and notices for people
 * (`takeNotices`).
 */
export class SessionOpening {
  readonly #parts: SessionOpeningParts;
  readonly #context: AcpSessionContext;
  readonly #options: OpenAgentSession;
  readonly #key: string;
  #mcpServers: ToolServerEntry[] = [];
  #sessionId: string | undefined;
  /** The turn whose message the agent's session got last. */
  #promptedTurn: string | undefined;
  /** The agent's session was created and got no message yet. */
  #isUnused: boolean;
  #attached: Attachment | undefined;
  #priming: string | undefined;
  /** Notices that people get in the next turn. */
  readonly #notices = new Set<string>();
  #isClosed = false;
  #updateCount = 0;

  constructor(parts: SessionOpeningParts) {
    this.#parts = parts;
    this.#context = parts.context;
    this.#options = parts.options;
    const memory = objectOf(parts.options.memory);
    this.#sessionId = textOf(memory['sessionId']);
    this.#promptedTurn = textOf(memory['turnId']);
    this.#isUnused = memory['isUnused'] === true;
    this.#key = parts.context.agent.sharesProcess === false ? parts.options.chat : '';
  }

  /** The attached session. `undefined` before `attach` and after its connection has closed. */
  get attached(): AttachedSession | undefined {
    return this.#attached;
  }

  /** Whether the session is closed for good. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** The record of the chat that the agent still needs, when its session does not know the chat. */
  get priming(): string | undefined {
    return this.#priming;
  }

  /** Whether the agent's session got the message of this turn. */
  knowsTurn(turnId: string): boolean {
    return this.#promptedTurn === turnId;
  }

  /** The message of a turn is about to be sent. Saves what a resumption of the turn needs [CHAT-23]. */
  beginTurn({ connection, sessionId }: AttachedSession, turnId: string): void {
    this.#promptedTurn = turnId;
    this.#isUnused = false;
    const { canLoad, canResume } = connection.traits;
    this.#options.host.saveMemory({
      sessionId,
      turnId,
      ...(canLoad || canResume ? { canReopen: true } : {}),
    });
  }

  /** The agent has processed a prompt with the record. */
  endPriming(): void {
    this.#priming = undefined;
  }

  /** Notices about the opening for people. Each is returned once. */
  takeNotices(): readonly string[] {
    const notices = [...this.#notices];
    this.#notices.clear();
    return notices;
  }

  /** The agent has sent an update, which may belong to a history being loaded. */
  countUpdate(): void {
    this.#updateCount += 1;
  }

  /**
   * Leases the connection and attaches the agent's session. Rejects when that is impossible, with
   * `AgentError` for the agent's reasons.
   */
  async attach(): Promise<ConnectionLease> {
    if (this.#isClosed) throw new AgentError('agentExited', `the session with ${this.#name} is closed`);
    const { config, tools } = this.#parts;
    const lease = await this.#context.pool.acquire(this.#key, this.#options.workingDirectory, () =>
      this.#options.onStep?.('handshake'),
    );
    this.#options.onStep?.('session');
    try {
      const { canLoad, canResume } = lease.connection.traits;
      const canReopen = canLoad || canResume;
      if (this.#attached?.connection !== lease.connection || (canReopen && (await tools.areMissing()))) {
        await this.#closeAgentSession();
        this.#detach();
        this.#mcpServers = await this.#toolServers(!canReopen);
        this.#attached = (await this.#restore(lease.connection)) ?? (await this.#create(lease.connection));
        if (this.#isClosed) this.#detach();
        if (this.#attached === undefined)
          throw new AgentError('agentExited', `the session with ${this.#name} is closed`);
        this.#watch(this.#attached);
        await config.apply(this.#attached);
      }
      return lease;
    } catch (error) {
      lease.release();
      throw error;
    }
  }

  /** Asks the agent to close its session, if it can, and stops receiving its messages. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#closeAgentSession();
    this.#detach();
  }

  /** Stops receiving the session's messages without telling the agent. */
  abandon(): void {
    this.#isClosed = true;
    this.#detach();
  }

  /** Stops the agent's process if it belongs to this chat alone. */
  async dropProcess(because: string): Promise<void> {
    if (this.#key !== '') await this.#context.pool.drop(this.#key, because);
  }

  /** Starts the tool servers. Returns none if that fails, because the session works without tools. */
  async #toolServers(isLastChance: boolean): Promise<ToolServerEntry[]> {
    try {
      return await this.#parts.tools.servers(isLastChance);
    } catch (error) {
      const reason = String(error);
      this.#context.log('warn', 'the server for tools of clients could not be started', { reason });
      this.#notices.add(
        `Tools of clients are not available to ${this.#name}: the host could not serve them (${brief(reason)}).`,
      );
      return [];
    }
  }

  async #restore(connection: AcpConnection): Promise<Attachment | undefined> {
    const sessionId = this.#sessionId;
    // A session without a message has nothing to resume, and Codex sends nothing for one that it resumed.
    if (sessionId === undefined || this.#isUnused) return undefined;
    const { canResume, canLoad } = connection.traits;
    const methods = [...(canResume ? ['session/resume'] : []), ...(canLoad ? ['session/load'] : [])];
    let reason = 'it cannot resume sessions';
    for (const method of methods) {
      // Attaches before the request, because an agent sends the history before its answer. The config in the
      // history is used; the messages are ignored.
      const attachment = await this.#receive(connection, sessionId);
      try {
        this.#parts.config.offered.read(
          await this.#request(connection, method, this.#sessionParams(connection, { sessionId })),
        );
        if (method === 'session/load') await this.#passHistory();
        return attachment;
      } catch (error) {
        attachment.detach();
        if (!connection.isOpen || (error instanceof AgentError && error.errorType === 'authRequired'))
          throw error;
        reason = errorText(error);
        this.#context.log('info', 'agent session not resumed', { method, sessionId, reason });
      }
    }
    this.#sessionId = undefined;
    this.#promptedTurn = undefined;
    await this.#prime();
    if (this.#priming !== undefined) {
      this.#notices.add(
        `${this.#name} could not resume its earlier session and continues from a record of this chat (${brief(reason)}).`,
      );
    }
    return undefined;
  }

  async #passHistory(): Promise<void> {
    let seen = -1;
    for (let waitedMs = 0; seen !== this.#updateCount; waitedMs += LATE_HISTORY_MS) {
      if (waitedMs >= LONGEST_HISTORY_MS) return;
      seen = this.#updateCount;
      await new Promise<void>((resolve) => {
        this.#context.timers.after(LATE_HISTORY_MS, resolve);
      });
    }
  }

  async #create(connection: AcpConnection): Promise<Attachment> {
    if (this.#priming === undefined) await this.#prime();
    const answer = await this.#request(connection, 'session/new', this.#sessionParams(connection, {}));
    const sessionId = textOf(answer['sessionId']);
    if (sessionId === undefined) {
      throw new AgentError('agentError', `${this.#name} answered session/new without a session id`);
    }
    const attachment = await this.#receive(connection, sessionId);
    const { offered } = this.#parts.config;
    this.#sessionId = sessionId;
    this.#promptedTurn = undefined;
    this.#isUnused = true;
    offered.read(answer);
    this.#context.onOffered(offered);
    this.#options.host.saveMemory({ sessionId, isUnused: true });
    return attachment;
  }

  async #prime(): Promise<void> {
    this.#priming = primingText(await this.#options.history());
  }

  async #receive(connection: AcpConnection, sessionId: string): Promise<Attachment> {
    const detach = await connection.attach(sessionId, this.#parts.receiver);
    return {
      connection,
      sessionId,
      detach,
      request: (method, params) => this.#request(connection, method, { sessionId, ...params }),
    };
  }

  #watch(attached: Attachment): void {
    void attached.connection.closed.then((reason) => {
      if (this.#attached !== attached) return;
      this.#detach();
      if (attached.connection.wasStopped || this.#isClosed) return;
      this.#parts.onLost(reason.message);
    });
  }

  /** Asks the agent to close its session, if it can; it may be resumed later. Never rejects. */
  async #closeAgentSession(): Promise<void> {
    const attached = this.#attached;
    if (attached?.connection.isOpen !== true || !attached.connection.traits.canClose) return;
    const { sessionId } = attached;
    await this.#request(attached.connection, 'session/close', { sessionId }, CLOSE_TIMEOUT_MS).catch(
      (error: unknown) => this.#context.log('info', 'agent session not closed', { error: String(error) }),
    );
  }

  #detach(): void {
    this.#parts.children.detach();
    this.#attached?.detach();
    this.#attached = undefined;
  }

  #sessionParams(connection: AcpConnection, more: JsonObject): JsonObject {
    const { workingDirectory: cwd, moreDirectories = [] } = this.#options;
    const takesDirectories = connection.traits.takesDirectories && moreDirectories.length > 0;
    return {
      cwd,
      ...(takesDirectories ? { additionalDirectories: moreDirectories } : {}),
      mcpServers: this.#mcpServers,
      ...more,
    };
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

/** The first line of a reason, for the transcript. The log has the whole text. */
function brief(reason: string): string {
  const [line = ''] = reason.split('\n');
  return line.length <= 200 ? line : `${line.slice(0, 200)} …`;
}
