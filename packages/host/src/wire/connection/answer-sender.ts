import { ErrorCodes } from '@agenthost/protocol';
import type { RequestId, ResponseMessage } from '@agenthost/rpc';
import { Answer, type CloseReason } from '../../handler-port/answer.ts';
import type { CommitPath } from '../../sync/commit-path.ts';
import type { Outbox } from './outbox.ts';

/** An answer of this many bytes is charged like one byte that is checked, reduced and journaled. */
const ANSWER_BYTES_PER_CHARGED_BYTE = 4;

/** Sends the answers of one connection. Nothing else answers a request. */
export class AnswerSender {
  readonly #path: CommitPath;
  readonly #outbox: Outbox;
  readonly #charge: (bytes: number) => void;
  readonly #close: (close: CloseReason) => void;
  readonly #isEnding: () => boolean;
  readonly #isOnline: () => boolean;
  /** Answers that wait for a commit. */
  #waitingCount = 0;

  constructor(parts: {
    path: CommitPath;
    outbox: Outbox;
    /** Charges the client for work of the host. */
    charge(bytes: number): void;
    close(close: CloseReason): void;
    /** Whether the connection refuses further requests. */
    isEnding(): boolean;
    /** Whether the handshake is complete. */
    isOnline(): boolean;
  }) {
    this.#path = parts.path;
    this.#outbox = parts.outbox;
    this.#charge = (bytes) => parts.charge(bytes);
    this.#close = (close) => parts.close(close);
    this.#isEnding = () => parts.isEnding();
    this.#isOnline = () => parts.isOnline();
  }

  /** Whether an answer waits for a commit. */
  get isWaiting(): boolean {
    return this.#waitingCount > 0;
  }

  /** Sends a response. Its result is an `Answer`, unless the peer refused the request itself or the handler threw. */
  send(message: ResponseMessage): void {
    if (!('result' in message) || !(message.result instanceof Answer)) {
      const isOwnFault = 'error' in message && message.error.code === ErrorCodes.InternalError;
      // The commit may wait for a database that does not answer. Before the handshake, no output of the connection is overtaken.
      if (isOwnFault && !this.#isOnline())
        this.#path.sendNow(() => this.#outbox.frame(JSON.stringify(message), 'response'));
      else this.#sendBehindCommit(message.id, () => JSON.stringify(message));
      return;
    }
    const { id, result: answer } = message;
    switch (answer.order) {
      case 'behindCommit':
        this.#sendBehindCommit(id, () => encode(id, answer));
        break;
      case 'held':
        this.#sendHeld(id, answer);
        break;
      case 'anyway': {
        const send = (): void => this.#outbox.frame(encode(id, answer), 'response');
        this.#path.send(send, send);
        break;
      }
      default:
        answer.order satisfies never;
    }
    if (answer.close !== undefined) this.#closeBehind(answer.close);
  }

  #sendBehindCommit(id: ResponseMessage['id'], encoded: () => string): void {
    this.#waitingCount += 1;
    const send = (text: string): void => {
      this.#waitingCount -= 1;
      this.#charge(text.length / ANSWER_BYTES_PER_CHARGED_BYTE);
      this.#outbox.frame(text, 'response');
    };
    this.#path.send(
      () => send(encoded()),
      () => {
        const error = { code: ErrorCodes.InternalError, message: this.#path.trouble };
        send(JSON.stringify({ jsonrpc: '2.0', id, error }));
      },
    );
  }

  #sendHeld(id: RequestId, answer: Answer): void {
    let text: string | undefined;
    try {
      text = encode(id, answer);
    } finally {
      this.#outbox.release(text);
    }
  }

  #closeBehind(close: CloseReason): void {
    const closeNow = (): void => this.#close(close);
    const publish = (): void => this.#path.send(closeNow, closeNow);
    // Requests that were sent behind this one get their refusals first.
    if (this.#isEnding()) this.#path.afterTurn(publish);
    else publish();
  }
}

function encode(id: RequestId, { content }: Answer): string {
  switch (content.kind) {
    case 'result':
      return JSON.stringify({ jsonrpc: '2.0', id, result: content.result ?? null });
    case 'json':
      return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${content.json}}`;
    case 'error': {
      const { code, message, data } = content.error;
      return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, data } });
    }
    default:
      return content satisfies never;
  }
}
