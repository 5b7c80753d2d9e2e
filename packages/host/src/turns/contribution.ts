import type { Message } from '@agenthost/protocol';

/** What customizations of a session add to one turn. */
export interface TurnContribution {
  /** Rules and skills as text for a model. They are told like the session's instructions [SESS-9]. '': none. */
  readonly instructions: string;
  /** Texts for this turn only, in front of the message. */
  readonly context: readonly string[];
  /** The message with its slash command expanded. */
  readonly message: Message;
}

/** Adds customizations to a turn. Never rejects. */
export type Contribute = (turn: {
  readonly session: string;
  readonly chat: string;
  readonly message: Message;
}) => Promise<TurnContribution>;
