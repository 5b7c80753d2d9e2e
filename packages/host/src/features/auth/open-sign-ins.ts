import { randomBytes } from 'node:crypto';
import {
  type BeginSignInParams,
  type BeginSignInResult,
  conflict,
  type FinishSignInParams,
  invalidParam,
  type McpAuthRequirement,
  notFound,
} from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { type BoundedFetch, boundedFetch } from '../../lib/bounded-fetch.ts';
import { type Clock, steadyNow, type Timers } from '../../lib/clock.ts';
import {
  AuthorizationServer,
  type DeviceCode,
  type GrantedToken,
  SignInRefused,
} from './authorization-server.ts';

/** Open sign-ins of one client. */
const MAX_OPEN = 8;
/** Longest time from the start of a sign-in to its end, in seconds. */
const LIMIT_SECONDS = 900;
/** What a server that asks for slower polling adds to the interval, in seconds (RFC 8628). */
const SLOWER_SECONDS = 5;

interface OpenSignIn {
  readonly id: string;
  readonly clientId: string;
  readonly resource: string;
  readonly server: AuthorizationServer;
  /** By `steadyNow`. */
  readonly end: number;
  /** Secret of the redirect, or the device code. */
  readonly proof: { readonly verifier: string } | DeviceCode;
}

/** A token, and a function that gets the next one. */
export interface SignedIn {
  readonly resource: string;
  readonly token: GrantedToken;
  /** Rejects with `SignInRefused`. Absent: the server gave nothing to renew it with. */
  readonly renew?: () => Promise<SignedIn>;
}

/** Sign-ins that clients have begun, in memory. A sign-in belongs to its client, and can be finished once. */
export class OpenSignIns {
  readonly #clock: Clock;
  readonly #timers: Timers;
  readonly #fetch: BoundedFetch;
  readonly #open = new Map<string, OpenSignIn>();
  /** Sign-ins whose device code is waited for. */
  readonly #waiting = new Set<OpenSignIn>();

  constructor({ clock, timers }: { readonly clock: Clock; readonly timers: Timers }) {
    this.#clock = clock;
    this.#timers = timers;
    this.#fetch = boundedFetch(timers);
  }

  /** Answers `x-beginSignIn` for a resource that needs a token. Rejects with `-32602`, and with `-32011` when the server refuses. */
  async begin(
    clientId: string,
    { resource, requiredScopes, oauthClient }: Omit<McpAuthRequirement, 'reason'>,
    params: BeginSignInParams,
  ): Promise<BeginSignInResult> {
    const { redirectUri, clientId: givenClient, scopes: givenScopes } = params;
    checkRedirect(redirectUri);
    const servers = resource.authorization_servers ?? originOf(resource.resource);
    const chosen = params.authorizationServer ?? servers[0];
    if (chosen === undefined || !servers.includes(chosen))
      throw invalidParam('authorizationServer', `expected one of ${servers.join(', ') || 'none'}`);
    const given = givenClient === undefined ? oauthClient : { clientId: givenClient };
    const wanted = {
      resource: resource.resource,
      scopes: givenScopes ?? requiredScopes ?? resource.scopes_supported ?? [],
      server: chosen,
      ...defined({ client: given }),
    };
    const id = randomBytes(24).toString('base64url');
    return refusals(async () => {
      const server = await AuthorizationServer.open(wanted, redirectUri, this.#fetch);
      const proof = redirectUri === undefined ? await server.device() : await server.redirect(id);
      const expiresIn = Math.min(
        LIMIT_SECONDS,
        'deviceCode' in proof ? proof.expiresInSeconds : LIMIT_SECONDS,
      );
      const end = steadyNow(this.#clock) + expiresIn * 1_000;
      this.#add({ id, clientId, resource: resource.resource, server, end, proof });
      return { id, url: proof.url, expiresIn, ...('userCode' in proof ? { userCode: proof.userCode } : {}) };
    });
  }

  /** Answers `x-finishSignIn`. Rejects with `-32008` and `-32011`. The signal ends the wait for a device code. */
  async finish(
    clientId: string,
    { id, code, iss }: FinishSignInParams,
    signal: AbortSignal,
  ): Promise<SignedIn> {
    const open = this.#open.get(id);
    if (open === undefined || open.clientId !== clientId || open.end <= steadyNow(this.#clock))
      throw notFound('sign-in', id);
    const { server, proof } = open;
    const isDevice = 'deviceCode' in proof;
    if (isDevice !== (code === undefined))
      throw invalidParam('code', isDevice ? 'a device code has none' : 'expected the code of the redirect');
    if (isDevice && [...this.#waiting].filter((each) => each.clientId === clientId).length >= MAX_OPEN)
      throw conflict(`The client waits for ${MAX_OPEN} sign-ins already: finish one of them`);
    this.#open.delete(id);
    return refusals(async () => {
      const token =
        'deviceCode' in proof
          ? await this.#poll(open, proof, signal)
          : await server.redeem({ code: code ?? '', iss, verifier: proof.verifier });
      return signedIn(open.resource, server, token);
    });
  }

  /** Forgets those that have ended. */
  sweep(isGone: (clientId: string) => boolean): void {
    for (const [id, { end, clientId }] of this.#open)
      if (end <= steadyNow(this.#clock) || isGone(clientId)) this.#open.delete(id);
  }

  #add(added: OpenSignIn): void {
    const own = [...this.#open.values()].filter(({ clientId }) => clientId === added.clientId);
    for (const { id } of own.slice(0, Math.max(0, own.length - MAX_OPEN + 1))) this.#open.delete(id);
    this.#open.set(added.id, added);
  }

  async #poll(open: OpenSignIn, device: DeviceCode, signal: AbortSignal): Promise<GrantedToken> {
    const { server, end } = open;
    let intervalMs = device.intervalSeconds * 1_000;
    this.#waiting.add(open);
    try {
      while (steadyNow(this.#clock) + intervalMs < end) {
        await this.#pause(intervalMs, signal);
        signal.throwIfAborted();
        const answer = await server.poll(device.deviceCode);
        if (answer === 'slower') intervalMs += SLOWER_SECONDS * 1_000;
        else if (answer !== 'pending') return answer;
      }
      throw new SignInRefused('the code was not entered in time');
    } finally {
      this.#waiting.delete(open);
    }
  }

  #pause(ms: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#timers.after(ms, resolve);
    const stop = (): void => {
      cancel();
      resolve();
    };
    signal.addEventListener('abort', stop, { once: true });
    return promise.finally(() => signal.removeEventListener('abort', stop));
  }
}

function signedIn(resource: string, server: AuthorizationServer, token: GrantedToken): SignedIn {
  const { refreshToken } = token;
  if (refreshToken === undefined) return { resource, token };
  // A server may keep the refresh token that it gave before.
  const renew = async (): Promise<SignedIn> =>
    signedIn(resource, server, { refreshToken, ...(await server.renew(refreshToken)) });
  return { resource, token, renew };
}

/** A resource that names no authorization server is its own, as older MCP servers are. */
function originOf(resource: string): readonly string[] {
  const url = URL.parse(resource);
  return url === null || url.origin === 'null' ? [] : [url.origin];
}

function checkRedirect(uri: string | undefined): void {
  if (uri === undefined) return;
  const url = URL.parse(uri);
  if (url === null || !/^https?:$/.test(url.protocol) || url.hash !== '' || url.username !== '')
    throw invalidParam('redirectUri', 'expected an http or https URL without a fragment');
}

async function refusals<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof SignInRefused) throw conflict(`The sign-in failed: ${error.message}`);
    throw error;
  }
}
