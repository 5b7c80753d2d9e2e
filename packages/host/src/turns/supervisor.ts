import type { ChatAction, ErrorInfo } from '@agenthost/protocol';
import { errorText } from '@agenthost/protocol/values';
import { AgentError } from '../agents/errors.ts';
import { isAwaited } from '../sync/awaited.ts';
import type { Channel } from '../sync/channel.ts';
import { turnDuration } from '../sync/turn-time.ts';
import type { Tx } from '../sync/tx.ts';
import { ChatRunner } from './chat-runner.ts';
import { failurePart } from './failure.ts';
import type { SpawnChat } from './output/turn-output.ts';
import { WorkerChats } from './output/worker-chat.ts';
import type { TurnParts } from './parts.ts';

const HOST_STOPPED: ErrorInfo = {
  errorType: 'hostRestarted',
  message: 'The host was stopped while this was running',
};

/**
 * Owns every open turn. Its methods are called after the commit; each one checks whether its cause still
 * holds.
 */
export class TurnSupervisor {
  readonly #parts: TurnParts;
  readonly #runners = new Map<string, ChatRunner>();
  readonly #workers: WorkerChats;
  /** Agents of removed chats that end now. */
  readonly #closing = new Set<Promise<void>>();
  #isStopping = false;

  constructor(parts: TurnParts) {
    this.#parts = parts;
    this.#workers = new WorkerChats(parts);
  }

