import { defined } from '@agenthost/protocol/values';
import { BrowserSignIns } from '../auth/browser-sign-ins.ts';
import { Gate } from '../auth/gate.ts';
import { GuessLimit } from '../auth/guess-limit.ts';
import { OidcSignIn } from '../auth/oidc/oidc-sign-in.ts';
import { findOwnerToken } from '../auth/token-store.ts';
import { hashToken } from '../auth/verify.ts';
import { pageHosts } from '../config/host-config.ts';
import type { Clock, Timers } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { PROMETHEUS_TYPE } from '../telemetry/metrics/prometheus.ts';
import { HostServer } from '../wire/http/server.ts';
import type { Core } from './core.ts';
import { certificateInfo, credentialsOf, followFiles } from './credentials.ts';
import type { HostEvents } from './events.ts';
import { listenForPreviews } from './listen-previews.ts';
import { checkTokenStrength } from './listen-rules.ts';
import type { HostAddress, ListenOptions } from './options.ts';

/** Services for listening. */
export interface Listening {
  readonly listen: ListenOptions;
  readonly dataDir: string | undefined;
  /** Version of the program that runs the host. */
  readonly version: string | undefined;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  emit<E extends keyof HostEvents>(event: E, detail: HostEvents[E]): void;
  /** Whether the host accepts new work. */
  isReady(): boolean;
}

/**
 * Loads token and certificate, and listens. Rejects with `ListenRefused`, `TlsError` or the system's error.
 */
export async function startListening(
  { hub, sync, features, ownerTokens, accessTokens, previews, telemetry }: Core,
  { listen, dataDir, version, clock, timers, log, emit, isReady }: Listening,
): Promise<{ stop(): Promise<void>; address: HostAddress }> {
  const found = findOwnerToken({ token: listen.token, tokenFile: listen.tokenFile, dataDir });
  const { token, path: tokenPath, warnings, exposures } = found;
  checkTokenStrength(listen, token);
  const credentials = await credentialsOf(listen, dataDir, clock.now());
  for (const warning of [...warnings, ...(credentials?.warnings ?? [])]) log.warn({}, warning);
  for (const message of exposures) {
    log.warn({}, message);
    emit('exposureFound', { message });
  }
  await ownerTokens.use(hashToken(token));
  const host = listen.host ?? '127.0.0.1';
  const guesses = new GuessLimit(clock, (failures, address) =>
    log.warn({ failures, address }, 'connections with a wrong token were refused'),
  );
  const browsers = await BrowserSignIns.load(sync);
  browsers.onEnded((signInHash) => {
    hub.endSignIn(signInHash);
    previews.endThose((identity) => identity.signInHash === signInHash);
  });
  const { trustProxy = false, page, basePath = '' } = listen;
  const oidc = listen.oidc && new OidcSignIn(listen.oidc, { tokens: accessTokens, clock, log });
  const server = new HostServer({
    host,
    port: listen.port ?? 4711,
    gate: new Gate({ ownerToken: token, tokens: accessTokens, guesses, clock, tokenPath, browsers }),
    allowedOrigins: listen.allowedOrigins ?? [],
    allowedHosts: listen.allowedHosts ?? [],
    announcedHost: listen.announcedHost,
    maxFrameBytes: listen.maxFrameBytes,
    tls: credentials,
    page: page && { ...page, pageHosts: () => pageHosts(sync.root.state.config) },
    basePath,
    proxies: trustProxy === false ? undefined : trustProxy === true ? [] : trustProxy,
    version,
    log,
    routes: features.routes,
    metrics: () => ({ contentType: PROMETHEUS_TYPE, body: telemetry.prometheus() }),
    isReady,
    refusalFor: (identity) => hub.refusalFor(identity),
    oidc,
    limitScopeOf: (identity) => hub.limitScopeOf(identity),
    accept: (transport, identity) => void hub.accept(transport, identity),
  });
  const port = await server.start();
  const {
    stop: stopPreviews,
    useCredentials,
    port: previewPort,
  } = await listenForPreviews(previews, {
    host,
    tls: credentials,
    listen,
    log,
  }).catch(async (error: unknown) => {
    await server.stop();
    throw error;
  });
  const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const s = credentials === undefined ? '' : 's';
  const url = `http${s}://${authority}`;
  const urls = { url, pageUrl: `${url}${basePath}/`, wsUrl: `ws${s}://${authority}/ahp` };
  const certificate = credentials && certificateInfo(credentials);
  const renewed: Pick<HostServer, 'useCredentials'> = {
    useCredentials: (next) => {
      server.useCredentials(next);
      useCredentials(next);
    },
  };
  const unfollow = followFiles(listen, credentials, { server: renewed, clock, timers, log, emit });
  const stop = async (): Promise<void> => {
    unfollow();
    await Promise.all([stopPreviews(), server.stop()]);
  };
  return {
    stop,
    address: {
      ...urls,
      token,
      ...defined({ tokenFile: tokenPath }),
      port,
      ...defined({ previewPort, certificate }),
    },
  };
}
