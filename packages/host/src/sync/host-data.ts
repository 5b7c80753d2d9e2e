import type { ChannelKind, SessionSummary } from '@agenthost/protocol';

/** What the host alone keeps of a channel, by kind: durable JSON, never sent. */
export interface ChannelHostData extends Record<ChannelKind, AnyHostData> {
  root: AnyHostData;
  session: SessionHostData;
  chat: ChatHostData;
  terminal: TerminalHostData;
}

interface AnyHostData {
  /** Number of the last envelope before it was made: whoever subscribed to that URI earlier saw another channel. */
  readonly bornSeq?: number;
}

/** What the host alone keeps of a session. */
export interface SessionHostData extends AnyHostData {
  /** The catalogue entry as last written: what the next change is compared with. */
  readonly summary: SessionSummary;
  /** Who named it last; a person's name is never replaced [SESS-11]. */
  readonly titledBy: 'nobody' | 'message' | 'agent' | 'client';
  /** URIs of the chats that are being imported: rows, of which the end of the import makes channels. Absent: none are. */
  readonly importing?: readonly string[];
}

/** What the host alone keeps of a chat. */
export interface ChatHostData extends AnyHostData {
  /** Completed turns on disk; the one at ordinal `turnCount - 1` is the newest. */
  readonly turnCount: number;
  /** Ordinal of the oldest turn that the retention policy has left. Absent: 0. */
  readonly keptFrom?: number;
  /** A client that has seen no number as high may still show turns that the policy dropped last. Absent: it has dropped none. */
  readonly droppedSeq?: number;
  /** The agent's memory, as its provider gave it. */
  readonly memory?: unknown;
  /** What named it last, if the host did; a title that somebody gave is never replaced [SESS-6]. */
  readonly titledBy?: 'message' | 'agent';
  /** Digest of the session's instructions that the agent was told last; absent for none. */
  readonly instructed?: string;
  /** BCP 47 of the clients that set its pending messages, by the ids of those; some may be of messages that wait no more. */
  readonly locales?: Readonly<Record<string, string>>;
}

/** What the host alone keeps of a terminal. */
export interface TerminalHostData extends AnyHostData {
  /** Names its pty with the owner of ptys. */
  readonly pty: string;
  /** All output before this byte is in envelopes. */
  readonly offset: number;
  /** Who named it last; a title that somebody gave is never replaced by the program's. */
  readonly titledBy: 'host' | 'program' | 'somebody';
  /** What its title is while nobody has given one. */
  readonly defaultTitle: string;
  /** The title that a program has said last, while it waits for its turn to be shown. */
  readonly heldTitle?: string;
  /** What marks of its own shell integration carry; secret. Absent: it has none. */
  readonly nonce?: string;
  /** The command that runs now, as its shell said, and when it began, ms since the epoch. */
  readonly command?: { readonly id: string; readonly startedAt: number };
}
