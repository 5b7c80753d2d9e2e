import type { ChannelKind, SessionSummary } from '@agenthost/protocol';

/** What the host alone keeps of a channel, by kind: durable JSON, never sent. */
export interface ChannelLocals extends Record<ChannelKind, AnyLocal> {
  root: AnyLocal;
  session: SessionLocal;
  chat: ChatLocal;
}

interface AnyLocal {
  /** Number of the last envelope before it was made: whoever subscribed to that URI earlier saw another channel. */
  readonly bornSeq?: number;
}

/** What the host alone keeps of a session. */
export interface SessionLocal extends AnyLocal {
  /** The catalogue entry as last written: what the next change is compared with. */
  readonly summary: SessionSummary;
  /** Who named it last; a person's name is never replaced [SESS-11]. */
  readonly titledBy: 'nobody' | 'message' | 'agent' | 'client';
}

/** What the host alone keeps of a chat. */
export interface ChatLocal extends AnyLocal {
  /** Completed turns on disk; the one at ordinal `turnCount - 1` is the newest. */
  readonly turnCount: number;
  /** The agent's memory, as its provider gave it. */
  readonly memory?: unknown;
}
