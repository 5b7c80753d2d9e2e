import type { McpAuthRequirement } from '@agenthost/protocol';
import type { SignInToken } from '../../agents/tool-call.ts';
import type { Sync } from '../../sync/sync.ts';

/** A tool call that waits for a token [CHAT-30]. */
interface Waiting {
  readonly chat: string;
  readonly toolCallId: string;
  /** The token that is needed. */
  readonly auth: McpAuthRequirement;
  granted(token: SignInToken): void;
  /** The call has ended without a token. */
  givenUp(): void;
}

/** The tool calls of all open turns that wait for a token. */
export class SignIns {
  readonly #waiting = new Set<Waiting>();

  constructor(sync: Sync) {
    sync.observe('chat', (tx, { channel, action }) => {
      if (action.type !== 'chat/toolCallComplete' || this.#waiting.size === 0) return;
      for (const waiting of this.#waiting) {
        if (waiting.chat === channel.uri && waiting.toolCallId === action.toolCallId)
          tx.effect(() => waiting.givenUp());
      }
    });
  }

  /** Returns a function that removes it. */
  add(waiting: Waiting): () => void {
    this.#waiting.add(waiting);
    return () => void this.#waiting.delete(waiting);
  }

  /** What is waited for of a resource. `undefined`: nothing. */
  wanted(resource: string): McpAuthRequirement | undefined {
    return [...this.#waiting].find(({ auth }) => auth.resource.resource === resource)?.auth;
  }

  /** Gives a token to every call that waits for one of this resource. */
  grant(resource: string, token: SignInToken): void {
    for (const waiting of [...this.#waiting])
      if (waiting.auth.resource.resource === resource) waiting.granted(token);
  }
}
