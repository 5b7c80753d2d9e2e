import {
  type BackgroundWork,
  type ChatInputAnswer,
  type ChatInputResponseKind,
  type CompletionItem,
  findOpenRequest,
  type Message,
} from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { ChannelLost, DispatchRejected } from '../errors.ts';
import type { DispatchableAction, Mirror } from '../mirror/mirror.ts';
import type { DispatchOutcome } from '../mirror/pending-actions.ts';
import { withEmbeddedContents } from '../transfer/embedded-contents.ts';
import type { BackgroundPort } from './background-work.ts';
import { cancelling } from './cancelling.ts';
import type { Changes, ChangesPort } from './changes.ts';
import type { ChatMatch, FindOptions } from './find-in-chat.ts';
import { InputRequestHandle } from './input-request-handle.ts';
import { asMessage, edited, MessageQueue } from './message-queue.ts';
import { Prompt, TurnGone } from './prompt.ts';
import { type ApproveOptions, approval, type DenyOptions, denial, resultAnswer } from './tool-answers.ts';
import type { TurnControls } from './turn-reader.ts';

/** An open chat: starts turns, answers questions, queues messages. */
export class ChatHandle implements TurnControls {
  readonly mirror: Mirror<'chat'>;
  /** Messages that wait for their turn or for the agent's attention in the running turn. */
  readonly queue: MessageQueue;
  readonly #newId: () => string;
  readonly #now: () => number;
  readonly #client: ChangesPort & BackgroundPort;
  /** The latest request for completions. */
  #completing: AbortController | undefined;

  /** `now`: milliseconds since the epoch. */
  constructor(
    mirror: Mirror<'chat'>,
    newId: () => string,
    now: () => number,
    client: ChangesPort & BackgroundPort,
  ) {
    this.mirror = mirror;
    this.#newId = newId;
    this.#now = now;
    this.#client = client;
    this.queue = new MessageQueue(mirror, newId);
  }

