import type { ChatHandle } from '@agenthost/client';
import type { Environment } from '../app/environment.ts';
import { refusalOf } from '../app/environment.ts';

/** Others see what is typed after so long. */
const delayMs = 300;

/** Keeps the message that is being written the same on all clients [CHAT-14]. What is typed here goes first. */
export class DraftSync {
  readonly #env: Environment;
  readonly #chat: ChatHandle;
  /** The draft as it was when it was last looked at. */
  #seen: string;
  #cancel: (() => void) | undefined;
  #isSupported = true;

  constructor(env: Environment, chat: ChatHandle) {
    this.#env = env;
    this.#chat = chat;
    this.#seen = this.#shared;
  }

  get #shared(): string {
    return this.#chat.mirror.state.draft?.text ?? '';
  }

  /** What the chat's draft is when it is opened. */
  get initial(): string {
    return this.#seen;
  }

  /** What somebody else has made of the draft since the last time; `undefined`: nothing. */
  foreign(): string | undefined {
    const shared = this.#shared;
    if (shared === this.#seen) return undefined;
    this.#seen = shared;
    return this.#cancel === undefined ? shared : undefined;
  }

  /** Something was typed. */
  typed(text: () => string): void {
    this.#cancel?.();
    this.#cancel = this.#env.later(delayMs, () => {
      this.#cancel = undefined;
      this.#tell(text());
    });
  }

  /** The message was sent, or put away. */
  clear(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#tell('');
  }

  /** Tells what was typed last, when that still waits. */
  flush(text: string): void {
    if (this.#cancel === undefined) return;
    this.#cancel();
    this.#cancel = undefined;
    this.#tell(text);
  }

  #tell(text: string): void {
    if (!this.#isSupported || text === this.#shared) {
      this.#seen = this.#shared;
      return;
    }
    this.#seen = text;
    void this.#chat.setDraft(text).then((outcome) => {
      // A host that keeps no drafts: everybody has their own.
      if (outcome.outcome === 'rejected' && refusalOf(outcome) !== undefined) this.#isSupported = false;
    });
  }
}
