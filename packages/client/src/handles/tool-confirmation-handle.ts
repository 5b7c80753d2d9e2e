import type { SessionToolConfirmationRequest, ToolCallConfirmationState, URI } from '@agenthost/protocol';
import type { DispatchOutcome } from '../mirror/pending-actions.ts';
import { type ApproveOptions, approval, type DenyOptions, denial, resultAnswer } from './tool-answers.ts';

type Answer = ReturnType<typeof approval> | ReturnType<typeof resultAnswer>;

/** The parts of a client that a handle of a tool call uses. */
export interface ToolConfirmationPort {
  /** The waiting call in the state of this client; `undefined` when it no longer waits. */
  read(): SessionToolConfirmationRequest | undefined;
  dispatch(answer: Answer): Promise<DispatchOutcome>;
}

/** A tool call of any chat of a session that waits for a person. The first answer of all clients counts; later ones are `rejected`. */
export class ToolConfirmationHandle {
  /** Unique in the session. */
  readonly id: string;
  /** URI of the chat that waits. */
  readonly chat: URI;
  readonly turnId: string;
  readonly toolCallId: string;
  readonly #port: ToolConfirmationPort;

  constructor({ id, chat, turnId, toolCall }: SessionToolConfirmationRequest, port: ToolConfirmationPort) {
    this.id = id;
    this.chat = chat;
    this.turnId = turnId;
    this.toolCallId = toolCall.toolCallId;
    this.#port = port;
  }

  /** The call as it waits: with status `pending-confirmation`, or `pending-result-confirmation`. `undefined` once it no longer waits. */
  get toolCall(): ToolCallConfirmationState | undefined {
    return this.#port.read()?.toolCall;
  }

  /** Approves the call. */
  approve(options?: ApproveOptions): Promise<DispatchOutcome> {
    return this.#port.dispatch(approval(this, options));
  }

  /** Denies the call. */
  deny(options?: DenyOptions): Promise<DispatchOutcome> {
    return this.#port.dispatch(denial(this, options));
  }

  /** Approves or denies that the agent sees the result of the call. */
  confirmResult(approved: boolean): Promise<DispatchOutcome> {
    return this.#port.dispatch(resultAnswer(this, approved));
  }
}
