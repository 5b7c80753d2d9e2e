import { isAbsolute } from 'node:path';
import { isBasePath } from '../auth/base-path.ts';
import { isProxyAddress } from '../auth/proxies.ts';
import { previewPlace } from '../previews/preview-place.ts';
import { isLoopback } from '../tls/names.ts';
import type { ListenOptions } from './options.ts';

/** Shorter tokens can be guessed over a network. */
const WEAK_TOKEN_LENGTH = 16;

/** Ports of other protocols. Browsers and Node's `fetch` refuse to connect to them (https://fetch.spec.whatwg.org/#port-blocking). */
const BLOCKED_PORTS: ReadonlySet<number> = new Set([
  ...[
    1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  ],
  ...[
    109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
  ],
  ...[526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049],
  ...[3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10_080],
]);

/** Why a host refuses to listen. */
export type ListenRefusal = 'unencrypted' | 'weak-token' | 'blocked-port';

/** Listening with these options would be insecure or of no use. `start` rejects with this error. */
export class ListenRefused extends Error {
  override readonly name = 'ListenRefused';
  readonly code: ListenRefusal;

  constructor(code: ListenRefusal, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Beyond loopback, TLS or an explicit `allowInsecure` is required. The port must be one that clients connect to. Throws `ListenRefused`, and `Error` for
 * options that are invalid.
 */
export function checkListen(options: ListenOptions): void {
  checkForm(options);
  previewPlace(options.host ?? '127.0.0.1', options.previews);
  const { host = '127.0.0.1', port = 0, tls, allowInsecure } = options;
  if (BLOCKED_PORTS.has(port))
    throw new ListenRefused(
      'blocked-port',
      `port ${port} belongs to another protocol, and browsers refuse to connect to it: choose another port`,
    );
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
