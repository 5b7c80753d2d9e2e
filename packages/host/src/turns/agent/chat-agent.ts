import type { Turn } from '@agenthost/protocol';
import { AgentError } from '../../agents/errors.ts';
import type { AgentSession } from '../../agents/provider.ts';
import { agentValues } from '../../config/session-keys.ts';
import type { Channel } from '../../sync/channel.ts';
import type { Sync } from '../../sync/sync.ts';
import { readTurn } from '../../sync/window.ts';
import type { TurnParts } from '../parts.ts';
import { agentSessionHost } from './agent-host.ts';

/** Time that an agent gets to close before it is terminated. */
const CLOSE_GRACE_MS = 10_000;
/** Maximum number of turns, and bytes of their JSON, that an agent without a memory of its own is given. */
const HISTORY_TURNS = 50;
const HISTORY_BYTES = 8 * 1024 * 1024;

type AgentState =
  | { readonly phase: 'none' }
  | { readonly phase: 'opening'; readonly promise: Promise<AgentSession>; readonly abort: AbortController }
  | { readonly phase: 'open'; readonly session: AgentSession };

/**
 * The agent session of one chat. Opened on demand; calls of a replaced agent session are recognized and
 * ignored.
 */
export class ChatAgent {
  readonly #parts: TurnParts;
  readonly #owner: { readonly chat: string; readonly session: string };
  readonly #onExited: (reason: string) => void;
  #state: AgentState = { phase: 'none' };
  /** Agent sessions that do not know the chat's earlier turns and whose user has not been told so yet. */
  readonly #withoutHistory = new WeakSet<AgentSession>();
  /** Incremented for each agent session, to recognize calls of earlier ones. */
  #generation = 0;

  /** `onExited`: called when the current agent process exits unexpectedly. */
  constructor(
    parts: TurnParts,
    owner: { readonly chat: string; readonly session: string },
    onExited: (reason: string) => void,
  ) {
    this.#parts = parts;
    this.#owner = owner;
    this.#onExited = onExited;
  }

