import { isLoopback } from '../tls/names.ts';
import type { ListenOptions } from './options.ts';

/** Shorter tokens can be guessed over a network. */
const WEAK_TOKEN_LENGTH = 16;

/** Why a host refuses to listen. */
export type ListenRefusal = 'unencrypted' | 'weak-token';

/** Listening with these options would be insecure. `start` rejects with this error. */
export class ListenRefused extends Error {
  override readonly name = 'ListenRefused';
  readonly code: ListenRefusal;

  constructor(code: ListenRefusal, message: string) {
    super(message);
    this.code = code;
  }
}

/** Beyond loopback, TLS or an explicit `allowInsecure` is required. Throws `ListenRefused`. */
export function checkListen({ host = '127.0.0.1', tls, allowInsecure }: ListenOptions): void {
  if (isLoopback(host) || tls !== undefined || allowInsecure === true) return;
  throw new ListenRefused(
    'unencrypted',
    `listening on ${host} would accept unencrypted connections from other machines: set listen.tls, or listen.allowInsecure behind a proxy that encrypts`,
  );
}

/**
 * Beyond loopback, the owner's token must be long enough. Throws `ListenRefused`; the message does not
 * contain the token.
 */
export function checkTokenStrength({ host = '127.0.0.1' }: ListenOptions, token: string): void {
  if (isLoopback(host) || token.length >= WEAK_TOKEN_LENGTH) return;
  throw new ListenRefused(
    'weak-token',
    `the token has fewer than ${WEAK_TOKEN_LENGTH} characters and could be guessed from other machines: set a longer one, or none to let the host create one`,
  );
}
