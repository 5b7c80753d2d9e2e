import { createHash } from 'node:crypto';
import type { AgentSession } from '../../agents/provider.ts';
import type { TurnInput } from '../../agents/turn.ts';
import { instructionsOf } from '../../config/session-keys.ts';
import type { Channel } from '../../sync/channel.ts';
import type { Sync } from '../../sync/sync.ts';
import type { Tx } from '../../sync/tx.ts';

/** The instructions of one turn, for its input. */
interface TurnInstructions extends Pick<TurnInput, 'instructions'> {
  /**
   * Texts to put first in the turn's context: instructions that this agent session has not been told yet.
   * Usually empty.
   */
  readonly context: readonly string[];
  /** Call after the agent has run the turn, and thus received the context. */
  heard(): void;
}

const digest = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 22);

/**
 * Passes a session's instructions to the agent of one chat: once to each agent session, and again after they
 * change.
 */
export class Instructions {
  readonly #sync: Sync;
  readonly #owner: { readonly chat: string; readonly session: string };
  /** Digest of the instructions that each agent session of this process was told last. '' for none. */
  readonly #told = new WeakMap<AgentSession, string>();

  constructor(sync: Sync, owner: { readonly chat: string; readonly session: string }) {
    this.#sync = sync;
    this.#owner = owner;
  }

  /** Returns the instructions for a turn that is about to run. `added`: those of customizations, after the user's. */
  next(agent: AgentSession, added = ''): TurnInstructions {
    const { registry } = this.#sync;
    const values = registry.getOf('session', this.#owner.session)?.state.config?.values;
    const text = [instructionsOf(values).trim(), added].filter((part) => part !== '').join('\n\n');
    const hostData = registry.getOf('chat', this.#owner.chat)?.hostData;
    // An agent without saved memory starts without any knowledge each time it is opened.
    const remembered = hostData?.memory === undefined ? undefined : hostData.instructed;
    const told = this.#told.get(agent) ?? remembered ?? '';
    const now = text === '' ? '' : digest(text);
    const heard = (): void => this.#heard(agent, now);
    if (told === now) {
      return { context: [], heard, ...(text === '' ? {} : { instructions: words(text) }) };
    }
    const context = text === '' ? WITHDRAWN : words(text, told !== '');
    return { context: [context], heard };
  }

  #heard(agent: AgentSession, now: string): void {
    this.#told.set(agent, now);
    this.#sync.transact('host', (tx) => {
      const chat = this.#sync.registry.getOf('chat', this.#owner.chat);
      // Without saved memory the next agent session must be told again, so nothing is stored.
      if (chat?.hostData.memory === undefined || (chat.hostData.instructed ?? '') === now) return;
      const { instructed: _, ...hostData } = chat.hostData;
      tx.setHostData(chat, now === '' ? hostData : { ...hostData, instructed: now });
    });
  }
}

const WITHDRAWN = 'The user has withdrawn the instructions for this conversation; they no longer hold.';

const words = (text: string, isChange = false): string =>
  isChange
    ? `The user has changed the instructions for this conversation. From now on only these hold:\n\n${text}`
    : `The user's instructions for this whole conversation:\n\n${text}`;

/**
 * Removes the agent's saved memory, and the record of its instructions, after the history was cut [CHAT-6].
 */
export function forgetMemory(tx: Tx, chat: Channel<'chat'>): void {
  const { memory, instructed, ...hostData } = chat.hostData;
  if (memory !== undefined || instructed !== undefined) tx.setHostData(chat, hostData);
}
