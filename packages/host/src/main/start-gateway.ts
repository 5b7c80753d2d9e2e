import { defined } from '@agenthost/protocol/values';
import { findOwnerToken } from '../auth/token-store.ts';
import { Gateway, MIN_GATEWAY_TOKEN_LENGTH } from '../gateway/gateway.ts';
import { systemClock, systemTimers } from '../lib/clock.ts';
import { AccessError } from '../lib/file-facts.ts';
import { createLog } from '../lib/file-log.ts';
import { silentLog } from '../lib/log.ts';
import type { TlsFiles } from '../tls/credentials.ts';
import { certificateInfo, credentialsOf, followFiles } from './credentials.ts';
import { checkListen } from './listen-rules.ts';
import type { CertificateInfo } from './options.ts';

/** Settings of a gateway. */
export interface GatewaySettings {
  /** The database of the cells, as a `postgres://` URL without the parameter `cell`. Reading the tables `cells` and `sessions` suffices. */
  readonly url: string;
  /** Default: that of the environment variable PGPASSWORD or of the password file. */
  readonly password?: string | undefined;
  /** Address to listen on. Default 127.0.0.1. */
  readonly host?: string | undefined;
  /** Default 4710; 0 picks a free port. */
  readonly port?: number | undefined;
  /** Certificate and key, which are read again when they change. Absent: plain HTTP. */
  readonly tls?: TlsFiles | undefined;
  /** Listens without TLS on addresses beyond loopback. Default false. */
  readonly allowInsecure?: boolean;
  /** The token of the gateway, at least 32 characters. Takes precedence over `tokenFile`. */
  readonly token?: string | undefined;
  /** A file with the token, created on first use. */
  readonly tokenFile?: string | undefined;
  /** Owner's tokens by cell; requests for a cell without one are refused. Absent: all hosts have the token of the gateway. */
  readonly hostTokens?: Readonly<Record<string, string>> | undefined;
  /** Names besides the listened address under which clients reach the gateway. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Origins of other pages that may connect, such as `https://example.org`. */
  readonly allowedOrigins?: readonly string[] | undefined;
  /** Addresses and subnets of trusted proxies in front, besides loopback. Absent: forwarded headers are ignored. */
  readonly proxies?: readonly string[] | undefined;
  /** Version of the program. */
  readonly version?: string | undefined;
  /** File of the log. Absent: none. */
  readonly logFile?: string | undefined;
  /**
   * Called with a line for people when the certificate was renewed, when its new files cannot be used, and when a host cannot be reached or does not accept
   * the token of the gateway.
   */
  readonly tell?: ((line: string) => void) | undefined;
}

/** A running gateway. */
export interface RunningGateway {
  /** `http(s)://host:port`. */
  readonly url: string;
  readonly token: string;
  /** File of the token. Absent: the token was in the options. */
  readonly tokenFile?: string;
  readonly certificate?: CertificateInfo;
  /** Sentences about the token and the certificate. */
  readonly warnings: readonly string[];
  /** Closes all connections; resolves when the port is free. */
  stop(): Promise<void>;
}

/**
 * Starts a gateway. Rejects with `JournalError` for the database, `AccessError` for the token, `ListenRefused`, `TlsError`, or the system's error for
 * the port.
 */
export async function startGateway(settings: GatewaySettings): Promise<RunningGateway> {
  const { host = '127.0.0.1', tls, allowInsecure = false, hostTokens } = settings;
  const listen = { host, allowInsecure, ...defined({ tls }) };
  checkListen(listen);
  const found = findOwnerToken({ token: settings.token, tokenFile: settings.tokenFile });
  const { token } = found;
  if (token.length < MIN_GATEWAY_TOKEN_LENGTH) {
    throw new AccessError(
      `${found.path ?? 'the token'} has ${token.length} characters: a gateway needs at least ${MIN_GATEWAY_TOKEN_LENGTH}, since it cannot slow down guesses`,
    );
  }
  const [clock, timers] = [systemClock, systemTimers];
  const credentials = await credentialsOf(listen, undefined, clock.now());
  const fileLog = settings.logFile === undefined ? undefined : createLog({ file: settings.logFile });
  const log = fileLog ?? silentLog;
  const gateway = new Gateway({
    url: settings.url,
    password: settings.password,
    host,
    token,
    tls: credentials,
    proxies: settings.proxies,
    log,
    tell: settings.tell,
    clock,
    timers,
    ...(hostTokens !== undefined && {
      tokenOf: (cell: string) => (Object.hasOwn(hostTokens, cell) ? hostTokens[cell] : undefined),
    }),
    ...defined({
      port: settings.port,
      allowedHosts: settings.allowedHosts,
      allowedOrigins: settings.allowedOrigins,
      version: settings.version,
    }),
  });
  let url: string;
  try {
    ({ url } = await gateway.start());
  } catch (error) {
    fileLog?.close();
    throw error;
  }
  const unfollow = followFiles(listen, credentials, {
    server: gateway,
    clock,
    timers,
    log,
    emit: (event, detail) => {
      if ('certificate' in detail) settings.tell?.('the certificate was renewed');
      if ('reason' in detail && event === 'certificateRefused')
        settings.tell?.(
          `the new certificate is invalid, and the previous one stays in use: ${detail.reason}`,
        );
    },
  });
  return {
    url,
    token,
    ...defined({ tokenFile: found.path, certificate: credentials && certificateInfo(credentials) }),
    warnings: [...found.warnings, ...found.exposures, ...(credentials?.warnings ?? [])],
    stop: async () => {
      unfollow();
      await gateway.stop();
      fileLog?.close();
    },
  };
}
