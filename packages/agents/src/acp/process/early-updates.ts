import type { SessionUpdate } from '../session/session-update.ts';

/**
 * Limits for updates of sessions whose id is not known yet: updates per session, sessions, and bytes in
 * total. The latest are kept.
 */
const MAX_UPDATES = 64;
const MAX_SESSIONS = 16;
const MAX_BYTES = 4 * 1024 * 1024;

interface Waiting {
  readonly sessionId: string;
  readonly update: SessionUpdate;
  readonly bytes: number;
}

/**
 * Updates of sessions whose ids the agent has not reported yet. Sessions that are never opened (of
 * sub-agents) displace each other.
 */
export class EarlyUpdates {
  /** In the order received. */
  #waiting: Waiting[] = [];

  /** Keeps an update whose message had `bytes` bytes. */
  keep(sessionId: string, update: SessionUpdate, bytes: number): void {
    this.#waiting.push({ sessionId, update, bytes });
    while (this.#bytes > MAX_BYTES) this.#waiting.shift();
    if (this.#of(sessionId).length > MAX_UPDATES)
      this.#waiting.splice(
        this.#waiting.findIndex((kept) => kept.sessionId === sessionId),
        1,
      );
    const sessions = new Set(this.#waiting.map((kept) => kept.sessionId));
    const [oldest] = sessions;
    if (sessions.size > MAX_SESSIONS && oldest !== undefined) this.take(oldest);
  }

  /** Removes and returns the updates of a session, in order. */
  take(sessionId: string): readonly SessionUpdate[] {
    const taken = this.#of(sessionId);
    this.#waiting = this.#waiting.filter((kept) => kept.sessionId !== sessionId);
    return taken.map(({ update }) => update);
  }

  get #bytes(): number {
    return this.#waiting.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  #of(sessionId: string): readonly Waiting[] {
    return this.#waiting.filter((kept) => kept.sessionId === sessionId);
  }
}
