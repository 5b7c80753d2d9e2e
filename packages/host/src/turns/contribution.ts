import type { Message } from '@agenthost/protocol';
import type { ScopedRule, TurnOutput } from '../agents/turn.ts';

/** What customizations of a session add to one turn. */
export interface TurnContribution {
  /** Rules and skills as text for a model. They are told like the session's instructions [SESS-9]. '': none. */
  readonly instructions: string;
  /** For agents that apply rules for certain files themselves: these, and the instructions without them. Absent: there are none. */
  readonly scoped?: { readonly rules: readonly ScopedRule[]; readonly instructions: string };
  /** Texts for this turn only, in front of the message. */
  readonly context: readonly string[];
  /** The message with its slash command expanded. */
  readonly message: Message;
  /** Names of the tools that the custom agent of the message may use. Absent: all. */
  readonly tools?: readonly string[];
  /** Called when the agent of the chat cannot be limited to `tools`. */
  toolsNotLimited?(): void;
  /** The output that the agent gets in place of the turn's own. Absent: the turn's own. */
  readonly output?: TurnOutput;
  /** Called after the agent has finished, before the turn ends. Never rejects. */
  finish?(): Promise<void>;
}

/** Adds customizations to a turn. Rejects with `AgentError` when one of them stops the message. */
export type Contribute = (turn: {
  readonly session: string;
  readonly chat: string;
  readonly turnId: string;
  readonly message: Message;
  readonly output: TurnOutput;
  readonly signal: AbortSignal;
}) => Promise<TurnContribution>;

/** Expands the slash command of a steering message. */
export type Expand = (session: string, message: Message) => Message;
