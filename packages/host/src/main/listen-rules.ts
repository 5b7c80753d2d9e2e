import { isLoopback } from '../tls/names.ts';
import type { ListenOptions } from './options.ts';

/** Shorter tokens can be guessed over a network. */
const WEAK_TOKEN_LENGTH = 16;

/** What a host refuses to do unasked. */
export type ListenRefusal = 'unencrypted' | 'weak-token';

/** A host would not be safe where it was told to listen. */
export class ListenRefused extends Error {
  override readonly name = 'ListenRefused';
  readonly code: ListenRefusal;

  constructor(code: ListenRefusal, message: string) {
    super(message);
    this.code = code;
  }
}

/** Other machines are let in by TLS, or where somebody says that plain text is meant. Throws `ListenRefused`. */
export function checkListen({ host = '127.0.0.1', tls, allowInsecure }: ListenOptions): void {
  if (isLoopback(host) || tls !== undefined || allowInsecure === true) return;
  throw new ListenRefused(
    'unencrypted',
    `listening on ${host} would let other machines in without encryption: give listen.tls, or listen.allowInsecure behind a proxy that encrypts`,
  );
}

/** Nobody on another machine may guess the owner's token. Throws `ListenRefused`, without the token. */
export function checkTokenStrength({ host = '127.0.0.1' }: ListenOptions, token: string): void {
  if (isLoopback(host) || token.length >= WEAK_TOKEN_LENGTH) return;
  throw new ListenRefused(
    'weak-token',
    `the token has fewer than ${WEAK_TOKEN_LENGTH} characters and could be guessed from other machines: give a longer one, or none, so that the host makes one`,
  );
}
