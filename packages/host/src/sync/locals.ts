import type { ChannelKind, SessionSummary } from '@agenthost/protocol';

/** What the host alone keeps of a channel, by kind: durable JSON, never sent. */
export interface ChannelLocals extends Record<ChannelKind, object> {
  root: Record<string, never>;
  session: SessionLocal;
  chat: ChatLocal;
}

export interface SessionLocal {
  /** The catalogue entry as last written: what the next change is compared with. */
  readonly summary: SessionSummary;
  /** Who named it last; a person's name is never replaced [SESS-11]. */
  readonly titledBy: 'nobody' | 'message' | 'agent' | 'client';
}

export interface ChatLocal {
  /** Completed turns on disk; the one at ordinal `turnCount - 1` is the newest. */
  readonly turnCount: number;
  /** The agent's memory, as its provider gave it. */
  readonly memory?: unknown;
}