  /**
   * Opens the agent of a new session. The session, and turns that wait for it, then start or fail [SESS-2].
   */
  begin(sessionUri: string, chatUri: string): void {
    this.#begin(sessionUri, chatUri).catch((error: unknown) =>
      this.#parts.log.error({ error, session: sessionUri }, 'could not start a session'),
    );
  }

  async #begin(sessionUri: string, chatUri: string): Promise<void> {
    const { sync } = this.#parts;
    const chat = sync.registry.getOf('chat', chatUri);
    // A host that stops opens no agent. The next host reports that the session was not created.
    if (this.#isStopping || chat === undefined) return;
    const release = chat.pin();
    try {
      await this.#parts.prepareSession(sessionUri);
      // The session may have been removed meanwhile.
      if (!this.#isStopping && chat.isAlive) await this.#runner(chat).open();
      this.#settle(sessionUri, (tx, session) => tx.emit(session, { type: 'session/ready' }));
    } catch (error) {
      const next = this.#successor(sessionUri, chatUri);
      if (next !== undefined) return await this.#begin(sessionUri, next);
      const info =
        error instanceof AgentError
          ? { errorType: error.errorType, message: error.message }
          : { errorType: 'hostError', message: errorText(error) };
      this.#settle(sessionUri, (tx, session) => {
        tx.emit(session, { type: 'session/creationFailed', error: info });
        for (const { resource } of session.state.chats) {
          const waiting = sync.registry.getOf('chat', resource);
          const turnId = waiting?.state.activeTurn?.id;
          if (waiting !== undefined && turnId !== undefined) {
            const duration = turnDuration(sync, waiting);
            tx.emit(waiting, { type: 'chat/error', turnId, duration, part: { kind: 'error', error: info } });
          }
        }
      });
    } finally {
      release();
    }
  }

  /** Runs a turn that has started. A turn waits while its session is being created. */
  start(chatUri: string, turnId: string): void {
    const { sync, log } = this.#parts;
    const chat = sync.registry.getOf('chat', chatUri);
    if (chat === undefined || chat.state.activeTurn?.id !== turnId) return;
    if (this.#isStopping) return this.#endTurn(chat, turnId, HOST_STOPPED);
    // The provider of the turn that spawned a worker chat writes it.
    if (chat.state.origin?.kind === 'tool') return;
    const session = sync.registry.getOf('session', chat.session ?? '');
    if (session === undefined || session.state.lifecycle === 'creating') return;
    if (session.state.lifecycle === 'failed') {
      const { creationError: error = { errorType: 'hostError', message: 'The session was not created' } } =
        session.state;
      return this.#endTurn(chat, turnId, error);
    }
    this.#runner(chat)
      .start(turnId)
      .catch((error: unknown) => log.error({ error, chat: chatUri }, 'could not run a turn'));
  }

  /** Stops the chat's turn after an action has ended or removed it. */
  stop(chatUri: string, turnId: string | undefined): void {
    const runner = this.#runners.get(chatUri);
    if (runner !== undefined && (turnId === undefined || runner.runningTurn === turnId)) runner.stop();
  }

  /**
   * Passes on the chat's steering message. Without an active turn the message waits for the next turn
   * [CHAT-12].
   */
  steer(chatUri: string): void {
    this.#runners.get(chatUri)?.steer();
  }

  /** Makes the agent forget the chat after its history was cut. */
  forget(chatUri: string): void {
    const chat = this.#parts.sync.registry.getOf('chat', chatUri);
    if (chat !== undefined) this.#runner(chat).forget();
  }

  /**
   * Makes the chat's agent forget its permanent approvals: the next turn opens a new agent session. The
   * current turn continues.
   */
  renewAgent(chatUri: string, provider: string): void {
    const { agents } = this.#parts;
    // A provider that this host no longer offers runs no agents.
    if (agents.ids.includes(provider)) agents.get(provider).forgetGrants?.(chatUri);
    this.#runners.get(chatUri)?.renewAgent();
  }

  answered(chatUri: string, action: Extract<ChatAction, { type: 'chat/toolCallConfirmed' }>): void {
    this.#runners.get(chatUri)?.answered(action);
    this.#workers.outputOf(chatUri)?.answered(action.toolCallId, action);
  }

  resultAnswered(
    chatUri: string,
    action: Extract<ChatAction, { type: 'chat/toolCallResultConfirmed' }>,
  ): void {
    this.#runners.get(chatUri)?.resultAnswered(action);
    this.#workers.outputOf(chatUri)?.resultAnswered(action.toolCallId, action.approved);
  }

  /** Called when an input request of the chat's turn was closed. */
  inputCompleted(chatUri: string, requestId: string): void {
    this.#runners.get(chatUri)?.inputCompleted(requestId);
    this.#workers.outputOf(chatUri)?.inputCompleted(requestId);
  }

  /** Passes changed values of a session's mutable config to its agents. */
  configure(chatUris: readonly string[], values: Readonly<Record<string, unknown>>): void {
    for (const uri of chatUris) {
      this.#runners
        .get(uri)
        ?.configure(values)
        .catch((error: unknown) =>
          this.#parts.log.warn({ error, chat: uri }, 'the agent rejected changed config values'),
        );
    }
  }

  /** Makes the next turns of these chats open their agents in the present working directories [SESS-21]. */
  directoriesChanged(chatUris: readonly string[]): void {
    for (const uri of chatUris) this.#runners.get(uri)?.reopenAgent();
  }

  /** Tells the agents of these chats that the tools of active clients have changed. */
  toolsChanged(chatUris: readonly string[]): void {
    for (const uri of chatUris) {
      this.#runners
        .get(uri)
        ?.toolsChanged()
        .catch((error: unknown) =>
          this.#parts.log.warn({ error, chat: uri }, 'the agent rejected changed client tools'),
        );
    }
  }

  /**
   * Closes the agents of chats that have not been in memory since `before` (by `steadyNow`). The journal has
   * the agents' state.
   */
  closeIdle(before: number): void {
    for (const [uri, runner] of this.#runners) {
      if (this.#parts.sync.registry.get(uri) !== undefined) runner.touch();
      else if (runner.usedAt < before) this.disposeChat(uri);
    }
  }

  /** Ids of the processes of open agents, by session. */
  agentProcesses(): { readonly session: string; readonly pids: readonly number[] }[] {
    return [...this.#runners.values()].map(({ processes }) => processes);
  }

  /** Ends the agent of a removed chat. */
  disposeChat(chatUri: string): void {
    const runner = this.#runners.get(chatUri);
    this.#runners.delete(chatUri);
    if (runner === undefined) return;
    const closing = runner.dispose().finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }

  /** Resolves when the agents of all chats that were removed so far have ended. Never rejects. */
  async agentsClosed(): Promise<void> {
    await Promise.allSettled([...this.#closing]);
  }

  /**
   * Ends all turns, so that clients see the reason before their connection closes, and then all agents. A
   * turn that starts later ends at once.
   */
  async shutDown(): Promise<void> {
    const { sync } = this.#parts;
    this.#isStopping = true;
    for (const chat of sync.registry.ofKind('chat'))
      this.#endTurn(chat, chat.state.activeTurn?.id, HOST_STOPPED);
    await sync.path.drain();
    const runners = [...this.#runners.values()];
    this.#runners.clear();
    await Promise.all(runners.map((runner) => runner.dispose({ isHostStopping: true })));
  }

  #endTurn(chat: Channel<'chat'>, turnId: string | undefined, error: ErrorInfo): void {
    if (turnId === undefined) return;
    this.#parts.sync.transact('host', (tx) => {
      if (chat.state.activeTurn?.id !== turnId) return;
      const duration = turnDuration(this.#parts.sync, chat);
      const part = failurePart(this.#parts, chat, error);
      tx.emit(chat, { type: 'chat/error', turnId, duration, part });
    });
  }

  /** The session's new default chat, if the first one was disposed of while its agent was opened. */
  #successor(sessionUri: string, chatUri: string): string | undefined {
    const { registry } = this.#parts.sync;
    const next = registry.getOf('session', sessionUri)?.state.defaultChat;
    return next !== chatUri && registry.get(chatUri) === undefined ? next : undefined;
  }

  #runner(chat: Channel<'chat'>): ChatRunner {
    let runner = this.#runners.get(chat.uri);
    if (runner === undefined) {
      const spawnChat: SpawnChat = (of, start) => this.#workers.spawn(of, start);
      runner = new ChatRunner({ ...this.#parts, spawnChat }, chat);
      this.#runners.set(chat.uri, runner);
    }
    return runner;
  }

  /** Ends a session's creation with this outcome and starts the turns that waited for it. */
  #settle(sessionUri: string, outcome: (tx: Tx, session: Channel<'session'>) => void): void {
    const { sync } = this.#parts;
    sync.transact('host', (tx) => {
      const session = sync.registry.getOf('session', sessionUri);
      if (session?.state.lifecycle !== 'creating') return;
      outcome(tx, session);
      if (!isAwaited(session)) tx.write({ op: 'markClosed', uri: sessionUri });
      tx.effect(() => {
        for (const chat of sync.registry.ofSession(sessionUri)) {
          if (chat.is('chat') && chat.state.activeTurn !== undefined)
            this.start(chat.uri, chat.state.activeTurn.id);
        }
      });
    });
  }
}
