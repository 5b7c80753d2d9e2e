import { errorText } from '@agenthost/protocol/values';
import type { Configuration, IDToken } from 'openid-client';
import { type Clock, steadyNow } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { AccessTokens, TokenIdentity } from '../access-tokens.ts';
import { CookieSeal } from './cookie-seal.ts';
import { admit, type OidcRule, ruleProblem } from './rules.ts';

/** Sign-in of browsers by an OpenID Connect provider. */
export interface OidcOptions {
  /** URL of the provider: `https:`, or `http:` on loopback. Its discovery document is below it. */
  readonly issuer: string;
  /** Id of the host as a client of the provider. */
  readonly clientId: string;
  /** Absent: the host is a public client. */
  readonly clientSecret?: string;
  /** The first matching rule applies. A person without a matching rule is refused. */
  readonly rules: readonly OidcRule[];
  /** Name of the provider on the button. Default: the host name of the issuer. */
  readonly name?: string;
  /** Lifetime of a sign-in in seconds. Default 43,200 (12 hours). */
  readonly lifetimeSeconds?: number;
  /** Scopes that are requested. Default `openid email profile`. */
  readonly scopes?: string;
  /** Whether an address is used when the provider does not state whether it is verified. Default false. */
  readonly trustsEmails?: boolean;
}

const LIFETIME_SECONDS = 12 * 3_600;
const SCOPES = 'openid email profile';
/** Time for the person at the provider. */
const PENDING_MS = 600_000;
/** Time after which the keys and endpoints of the provider are requested again. */
const DISCOVERY_MS = 3_600_000;
/** Time limit of a request to the provider, in seconds. */
const TIMEOUT_SECONDS = 8;

/** A sign-in that a browser has begun. The browser keeps it, encrypted, in a cookie: anyone can begin sign-ins, so the host stores none. */
interface Pending {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly redirectUri: string;
  /** The secret of the browser's earlier sign-in. The browser does not send its cookie with the redirect. */
  readonly previous: string | undefined;
  readonly endsAt: number;
}

/** The end of a sign-in. `status`: of the HTTP answer. */
export type OidcOutcome =
  | { readonly isIn: true; readonly identity: TokenIdentity; readonly previous: string | undefined }
  | { readonly isIn: false; readonly status: number; readonly reason: string };

/** Thrown for options that cannot be used. */
export class OidcOptionsError extends Error {
  override readonly name = 'OidcOptionsError';
}

/**
 * Signs browsers in by the authorization code flow with PKCE. A sign-in has a state, a nonce and a cookie of its own, works once, and ends after ten
 * minutes or when the host restarts. The ID token's signature is checked. The result is an access token of the person, whose secret is given to no one.
 */
export class OidcSignIn {
  readonly #options: OidcOptions;
  readonly #tokens: Pick<AccessTokens, 'createSignIn'>;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #seal = new CookieSeal();
  /** States of callbacks that run or have succeeded, with the time at which they expire. Only an account at the provider can add one for more than seconds. */
  readonly #used = new Map<string, number>();
  #found: { readonly config: Promise<Configuration>; readonly endsAt: number } | undefined;

  /** Throws {@link OidcOptionsError}. */
  constructor(
    options: OidcOptions,
    parts: { tokens: Pick<AccessTokens, 'createSignIn'>; clock: Clock; log: Log },
  ) {
    checkOptions(options);
    this.#options = options;
    this.#tokens = parts.tokens;
    this.#clock = parts.clock;
    this.#log = parts.log;
  }

  /** Name of the provider for people. */
  get name(): string {
    return this.#options.name ?? new URL(this.#options.issuer).hostname;
  }