  /**
   * Starts a turn. The host rejects it while another turn runs; see `enqueue` [CHAT-3].
   *
   * @example
   * for await (const event of chat.prompt('Explain the build')) {
   *   if (event.type === 'text') process.stdout.write(event.text);
   * }
   */
  prompt(message: string | Message): Prompt {
    const turnId = this.#newId();
    const dispatched = this.mirror.dispatch({
      type: 'chat/turnStarted',
      turnId,
      startedAt: new Date(this.#now()).toISOString(),
      message: asMessage(message),
    });
    return this.#promptOf(turnId, dispatched);
  }

  /**
   * Continues the last turn, which must have failed with a resumable error [CHAT-23]. The prompt first gives the parts that the turn has
   * already. Rejects with `DispatchRejected` when the host does not resume the turn, and with `ChannelLost` when the chat is gone.
   */
  async resumeTurn(turnId: string): Promise<Prompt> {
    // The prompt begins afterwards: until then, the mirror has the turn as ended.
    const outcome = await this.mirror.dispatch({ type: 'chat/turnResume', turnId });
    if (outcome.outcome === 'rejected') throw new DispatchRejected(outcome);
    if (outcome.outcome === 'dropped')
      throw new DispatchRejected({ code: 'dropped', reason: outcome.reason });
    if (outcome.outcome !== 'accepted' && this.mirror.isLost) throw new ChannelLost(this.mirror.uri);
    return this.follow(turnId);
  }

  /** Follows a turn from its beginning, whichever client started it. The turn may be about to start. */
  follow(turnId: string): Prompt {
    return this.#promptOf(turnId, undefined);
  }

  #promptOf(turnId: string, dispatched: Promise<DispatchOutcome> | undefined): Prompt {
    return new Prompt(turnId, dispatched, {
      mirror: this.mirror,
      approve: (toolCallId, options) => this.approve(toolCallId, options),
      deny: (toolCallId, options) => this.deny(toolCallId, options),
      confirmResult: (toolCallId, approved) => this.confirmResult(toolCallId, approved),
      respond: (requestId, response, answers) => this.respond(requestId, response, answers),
      cancel: (id) => this.mirror.dispatch(this.#cancelling(id)),
    });
  }

  /** Appends a message to the queue, whose messages become turns one after the other [CHAT-12]. */
  enqueue(message: string | Message): Promise<DispatchOutcome> {
    return this.queue.add(message);
  }

  /**
   * Sends a message to the agent during its turn. An agent that cannot take it gets it as the next turn; see
   * `MessageQueue.steer`.
   */
  steer(message: string | Message): Promise<DispatchOutcome> {
    return this.queue.steer(message);
  }

  /**
   * Removes all turns after this one, including the active turn; without `turnId` all turns. The agent's
   * memory follows [CHAT-6].
   */
  truncate(turnId?: string): Promise<DispatchOutcome> {
    return this.mirror.dispatch({ type: 'chat/truncated', ...defined({ turnId }) });
  }

  /**
   * Removes a turn and all later ones, then sends its message again: unchanged, with another text, or
   * replaced by `change`. Loads older turns as needed. Rejects with `TurnGone` when the chat has no such
   * turn.
   */
  async resend(turnId: string, change?: string | Message): Promise<Prompt> {
    const { message: sent, before } = await this.#locate(turnId);
    // Truncation deletes content that the host holds for the turn, so the message carries it.
    const message = await withEmbeddedContents(edited(sent, change), (uri) => this.mirror.readContent(uri));
    // The host settles both actions in order and by the same rules, so the prompt shows the outcome.
    void this.truncate(before);
    return this.prompt(message);
  }

  /**
   * Stores an unsent message where all clients see it; it survives restarts. Call it when typing pauses, not
   * on every key. Sending the same text clears the draft; nothing else does [CHAT-14].
   */
  setDraft(draft: string | Message | undefined): Promise<DispatchOutcome> {
    return this.mirror.dispatch({
      type: 'chat/draftChanged',
      ...(draft === undefined || draft === '' ? {} : { draft: asMessage(draft) }),
    });
  }

  /** The changesets of the chat's own turns [CHAT-43]. The host offers them from the first turn on. */
  async changes(): Promise<Changes> {
    // Loaded when it is needed.
    const { Changes: Made } = await import('./changes.ts');
    const { mirror } = this;
    return new Made({ uri: mirror.uri, catalogue: () => mirror.state.changesets }, this.#client);
  }

  /** Marks the chat as read or unread. A new turn or question makes it unread again. That of the session does not change [CHAT-42]. */
  setRead(isRead: boolean): Promise<DispatchOutcome> {
    return this.mirror.dispatch({ type: 'chat/isReadChanged', isRead });
  }

  /** Archives the chat, or takes it out of the archive. The default chat is archived with its session only [CHAT-42]. */
  setArchived(isArchived: boolean): Promise<DispatchOutcome> {
    return this.mirror.dispatch({ type: 'chat/isArchivedChanged', isArchived });
  }

  /**
   * Finds a text in messages and answers, the newest turn first: in the loaded turns at once, and in older ones page by page, without loading
   * them into the mirror. Case and accents are ignored. An empty text has no matches. Turns that begin meanwhile are not searched. Rejects
   * like `AhpClient.request`.
   *
   * @example
   * for await (const { turnId, snippet } of chat.find('retry')) console.log(turnId, snippet);
   */
  async *find(text: string, options: FindOptions = {}): AsyncGenerator<ChatMatch, void, undefined> {
    // Loaded when it is needed.
    const { findInChat } = await import('./find-in-chat.ts');
    yield* findInChat(this.mirror, text, options);
  }

  /**
   * Completions at `offset` (UTF-16 code units) of a message being written. Ask after each of the host's
   * `completionTriggerCharacters`. Replace `[rangeStart, rangeEnd)` with `insertText` and send the item's
   * attachment with the message [CHAT-16]. Resolves with `undefined` when a later call superseded this one.
   * Rejects like `AhpClient.request`.
   */
  async complete(text: string, offset: number): Promise<readonly CompletionItem[] | undefined> {
    this.#completing?.abort();
    const asked = new AbortController();
    this.#completing = asked;
    try {
      const items = await this.mirror.complete(text, offset, asked.signal);
      return asked.signal.aborted ? undefined : items;
    } catch (error) {
      if (asked.signal.aborted) return undefined;
      throw error;
    }
  }

  /** Approves a pending tool call. The first answer of all clients counts; later ones are `rejected`. */
  approve = (toolCallId: string, options?: ApproveOptions): Promise<DispatchOutcome> =>
    this.#onActiveTurn((turnId) => approval({ turnId, toolCallId }, options));

  /** Denies a pending tool call. */
  deny = (toolCallId: string, options?: DenyOptions): Promise<DispatchOutcome> =>
    this.#onActiveTurn((turnId) => denial({ turnId, toolCallId }, options));

  /** Approves or denies that the agent sees the result of a tool call. */
  confirmResult = (toolCallId: string, approved: boolean): Promise<DispatchOutcome> =>
    this.#onActiveTurn((turnId) => resultAnswer({ turnId, toolCallId }, approved));

  /** Completes an input request. */
  respond = (
    requestId: string,
    response: ChatInputResponseKind,
    answers?: Record<string, ChatInputAnswer>,
  ): Promise<DispatchOutcome> =>
    this.mirror.dispatch({
      type: 'chat/inputCompleted',
      requestId,
      response,
      ...defined({ answers }),
    });

  /** An input request of this chat, which several clients can fill in together [CHAT-13]. */
  inputRequest(requestId: string): InputRequestHandle {
    return new InputRequestHandle({
      requestId,
      chat: this.mirror.uri,
      read: () => findOpenRequest(this.mirror.state, requestId),
      dispatch: (action) => this.mirror.dispatch(action),
    });
  }

  /** Cancels the active turn, if there is one. */
  cancel(): Promise<DispatchOutcome> {
    return this.#onActiveTurn((turnId) => this.#cancelling(turnId));
  }

  /** Shells and workers that run now and outlive their turns [CHAT-46]. */
  get backgroundWork(): readonly BackgroundWork[] {
    return this.mirror.state.backgroundWork ?? [];
  }

  /**
   * Ends a shell or a worker of `backgroundWork`. Resolves when the host has done so, and at once for an id that is not there: the work has ended.
   * Rejects with `CannotEndWork` for work that no client can end, with `DispatchRejected`, and like `AhpClient.request`.
   */
  async endBackgroundWork(id: string): Promise<void> {
    const work = this.backgroundWork.find((each) => each.id === id);
    if (work === undefined) return;
    // Loaded when it is needed.
    const { endBackgroundWork: end } = await import('./background-work.ts');
    await end(work, this.#client, this.#now);
  }

  #cancelling(turnId: string): DispatchableAction<'chat'> {
    return cancelling(turnId, this.mirror.state.activeTurn, this.#now());
  }

  /** Disposes the mirror. Running turns continue. */
  dispose(): void {
    this.mirror.dispose();
  }

  /** The message of a turn, and the id of the turn before it (`undefined` for the first). */
  async #locate(turnId: string): Promise<{ message: Message; before: string | undefined }> {
    for (;;) {
      const { activeTurn, turns, turnsNextCursor } = this.mirror.state;
      const shown = activeTurn === undefined ? turns : [...turns, activeTurn];
      const index = shown.findIndex(({ id }) => id === turnId);
      const found = shown[index];
      if (found !== undefined && (index > 0 || turnsNextCursor === undefined))
        return { message: found.message, before: shown[index - 1]?.id };
      if (!(await this.mirror.fetchOlderTurns())) throw new TurnGone(turnId);
    }
  }

  async #onActiveTurn(action: (turnId: string) => DispatchableAction<'chat'>): Promise<DispatchOutcome> {
    const turnId = this.mirror.state.activeTurn?.id;
    if (turnId !== undefined) return this.mirror.dispatch(action(turnId));
    const { code, reason } = new DispatchRejected({ code: 'noActiveTurn', reason: 'no turn is active' });
    return { outcome: 'rejected', code, reason };
  }
}
