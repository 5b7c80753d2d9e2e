import type { SessionUpdate } from '../session/session-update.ts';

/** Updates kept for a session whose id we have not been told yet: the latest so many, of so many sessions, with so many bytes in all. */
const MAX_UPDATES = 64;
const MAX_SESSIONS = 16;
const MAX_BYTES = 4 * 1024 * 1024;

interface Waiting {
  readonly sessionId: string;
  readonly update: SessionUpdate;
  readonly bytes: number;
}

/** What an agent says of sessions before it has told us their ids. Sessions that we never open (its sub-agents) push each other out. */
export class EarlyUpdates {
  /** In the order they came. */
  #waiting: Waiting[] = [];

  /** Keeps an update that took so many bytes. */
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

  /** What was kept for a session, in order; it is kept no longer. */
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
