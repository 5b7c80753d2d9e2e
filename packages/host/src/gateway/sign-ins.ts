import { createHmac, randomBytes } from 'node:crypto';
import { isToken } from '../auth/verify.ts';

/** Days for which a browser stays signed in. */
const DAYS = 90;
const DAY_MS = 86_400_000;

/**
 * The sign-in of browsers at gateways. The secret in the cookie is signed with a key from the token, so that each gateway with the same token
 * accepts it and none keeps a list. It ends after 90 days, or when the token changes.
 */
export class GatewaySignIns {
  readonly #token: string;
  readonly #now: () => number;

  constructor(token: string, now: () => number) {
    this.#token = token;
    this.#now = now;
  }

  /** Whether a text is the token, in constant time. */
  isToken(given: string | undefined): boolean {
    return isToken(given, this.#token);
  }

  /** A secret for the cookie of a browser. */
  begin(): string {
    const facts = `${this.#now() + DAYS * DAY_MS}.${randomBytes(12).toString('base64url')}`;
    return `${facts}.${this.#signatureOf(facts)}`;
  }

  /** Whether a cookie has a secret that is still valid. */
  isValid(secret: string | undefined): boolean {
    const [, facts = '', expiry = '', signature = ''] =
      /^((\d{1,16})\.[\w-]{16})\.([\w-]{43})$/.exec(secret ?? '') ?? [];
    return isToken(signature, this.#signatureOf(facts)) && Number(expiry) > this.#now();
  }

  /** Seconds for which a browser keeps the cookie. */
  readonly maxAgeSeconds = (DAYS * DAY_MS) / 1_000;

  #signatureOf(facts: string): string {
    return createHmac('sha256', `agenthost gateway ${this.#token}`).update(facts).digest('base64url');
  }
}
