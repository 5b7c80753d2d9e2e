import { parseAuthority } from '../../../auth/origin.ts';
import type { RequestView } from '../request-view.ts';

/** Inputs of the policy. */
export interface PolicyParts {
  readonly view: Pick<RequestView, 'publicHost' | 'isSecure'>;
  /** Origins of the other hosts that the page may connect to, such as `https://example.org`. */
  readonly pageHosts: readonly string[];
  /** Allows style elements with this nonce. Absent: the policy of a file, which also applies to workers. */
  readonly nonce?: string;
}

/**
 * The content security policy of the web page. Safari does not count WebSockets as `'self'`, so the policy names their origin. A host without TLS
 * may be behind a proxy that encrypts, so its policy has both schemes.
 */
export function pagePolicy({ view, pageHosts, nonce }: PolicyParts): string {
  const authority = authorityOf(view.publicHost);
  const own =
    authority === undefined ? [] : [...(view.isSecure ? [] : [`ws://${authority}`]), `wss://${authority}`];
  const others = pageHosts.flatMap((origin) => [origin, origin.replace(/^http/, 'ws')]);
  return [
    "default-src 'none'",
    "script-src 'self'",
    nonce === undefined ? "style-src 'self'" : `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "font-src 'self'",
    ['connect-src', "'self'", ...own, ...others].join(' '),
    "worker-src 'self'",
    "manifest-src 'self'",
    // Views of MCP servers. The page itself and other answers of the host refuse to be in a frame.
    "frame-src 'self'",
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    // A file is no document; in a worker the directive would refuse the loader of modules.
    ...(nonce === undefined ? [] : ["require-trusted-types-for 'script'", 'trusted-types agenthost']),
  ].join('; ');
}

/** A host in the form of a URL, which has no character that could end a directive. */
function authorityOf(host: string | undefined): string | undefined {
  const parsed = host === undefined ? undefined : parseAuthority(host);
  if (parsed === undefined || !/^[\w.:[\]-]+$/.test(parsed.name)) return undefined;
  return parsed.port === '' ? parsed.name : `${parsed.name}:${parsed.port}`;
}
