import type { ChatAction, ErrorInfo } from '@agenthost/protocol';
import { errorText } from '@agenthost/protocol/values';
import { AgentError } from '../agents/errors.ts';
import type { Channel } from '../sync/channel.ts';
import type { Tx } from '../sync/tx.ts';
import { ChatRunner } from './chat-runner.ts';
import type { SpawnChat } from './output/turn-output.ts';
import { WorkerChats } from './output/worker-chat.ts';
import type { TurnParts } from './parts.ts';

const HOST_STOPPED: ErrorInfo = {
  errorType: 'hostRestarted',
  message: 'The host was stopped while this was running',
};

/** Every open turn has an owner here. Called behind the commit; each call looks again whether its cause still stands. */
export class TurnSupervisor {
  readonly #parts: TurnParts;
  readonly #runners = new Map<string, ChatRunner>();
  readonly #workers: WorkerChats;
  #isStopping = false;

  constructor(parts: TurnParts) {
    this.#parts = parts;
    this.#workers = new WorkerChats(parts);
  }

  /** Opens the agent of a new session; the session becomes ready or fails, and so do turns that wait for it [SESS-2]. */
  begin(sessionUri: string, chatUri: string): void {
    this.#begin(sessionUri, chatUri).catch((error: unknown) =>
      this.#parts.log.error({ error, session: sessionUri }, 'a session could not be begun'),
    );
  }

  async #begin(sessionUri: string, chatUri: string): Promise<void> {
    const { sync } = this.#parts;
    const chat = sync.registry.getOf('chat', chatUri);
    // A host that stops opens no agent: the next one says that the session was not created.
    if (this.#isStopping || chat === undefined) return;
    const release = chat.pin();
    try {
      await this.#runner(chat).open();
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
            tx.emit(waiting, { type: 'chat/error', turnId, error: info });
          }
        }
      });
    } finally {
      release();
    }
  }

  /** A turn has started. While its session is being created it waits for that. */
  start(chatUri: string, turnId: string): void {
    const { sync, log } = this.#parts;
    const chat = sync.registry.getOf('chat', chatUri);
    if (chat === undefined || chat.state.activeTurn?.id !== turnId) return;
    if (this.#isStopping) return this.#endTurn(chat, HOST_STOPPED);
    // Whoever has the turn that spawned it writes it.
    if (chat.state.origin?.kind === 'tool') return;
    const session = sync.registry.getOf('session', chat.session ?? '');
    if (session === undefined || session.state.lifecycle === 'creating') return;
    if (session.state.lifecycle === 'creationFailed') {
      const { creationError: error = { errorType: 'hostError', message: 'The session was not created' } } =
        session.state;
      sync.transact('host', (tx) => {
        if (chat.state.activeTurn?.id === turnId) tx.emit(chat, { type: 'chat/error', turnId, error });
      });
      return;
    }
    this.#runner(chat)
      .start(turnId)
      .catch((error: unknown) => log.error({ error, chat: chatUri }, 'a turn could not be run'));
  }

  /** The chat's turn was ended or cut away by an action. */
  stop(chatUri: string, turnId: string | undefined): void {
    const runner = this.#runners.get(chatUri);
    if (runner !== undefined && (turnId === undefined || runner.runningTurn === turnId)) runner.stop();
  }

  /** There is a steering message in the chat. Without a running turn it waits for the next one [CHAT-12]. */
  steer(chatUri: string): void {
    this.#runners.get(chatUri)?.steer();
  }

  /** History was cut. */
  forget(chatUri: string): void {
    const chat = this.#parts.sync.registry.getOf('chat', chatUri);
    if (chat !== undefined) this.#runner(chat).forget();
  }

  /** The chat's agent is to forget what it was allowed for good: its next turn opens another session of it. A turn that runs goes on. */
  renewAgent(chatUri: string, provider: string): void {
    const { agents } = this.#parts;
    // One that this host no longer offers runs nothing.
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

  /** An input request of the chat's turn was closed. */
  inputCompleted(chatUri: string, requestId: string): void {
    this.#runners.get(chatUri)?.inputCompleted(requestId);
    this.#workers.outputOf(chatUri)?.inputCompleted(requestId);
  }

  /** A session's mutable config changed. */
  configure(chatUris: readonly string[], values: Readonly<Record<string, unknown>>): void {
    for (const uri of chatUris) {
      this.#runners
        .get(uri)
        ?.configure(values)
        .catch((error: unknown) =>
          this.#parts.log.warn({ error, chat: uri }, 'the agent did not take the config'),
        );
    }
  }

  /** The tools that active clients offer to these chats have changed. */
  toolsChanged(chatUris: readonly string[]): void {
    for (const uri of chatUris) {
      this.#runners
        .get(uri)
        ?.toolsChanged()
        .catch((error: unknown) =>
          this.#parts.log.warn({ error, chat: uri }, 'the agent did not take the tools'),
        );
    }
  }

  /** Closes the agents of chats that were out of memory since `before` (by `steadyNow`); what they know is in the journal. */
  closeIdle(before: number): void {
    for (const [uri, runner] of this.#runners) {
      if (this.#parts.sync.registry.get(uri) !== undefined) runner.touch();
      else if (runner.usedAt < before) this.disposeChat(uri);
    }
  }

  /** A chat has gone: its agent is ended. */
  disposeChat(chatUri: string): void {
    const runner = this.#runners.get(chatUri);
    this.#runners.delete(chatUri);
    void runner?.dispose();
  }

  /**
   * The host stops: ends all turns, so that clients see why before their connection closes, then all agents. A turn that
   * starts later ends at once.
   */
  async shutDown(): Promise<void> {
    const { sync } = this.#parts;
    this.#isStopping = true;
    for (const channel of sync.registry.all()) if (channel.is('chat')) this.#endTurn(channel, HOST_STOPPED);
    await sync.path.drain();
    const runners = [...this.#runners.values()];
    this.#runners.clear();
    await Promise.all(runners.map((runner) => runner.dispose({ isHostStopping: true })));
  }

  #endTurn(chat: Channel<'chat'>, error: ErrorInfo): void {
    this.#parts.sync.transact('host', (tx) => {
      const turnId = chat.state.activeTurn?.id;
      if (turnId !== undefined) tx.emit(chat, { type: 'chat/error', turnId, error });
    });
  }

  /** The chat to open the agent for when the first one was disposed of before that was done. */
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

  /** Ends a session's creation one way or the other, and starts what waited for it. */
  #settle(sessionUri: string, outcome: (tx: Tx, session: Channel<'session'>) => void): void {
    const { sync } = this.#parts;
    sync.transact('host', (tx) => {
      const session = sync.registry.getOf('session', sessionUri);
      if (session?.state.lifecycle !== 'creating') return;
      outcome(tx, session);
      // It stays marked while clients are active in it, who may go with the host.
      if (session.state.activeClients.length === 0) tx.write({ op: 'markClosed', uri: sessionUri });
      tx.effect(() => {
        for (const chat of sync.registry.ofSession(sessionUri)) {
          if (chat.is('chat') && chat.state.activeTurn !== undefined)
            this.start(chat.uri, chat.state.activeTurn.id);
        }
      });
    });
  }
}