  /**
   * Begins a sign-in. Resolves with the address of the provider, and the value of the browser's cookie. Rejects when the provider cannot be
   * reached. `previous`: secret of the browser's present sign-in.
   */
  async begin(
    redirectUri: string,
    previous: string | undefined,
  ): Promise<{ readonly url: URL; readonly binding: string }> {
    const oidc = await import('openid-client');
    const config = await this.#discover();
    const state = oidc.randomState();
    const nonce = oidc.randomNonce();
    const verifier = oidc.randomPKCECodeVerifier();
    const endsAt = steadyNow(this.#clock) + PENDING_MS;
    const pending: Pending = { state, nonce, verifier, redirectUri, previous, endsAt };
    const url = oidc.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope: this.#options.scopes ?? SCOPES,
      state,
      nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    return { url, binding: this.#seal.seal(JSON.stringify(pending)) };
  }

  /** Finishes a sign-in with the query of the redirect. `binding`: the value of the browser's cookie. */
  async finish(query: URLSearchParams, binding: string | undefined): Promise<OidcOutcome> {
    const now = steadyNow(this.#clock);
    for (const [state, endsAt] of this.#used) if (endsAt <= now) this.#used.delete(state);
    const pending = this.#open(binding);
    if (pending === undefined || pending.state !== query.get('state') || pending.endsAt <= now)
      return refused(
        401,
        'this sign-in has expired, was begun in another browser, or the host has restarted since: begin again',
      );
    if (this.#used.has(pending.state)) return refused(401, 'this sign-in was used already: begin again');
    this.#used.set(pending.state, pending.endsAt);
    const claims = await this.#claims(query, pending).catch((error: unknown) => {
      // Anyone can fail, so failures take no memory. The provider accepts no code twice.
      this.#used.delete(pending.state);
      this.#log.warn({ error }, 'a sign-in by OpenID Connect failed');
      return errorText(error);
    });
    if (typeof claims === 'string') return refused(401, `the sign-in failed: ${claims}`);
    if (claims === undefined) return refused(401, 'the sign-in failed: the provider sent no ID token');
    const { rules, trustsEmails = false, lifetimeSeconds = LIFETIME_SECONDS } = this.#options;
    const admitted = admit(claims, rules, trustsEmails);
    if (typeof admitted === 'string') return refused(403, admitted);
    const identity = await this.#tokens.createSignIn({ ...admitted, lifetimeSeconds });
    return identity === undefined
      ? refused(503, 'this host has too many access tokens')
      : { isIn: true, identity, previous: pending.previous };
  }

  #open(binding: string | undefined): Pending | undefined {
    const text = binding === undefined ? undefined : this.#seal.open(binding);
    return text === undefined ? undefined : JSON.parse(text);
  }

  async #claims(query: URLSearchParams, pending: Pending): Promise<IDToken | undefined> {
    const oidc = await import('openid-client');
    const config = await this.#discover();
    const url = new URL(pending.redirectUri);
    url.search = query.toString();
    const answer = await oidc.authorizationCodeGrant(config, url, {
      expectedState: pending.state,
      expectedNonce: pending.nonce,
      pkceCodeVerifier: pending.verifier,
      idTokenExpected: true,
    });
    return answer.claims();
  }

  #discover(): Promise<Configuration> {
    const now = steadyNow(this.#clock);
    if (this.#found !== undefined && this.#found.endsAt > now) return this.#found.config;
    const config = this.#ask();
    this.#found = { config, endsAt: now + DISCOVERY_MS };
    config.catch(() => {
      if (this.#found?.config === config) this.#found = undefined;
    });
    return config;
  }

  async #ask(): Promise<Configuration> {
    const oidc = await import('openid-client');
    const { issuer, clientId, clientSecret } = this.#options;
    const url = new URL(issuer);
    return oidc.discovery(url, clientId, clientSecret, clientSecret === undefined ? oidc.None() : undefined, {
      timeout: TIMEOUT_SECONDS,
      execute: [
        // The signature is checked too, not only the connection to the provider.
        oidc.enableNonRepudiationChecks,
        ...(url.protocol === 'http:' ? [oidc.allowInsecureRequests] : []),
      ],
    });
  }
}

const refused = (status: number, reason: string): OidcOutcome => ({ isIn: false, status, reason });

function checkOptions({ issuer, clientId, rules, lifetimeSeconds = 1 }: OidcOptions): void {
  const url = URL.parse(issuer);
  const isLoopback = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(url?.hostname ?? '');
  const isAllowed = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback);
  if (!isAllowed)
    throw new OidcOptionsError(
      `oidc.issuer: expected an https: URL, or http: on this machine, got ${JSON.stringify(issuer)}`,
    );
  if (clientId === '') throw new OidcOptionsError('oidc.clientId: expected the id of a client');
  if (rules.length === 0)
    throw new OidcOptionsError('oidc.rules: expected at least one rule: nobody could sign in');
  if (!Number.isInteger(lifetimeSeconds) || lifetimeSeconds < 1 || lifetimeSeconds > 31_536_000)
    throw new OidcOptionsError('oidc.lifetimeSeconds: expected a whole number from 1 to 31,536,000');
  for (const [index, rule] of rules.entries()) {
    const problem = ruleProblem(rule);
    if (problem !== undefined) throw new OidcOptionsError(`oidc.rules[${index}]: ${problem}`);
  }
}