  /**
   * Returns the agent session and opens one if there is none. Rejects with the reason if it cannot be opened.
   */
  open(): Promise<AgentSession> {
    if (this.#state.phase === 'open') return Promise.resolve(this.#state.session);
    if (this.#state.phase === 'opening') return this.#state.promise;
    const abort = new AbortController();
    this.#generation += 1;
    const promise = this.#openInTime(abort, this.#generation);
    const opening: AgentState = { phase: 'opening', promise, abort };
    this.#state = opening;
    promise.then(
      (session) => {
        if (this.#state === opening) this.#state = { phase: 'open', session };
        else void this.#close(session);
      },
      () => {
        if (this.#state === opening) this.#state = { phase: 'none' };
      },
    );
    return promise;
  }

  /** Resolves when no agent session is being opened. Never rejects. */
  async settled(): Promise<void> {
    if (this.#state.phase === 'opening') await this.#tolerate(() => this.open());
  }

  /** Passes changed config values to the agent. If the agent is still opening, it gets them afterwards. */
  async configure(values: Readonly<Record<string, unknown>>): Promise<void> {
    if (this.#state.phase === 'none') return;
    const session = await this.open();
    if (this.#state.phase === 'open' && this.#state.session === session) await session.setConfig?.(values);
  }

  /**
   * Tells the agent that the tools of active clients have changed. If the agent is still opening, it is told
   * afterwards.
   */
  async toolsChanged(): Promise<void> {
    if (this.#state.phase === 'none') return;
    const session = await this.open();
    if (this.#state.phase === 'open' && this.#state.session === session) session.toolsChanged?.();
  }

  /** Ids of the processes of the open agent session. */
  get processIds(): readonly number[] {
    return this.#state.phase === 'open' ? (this.#state.session.processIds?.() ?? []) : [];
  }

  /**
   * A notice for the user before this agent's next turn: that the agent cannot be told of earlier turns.
   * Returned once for each agent session.
   */
  noticeAbout(agent: AgentSession): string | undefined {
    if (!this.#withoutHistory.delete(agent)) return undefined;
    return 'The agent does not know the earlier turns of this chat.';
  }

  /**
   * Detaches the agent session, so that the next turn opens a new one. The returned function closes the
   * detached session and never rejects.
   */
  leave(): () => Promise<void> {
    const state = this.#state;
    this.#state = { phase: 'none' };
    this.#generation += 1;
    if (state.phase === 'opening') state.abort.abort();
    return state.phase === 'open' ? () => this.#close(state.session) : () => Promise.resolve();
  }

  /** Terminates the agent session of a turn, or aborts the attempt to open one. Never rejects. */
  async terminate(session: AgentSession | undefined): Promise<void> {
    const state = this.#state;
    const isPresent = state.phase === 'open' ? state.session === session : session === undefined;
    if (isPresent) this.leave();
    await this.#tolerate(async () => session?.terminate());
  }

  #close(session: AgentSession): Promise<void> {
    const late = Promise.withResolvers<boolean>();
    const cancel = this.#parts.timers.after(CLOSE_GRACE_MS, () => late.resolve(true));
    return this.#tolerate(async () => {
      const closed = session.close().then(() => false);
      if (await Promise.race([closed, late.promise])) await session.terminate();
    }).finally(cancel);
  }

  async #tolerate(end: () => Promise<unknown>): Promise<void> {
    try {
      await end();
    } catch (error) {
      this.#parts.log.warn({ error, chat: this.#owner.chat }, 'an agent session did not end cleanly');
    }
  }

  /**
   * Limits the time that an agent may take to open. Otherwise a session could stay in creation, or a turn
   * open, forever.
   */
  async #openInTime(abort: AbortController, generation: number): Promise<AgentSession> {
    const { startLimitMs, timers } = this.#parts;
    const limitMs = startLimitMs();
    const opening = this.#openNew(abort.signal, generation);
    const given = Promise.withResolvers<never>();
    const cancel = timers.after(limitMs, () => {
      const message = `The agent did not open a session within ${limitMs / 1_000} s`;
      given.reject(new AgentError('agentUnresponsive', message));
      abort.abort();
    });
    const leave = (): void => {
      given.reject(new AgentError('agentExited', 'The agent is no longer needed'));
      // The time limit has passed: a session that opens now is closed.
      opening.then(
        (session) => this.#close(session),
        () => undefined,
      );
    };
    abort.signal.addEventListener('abort', leave, { once: true });
    try {
      return await Promise.race([opening, given.promise]);
    } finally {
      cancel();
      abort.signal.removeEventListener('abort', leave);
    }
  }

  async #openNew(signal: AbortSignal, generation: number): Promise<AgentSession> {
    const { sync, agents, remembered, workingDirectoriesOf } = this.#parts;
    const chat = await sync.registry.openOf('chat', this.#owner.chat);
    const session = await sync.registry.openOf('session', this.#owner.session);
    if (chat === undefined || session === undefined) throw new AgentError('hostError', 'The chat is gone');
    const provider = agents.get(session.state.provider);
    const [workingDirectory, ...moreDirectories] = await workingDirectoriesOf(session, chat);
    const isWithoutHistory =
      provider.takesHistory === false &&
      chat.hostData.memory === undefined &&
      (chat.hostData.turnCount > 0 || chat.hostData.context !== undefined);
    const opened = await provider.openSession(
      {
        ...this.#owner,
        workingDirectory,
        ...(moreDirectories.length === 0 ? {} : { moreDirectories }),
        config: agentValues(session.state.config?.values ?? {}),
        memory: chat.hostData.memory,
        onStep: (step) => this.#parts.onStartStep(this.#owner.session, step),
        history: async () => {
          const rows = await sync.journal.readTurns(this.#owner.chat, {
            limit: HISTORY_TURNS,
            maxBytes: HISTORY_BYTES,
          });
          return [...(await hiddenTurns(sync, chat)), ...rows.map(readTurn)];
        },
        host: agentSessionHost(this.#parts, {
          ...this.#owner,
          isCurrent: () => generation === this.#generation,
          exited: (reason) => {
            this.#state = { phase: 'none' };
            this.#onExited(reason);
          },
        }),
      },
      signal,
    );
    void this.#tolerate(() => remembered.learn(provider, workingDirectory));
    if (isWithoutHistory) this.#withoutHistory.add(opened);
    return opened;
  }
}

/** The turns that a side chat started with, as they were then [CHAT-39]. */
async function hiddenTurns(sync: Sync, { hostData: { context } }: Channel<'chat'>): Promise<readonly Turn[]> {
  const stored = context === undefined ? undefined : await sync.journal.readContent(context);
  // This host wrote the JSON.
  return stored === undefined ? [] : JSON.parse(Buffer.from(stored.data).toString('utf8'));
}
