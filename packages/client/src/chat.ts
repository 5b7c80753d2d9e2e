import type { ChatInputAnswer, ChatInputResponseKind, Message } from '@agenthost/protocol';
import { DispatchRejected } from './errors.ts';
import type { DispatchableAction, Mirror } from './mirror.ts';
import type { DispatchOutcome } from './pending.ts';
import { Prompt } from './prompt.ts';
import type { ApproveOptions, DenyOptions, TurnControls } from './turn-stream.ts';

/** A chat to talk in. */
export class ChatHandle implements TurnControls {
  readonly mirror: Mirror<'chat'>;
  readonly #newId: () => string;

  constructor(mirror: Mirror<'chat'>, newId: () => string) {
    this.mirror = mirror;
    this.#newId = newId;
  }

  /** Starts a turn. Rejected by the host while another is active: see `enqueue` [CHAT-3]. */
  prompt(message: string | Message): Prompt {
    const turnId = this.#newId();
    const dispatched = this.mirror.dispatch({
      type: 'chat/turnStarted',
      turnId,
      message: asMessage(message),
    });
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
    return this.mirror.dispatch({
      type: 'chat/pendingMessageSet',
      kind: 'queued',
      id: this.#newId(),
      message: asMessage(message),
    });
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
      ...(optionId === undefined ? {} : { selectedOptionId: optionId }),
      ...(editedToolInput === undefined ? {} : { editedToolInput }),
    }));

  /** Keeps a waiting tool call from running. */
  deny = (toolCallId: string, { optionId, reasonMessage }: DenyOptions = {}): Promise<DispatchOutcome> =>
    this.#onActiveTurn((turnId) => ({
      type: 'chat/toolCallConfirmed',
      turnId,
      toolCallId,
      approved: false,
      reason: 'denied',
      ...(optionId === undefined ? {} : { selectedOptionId: optionId }),
      ...(reasonMessage === undefined ? {} : { reasonMessage }),
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
      ...(answers === undefined ? {} : { answers }),
    });

  /** Ends the active turn, if there is one. */
  cancel(): Promise<DispatchOutcome> {
    return this.#onActiveTurn((turnId) => ({ type: 'chat/turnCancelled', turnId }));
  }

  /** Ends the mirror. Turns go on without it. */
  dispose(): void {
    this.mirror.dispose();
  }

  async #onActiveTurn(action: (turnId: string) => DispatchableAction<'chat'>): Promise<DispatchOutcome> {
    const turnId = this.mirror.state.activeTurn?.id;
    if (turnId !== undefined) return this.mirror.dispatch(action(turnId));
    const { code, reason } = new DispatchRejected('noActiveTurn', 'no turn is active');
    return { outcome: 'rejected', code, reason };
  }
}

const asMessage = (message: string | Message): Message =>
  typeof message === 'string' ? { text: message, origin: { kind: 'user' } } : message;
