import { isAbsolute } from 'node:path';
import { isBasePath } from '../auth/base-path.ts';
import { isProxyAddress } from '../auth/proxies.ts';
import { previewPlace } from '../previews/preview-place.ts';
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

/** Beyond loopback, TLS or an explicit `allowInsecure` is required. Throws `ListenRefused`, and `Error` for options that are invalid. */
export function checkListen(options: ListenOptions): void {
  checkForm(options);
  previewPlace(options.host ?? '127.0.0.1', options.previews);
  const { host = '127.0.0.1', tls, allowInsecure } = options;
  if (isLoopback(host) || tls !== undefined || allowInsecure === true) return;
  throw new ListenRefused(
    'unencrypted',
    `listening on ${host} would accept unencrypted connections from other machines: set listen.tls, or listen.allowInsecure behind a proxy that encrypts`,
  );
}

function checkForm({ basePath, trustProxy = false, page }: ListenOptions): void {
  if (basePath !== undefined && !isBasePath(basePath))
    throw new Error(
      `listen.basePath: expected a path such as "/agents", without a slash at its end, got ${JSON.stringify(basePath)}`,
    );
  const wrong =
    typeof trustProxy === 'boolean' ? undefined : trustProxy.find((text) => !isProxyAddress(text));
  if (wrong !== undefined)
    throw new Error(
      `listen.trustProxy: expected an IP address or a subnet such as "10.0.0.0/8", got ${JSON.stringify(wrong)}`,
    );
  if (page !== undefined && !isAbsolute(page.folder))
    throw new Error(`listen.page.folder: expected an absolute path, got ${JSON.stringify(page.folder)}`);
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
