import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '../../lib/clock.ts';

/** Lifetime of a ticket. */
const LIFETIME_MS = 3_600_000;
/** Most tickets. Above it the oldest end. */
const MAX_TICKETS = 1_000;

/** The tool call that a ticket answers, and its device. */
export interface TicketSubject {
  /** Id of the device. */
  readonly device: string;
  readonly chat: string;
  readonly turnId: string;
  readonly toolCallId: string;
}

interface Ticket extends TicketSubject {
  readonly expiresAt: number;
  isUsed: boolean;
}

/**
 * Single-use secrets that answer one tool call without a token. Only their hashes are kept, in memory: tickets end with the host. A used
 * ticket is remembered until it expires, to tell a repeated answer from an unknown one.
 */
export class Tickets {
  readonly #clock: Clock;
  /** By hash, the oldest first. */
  readonly #byHash = new Map<string, Ticket>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Makes a ticket of 256 random bits. */
  issue(subject: TicketSubject): string {
    const now = this.#clock.now();
    for (const [hash, { expiresAt }] of this.#byHash)
      if (expiresAt <= now || this.#byHash.size >= MAX_TICKETS) this.#byHash.delete(hash);
      else break;
    const secret = randomBytes(32).toString('base64url');
    this.#byHash.set(hashOf(secret), { ...subject, expiresAt: now + LIFETIME_MS, isUsed: false });
    return secret;
  }

  /** Returns the subject of a ticket, which cannot be used again. `used`: it was used before; `unknown`: it has expired, or never was. */
  use(secret: string): TicketSubject | 'used' | 'unknown' {
    const ticket = this.#byHash.get(hashOf(secret));
    if (ticket === undefined || ticket.expiresAt <= this.#clock.now()) return 'unknown';
    if (ticket.isUsed) return 'used';
    ticket.isUsed = true;
    return ticket;
  }

  /** Makes a ticket usable again whose answer could not be given. */
  giveBack(secret: string): void {
    const ticket = this.#byHash.get(hashOf(secret));
    if (ticket !== undefined) ticket.isUsed = false;
  }
}

const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('base64url');
