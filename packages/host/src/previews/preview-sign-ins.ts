import { randomBytes } from 'node:crypto';
import type { TokenIdentity } from '../auth/access-tokens.ts';
import { hashToken } from '../auth/verify.ts';
import { type Clock, steadyNow } from '../lib/clock.ts';

/** Time in which the address of a preview must be opened. */
export const TICKET_MS = 60_000;
/** Longest duration of a sign-in. */
export const SIGN_IN_MS = 12 * 3_600_000;
/** Tickets and sign-ins of one token for one preview. Above it, the oldest ends. */
const MOST_PER_TOKEN = 16;
/** Open requests and WebSockets of one sign-in. A browser opens six connections to an origin, and up to 255 WebSockets. */
const MAX_OPEN = 256;

/** A browser that is signed in to a preview, and what it has open. */
export class PreviewSignIn {
  readonly identity: TokenIdentity;
  readonly endsAt: number;
  readonly #open = new Set<() => void>();

  constructor(identity: TokenIdentity, endsAt: number) {
    this.identity = identity;
    this.endsAt = endsAt;
  }

  /** Adds a request or WebSocket, which `cut` ends with the sign-in. Returns a function that removes it; `undefined`: too many are open. */
  enter(cut: () => void): (() => void) | undefined {
    if (this.#open.size >= MAX_OPEN) return undefined;
    this.#open.add(cut);
    return () => void this.#open.delete(cut);
  }

  /** Ends everything that is open. */
  end(): void {
    for (const cut of [...this.#open]) cut();
    this.#open.clear();
  }

  get openCount(): number {
    return this.#open.size;
  }
}

interface Ticket {
  readonly identity: TokenIdentity;
  readonly endsAt: number;
}

/**
 * The tickets and sign-ins of one preview. A ticket is the secret in the address that the host gives to a client. A browser exchanges the ticket, once,
 * for the secret of a sign-in, in a cookie of the preview. Neither opens anything of the host. Only hashes are kept, in memory.
 */
export class PreviewSignIns {
  readonly #clock: Clock;
  /** By hash of the secret, oldest first. */
  readonly #tickets = new Map<string, Ticket>();
  readonly #signIns = new Map<string, PreviewSignIn>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Creates a ticket. */
  ticket(identity: TokenIdentity): { readonly secret: string; readonly expiresAt: string } {
    const secret = `ahp_${randomBytes(32).toString('base64url')}`;
    this.#tickets.set(hashToken(secret), { identity, endsAt: steadyNow(this.#clock) + TICKET_MS });
    const [oldest] = ofToken(this.#tickets, identity);
    if (oldest !== undefined) this.#tickets.delete(oldest);
    return { secret, expiresAt: new Date(this.#clock.now() + TICKET_MS).toISOString() };
  }

  /** Exchanges a ticket for the secret of a sign-in; `undefined` when it is unknown, used or too old, or its token has ended. */
  redeem(secret: string, isValid: (identity: TokenIdentity) => boolean): string | undefined {
    const hash = hashToken(secret);
    const ticket = this.#tickets.get(hash);
    this.#tickets.delete(hash);
    const now = steadyNow(this.#clock);
    if (ticket === undefined || ticket.endsAt <= now || !isValid(ticket.identity)) return undefined;
    const own = `ahv_${randomBytes(32).toString('base64url')}`;
    this.#signIns.set(hashToken(own), new PreviewSignIn(ticket.identity, now + SIGN_IN_MS));
    const [oldest] = ofToken(this.#signIns, ticket.identity);
    if (oldest !== undefined) this.#end(oldest);
    return own;
  }

  /** The sign-in behind a secret; `undefined` when there is none, or it has ended. */
  find(secret: string | undefined): PreviewSignIn | undefined {
    const found = secret === undefined ? undefined : this.#signIns.get(hashToken(secret));
    return found === undefined || found.endsAt <= steadyNow(this.#clock) ? undefined : found;
  }

  /** Ends the sign-ins and tickets of these identities, with everything that is open, and those that are too old. */
  endThose(isEnding: (identity: TokenIdentity) => boolean): void {
    const now = steadyNow(this.#clock);
    for (const [hash, { identity, endsAt }] of this.#tickets)
      if (endsAt <= now || isEnding(identity)) this.#tickets.delete(hash);
    for (const [hash, { identity, endsAt }] of this.#signIns)
      if (endsAt <= now || isEnding(identity)) this.#end(hash);
  }

  /** Requests and WebSockets that are open. */
  get openCount(): number {
    return [...this.#signIns.values()].reduce((sum, { openCount }) => sum + openCount, 0);
  }

  #end(hash: string): void {
    this.#signIns.get(hash)?.end();
    this.#signIns.delete(hash);
  }
}

/** The entries of a token above its limit, the oldest first. */
function ofToken(
  all: ReadonlyMap<string, { readonly identity: TokenIdentity }>,
  { tokenHash }: TokenIdentity,
): readonly string[] {
  const own = [...all].filter(([, { identity }]) => identity.tokenHash === tokenHash);
  return own.slice(0, Math.max(0, own.length - MOST_PER_TOKEN)).map(([hash]) => hash);
}
