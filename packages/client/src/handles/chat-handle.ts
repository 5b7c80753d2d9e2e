import type { ChatInputAnswer, ChatInputResponseKind, CompletionItem, Message } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { DispatchRejected } from '../errors.ts';
import type { DispatchableAction, Mirror } from '../mirror/mirror.ts';
import type { DispatchOutcome } from '../mirror/pending-actions.ts';
import { withEmbeddedContents } from '../transfer/embedded-contents.ts';
import { InputRequestHandle } from './input-request-handle.ts';
import { asMessage, edited, MessageQueue } from './message-queue.ts';
import { Prompt, TurnGone } from './prompt.ts';
import type { ApproveOptions, DenyOptions, TurnControls } from './turn-reader.ts';

/** A chat to talk in. */
export class ChatHandle implements TurnControls {
  readonly mirror: Mirror<'chat'>;
  /** What waits to become a turn, or to steer the one that runs. */
  readonly queue: MessageQueue;
  readonly #newId: () => string;
  /** The question for proposals that was asked last. */
  #completing: AbortController | undefined;

  constructor(mirror: Mirror<'chat'>, newId: () => string) {
    this.mirror = mirror;
    this.#newId = newId;
    this.queue = new MessageQueue(mirror, newId);
  }

  /** Starts a turn. Rejected by the host while another is active: see `enqueue` [CHAT-3]. */
  prompt(message: string | Message): Prompt {
    const turnId = this.#newId();
    const dispatched = this.mirror.dispatch({
      type: 'chat/turnStarted',
      turnId,
      message: asMessage(message),
    });
    return this.#promptOf(turnId, dispatched);
  }

  /** A turn that runs, or is about to, whoever asked for it; from its beginning. */
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
      cancel: (id) => this.mirror.dispatch({ type: 'chat/turnCancelled', turnId: id }),
    });
  }

  /** Puts a message in the queue that the host works off, one turn after the other [CHAT-12]. */
  enqueue(message: string | Message): Promise<DispatchOutcome> {
    return this.queue.add(message);
  }

  /** Says something to the agent in the middle of its turn, or as the next one if it cannot take it: see `MessageQueue.steer`. */
  steer(message: string | Message): Promise<DispatchOutcome> {
    return this.queue.steer(message);
  }

  /** Forgets all turns after this one, or all without one, the active turn too; the agent's memory follows [CHAT-6]. */
  truncate(turnId?: string): Promise<DispatchOutcome> {
    return this.mirror.dispatch({ type: 'chat/truncated', ...defined({ turnId }) });
  }

  /**
   * Forgets a turn with all that came after it, and sends its message anew: as it was, with another text, or another message altogether.
   * Loads older turns until it finds the one before. Rejects with `TurnGone` when the chat has no such turn.
   */
  async resend(turnId: string, change?: string | Message): Promise<Prompt> {
    const { message: sent, before } = await this.#locate(turnId);
    // What the host holds for a turn goes with it.
    const message =
      typeof change === 'object'
        ? sent
        : await withEmbeddedContents(sent, (uri) => this.mirror.readContent(uri));
    // The outcome shows in the prompt's: both are settled in the order sent, by the same rules.
    void this.truncate(before);
    return this.prompt(edited(message, change));
  }

  /**
   * Keeps what the person is writing where all clients see it, over restarts too; nothing clears it. Call it when typing pauses, not on
   * every key. Sending the very text clears it by itself [CHAT-14].
   */
  setDraft(draft: string | Message | undefined): Promise<DispatchOutcome> {
    return this.mirror.dispatch({
      type: 'chat/draftChanged',
      ...(draft === undefined || draft === '' ? {} : { draft: asMessage(draft) }),
    });
  }

  /**
   * What the host proposes where the cursor stands, `offset` UTF-16 code units into a message in the making: worth asking behind each of
   * the client's `host.completionTriggerCharacters`. Put `insertText` in place of `[rangeStart, rangeEnd)`, and send the attachment as it is
   * with the message [CHAT-16]. The latest question counts: `undefined` when another one was asked before this was answered. Rejects like
   * any request.
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

  /** Lets a waiting tool call run. The first answer of all clients counts, later ones are `rejected`. */
  approve = (
    toolCallId: string,
    { optionId, editedToolInput }: ApproveOptions = {},
  ): Promise<DispatchOutcome> =>
    this.#onActiveTurn((turnId) => ({
      type: 'chat/toolCallConfirmed',
      turnId,
      toolCallId,
      approved: true,
      confirmed: 'user-action',
      ...defined({ selectedOptionId: optionId, editedToolInput }),
    }));

  /** Keeps a waiting tool call from running. */
  deny = (toolCallId: string, { optionId, reasonMessage }: DenyOptions = {}): Promise<DispatchOutcome> =>
    this.#onActiveTurn((turnId) => ({
      type: 'chat/toolCallConfirmed',
      turnId,
      toolCallId,
      approved: false,
      reason: 'denied',
      ...defined({ selectedOptionId: optionId, reasonMessage }),
    }));

  /** Lets the agent see the result of a tool call that asks for it, or not. */
  confirmResult = (toolCallId: string, approved: boolean): Promise<DispatchOutcome> =>
    this.#onActiveTurn((turnId) => ({ type: 'chat/toolCallResultConfirmed', turnId, toolCallId, approved }));

  /** Answers an input request. */
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

  /** An input request of this chat, to be filled in question by question, together with other clients [CHAT-13]. */
  inputRequest(requestId: string): InputRequestHandle {
    return new InputRequestHandle({
      requestId,
      chat: this.mirror.uri,
      read: () => this.mirror.state.inputRequests?.find(({ id }) => id === requestId),
      dispatch: (action) => this.mirror.dispatch(action),
    });
  }

  /** Ends the active turn, if there is one. */
  cancel(): Promise<DispatchOutcome> {
    return this.#onActiveTurn((turnId) => ({ type: 'chat/turnCancelled', turnId }));
  }

  /** Ends the mirror. Turns go on without it. */
  dispose(): void {
    this.mirror.dispose();
  }

  /** A turn's message, and the id of the turn before it; none before the first. */
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
    const { code, reason } = new DispatchRejected('noActiveTurn', 'no turn is active');
    return { outcome: 'rejected', code, reason };
  }
}
