import { homedir, hostname } from 'node:os';
import { join } from 'node:path';
import { type FrameRecorder, recordServerTransport } from '@agenthost/conformance/recording';
import {
  type CertificateInfo,
  createHost,
  findHostConfigFault,
  type Host,
  type HostAddress,
  type HostOptions,
  hostConfigSchema,
  isBasePath,
  JournalError,
  type ListenOptions,
  type OidcOptions,
} from '@agenthost/host';
import { defined, errorText } from '@agenthost/protocol/values';
import { pageFolder } from '@agenthost/web';
import { damagedAdvice } from '../doctor/damaged-databases.ts';
import { readValue } from '../input/settings.ts';
import { usageError } from '../process/exit.ts';
import { oneLine } from '../render/plain-text.ts';
import type { AgentChoice } from './agents.ts';
import type { ServeConfig } from './config.ts';
import {
  announcedHostOf,
  announcementOf,
  type JournalPlace,
  journalAt,
  type WaitListener,
} from './journal-url.ts';
import { previewsOf } from './preview-options.ts';

/** Settings of a host at its start. */
export interface ServeSettings {
  readonly dataDir: string;
  readonly host: string;
  readonly port: number;
  readonly roots: readonly string[] | undefined;
  readonly tls: ListenOptions['tls'] | undefined;
  /** Whether other machines may connect without TLS. */
  readonly allowInsecure: boolean;
  /** As typed. Absent: none. */
  readonly basePath?: string | undefined;
  /** Whether forwarded headers of a proxy on this machine are accepted. */
  readonly trustsProxy: boolean;
  /** As typed. Absent: the default of the host. */
  readonly previewPort?: string | undefined;
  readonly previewHost?: string | undefined;
  /** Absent: browsers sign in with tokens only. */
  readonly oidc?: OidcOptions | undefined;
  readonly token: string | undefined;
  readonly tokenFile: string | undefined;
  readonly version: string;
  /** Files and folders that are closed to clients: they may hold secrets. */
  readonly privatePaths: readonly string[];
  /** Terminals are held by a process of their own, and outlive this one. */
  readonly hasKeeper: boolean;
  /** Records all frames. Absent: no recording. */
  readonly recorder?: FrameRecorder | undefined;
  /** Values of the host's config that clients cannot change, as texts. */
  readonly fixed: Readonly<Record<string, string>>;
  /** Absent: no telemetry is sent. */
  readonly telemetry?: HostOptions['telemetry'];
  /** Absent: that of the config file, else a file in the data folder. */
  readonly journal?: Partial<JournalPlace>;
}

/** A host that runs. */
export interface RunningHost {
  readonly address: HostAddress;
  /** Problems that were reported during the start, one line each. */
  readonly notices: readonly string[];
  /** Calls the listener when the host has another certificate. */
  onCertificate(listener: (certificate: CertificateInfo) => void): void;
  /** Starts no new turns, and waits for running turns. Resolves with the number of turns that still run. */
  drain(timeoutMs: number): Promise<number>;
  /** Rejects when another host has taken over its journal; otherwise stays pending. */
  readonly lost: Promise<never>;
  /** Stops the host in order. */
  stop(): Promise<void>;
}

/**
 * The settings that the command line and the config file fix. Throws a usage error for unknown keys and invalid values.
 */
function fixedConfig(
  texts: ServeSettings['fixed'],
  { offered, defaultAgent }: AgentChoice,
  chosenAgent: string | undefined,
): Record<string, unknown> {
  const schema = hostConfigSchema({ agents: offered, defaultAgent });
  const values = Object.entries(texts).map(([key, text]): [string, unknown] => {
    const value = readValue(schema, key, text);
    const fault = findHostConfigFault(schema, { [key]: value });
    if (fault !== undefined) throw usageError(`--set: ${fault.key}: ${fault.problem}`);
    return [key, value];
  });
  return {
    ...defined({ defaultAgent: chosenAgent }),
    ...Object.fromEntries(values),
  };
}

/** The base path without a slash at its end; `undefined` for `/`. Throws a usage error. */
function basePathOf(given: string | undefined): string | undefined {
  const path = given?.replace(/\/$/, '');
  if (given === undefined || given === '/') return undefined;
  if (path !== undefined && isBasePath(path)) return path;
  throw usageError(`--base-path: expected a path such as /agents, got ${oneLine(given) || 'nothing'}`);
}

/**
 * Makes and starts the host; `tell` gets a message for each problem. `onWait` is called while the host waits for its cell. Rejects with the errors of
 * its parts; see `explainStart`. `undefined` when `stopped` resolved while the host waited for another one.
 */
export async function startHosting(
  settings: ServeSettings,
  config: ServeConfig,
  agents: AgentChoice,
  { tell, stopped, onWait }: { tell: (line: string) => void; stopped: Promise<void>; onWait?: WaitListener },
): Promise<RunningHost | undefined> {
  const { dataDir, host: address, port, token, tokenFile, version } = settings;
  const { recorder } = settings;
  const lost = Promise.withResolvers<never>();
  // Whoever waits for the end of the host sees the failure.
  lost.promise.catch(() => undefined);
  const announced = settings.journal?.announced ?? { url: undefined, labels: [] };
  const journalUrl = settings.journal?.url ?? config.journal;
  const journal =
    journalUrl === undefined
      ? undefined
      : journalAt(
          { password: undefined, isStandby: false, announced, ...settings.journal, url: journalUrl },
          { dataDir, tell, onWait, onLost: lost.reject },
        );
  const roots = settings.roots ?? config.roots;
  const host: Host = createHost({
    dataDir,
    agents: agents.factories,
    otherAgents: agents.others,
    defaultAgent: agents.defaultAgent,
    config: fixedConfig(settings.fixed, agents, config.defaultAgent),
    terminals: { keeper: settings.hasKeeper },
    serverInfo: { name: 'agenthost', version },
    defaultDirectory: roots?.[0] ?? homedir(),
    listen: {
      host: address,
      port,
      allowInsecure: settings.allowInsecure,
      page: { folder: pageFolder },
      trustProxy: config.trustedProxies ?? settings.trustsProxy,
      ...defined({
        tls: settings.tls,
        token,
        tokenFile,
        allowedOrigins: config.allowedOrigins,
        allowedHosts: config.allowedHosts,
        announcedHost: journal && announcedHostOf(announced, { host: address, machine: hostname() }),
        basePath: basePathOf(settings.basePath),
        previews: previewsOf(settings),
        oidc: settings.oidc,
      }),
    },
    privatePaths: settings.privatePaths,
    ...defined({ journal }),
    ...(recorder && { wrapTransport: (transport) => recordServerTransport(transport, recorder) }),
    ...defined({ readable: config.readable, writable: config.writable, worktreeDir: config.worktreeDir }),
    ...defined({ telemetry: settings.telemetry }),
    ...(config.customizations === false
      ? {}
      : { customizations: { userFolder: config.customizations ?? join(homedir(), '.agents') } }),
    automations: {},
    ...defined({ roots, push: config.push, retention: config.retention }),
    ...defined({ mcpServers: config.mcpServers, projectMcpServers: config.projectMcpServers }),
  });
  let listening: HostAddress | undefined;
  const notices: string[] = [];
  tellTroubles(host, (line) => {
    if (listening === undefined) notices.push(line);
    tell(line);
  });
  const wait = { isOver: false, isGivenUp: false };
  void stopped.then(async () => {
    if (wait.isOver || journal === undefined) return;
    wait.isGivenUp = true;
    await journal.close();
  });
  try {
    listening = await host.start();
  } catch (error) {
    if (wait.isGivenUp && error instanceof JournalError && error.code === 'closed') return undefined;
    throw error;
  } finally {
    wait.isOver = true;
  }
  if (listening === undefined) throw new Error('the host did not report its address');
  let { certificate } = listening;
  host.on('certificateRenewed', (renewed) => {
    certificate = renewed.certificate;
  });
  const { url } = listening;
  await journal?.announce(() => {
    const place = { address: url, machine: hostname(), fingerprint: certificate?.fingerprint };
    return announcementOf(announced, place, host.load);
  });
  return {
    address: listening,
    notices,
    onCertificate: (listener) => {
      host.on('certificateRenewed', ({ certificate }) => listener(certificate));
    },
    drain: (timeoutMs) => host.drain({ timeoutMs }),
    lost: lost.promise,
    stop: () => host.stop(),
  };
}

/** Reports problems of a host's journal, files and certificate, one line each. */
export function tellTroubles(host: Pick<Host, 'on'>, tell: (line: string) => void): void {
  host.on('databaseSetAside', ({ path, reason }) =>
    tell(
      `the database was damaged (${oneLine(reason)}): it was moved to ${oneLine(path, 1_000)}; the host began a new one, without sessions and access tokens; ${damagedAdvice()}`,
    ),
  );
  host.on('databaseLost', () =>
    tell('the database was empty or missing; the host began a new one, without sessions and access tokens'),
  );
  host.on('exposureFound', ({ message }) => tell(oneLine(message)));
  host.on('databaseDamaged', ({ error }) => tell(oneLine(error.message)));
  host.on('journalUnavailable', ({ error }) => {
    // A damaged database cannot be saved again. The reason was reported. A host that has lost its cell ends with an error.
    const isDamaged = error instanceof JournalError && (error.code === 'damaged' || error.code === 'lost');
    const why = errorText(error);
    tell(
      isDamaged
        ? 'the host cannot save data any more, and refuses changes'
        : `the host cannot save data now, and refuses changes; it tries again every second: ${oneLine(why)}`,
    );
  });
  host.on('certificateRenewed', ({ certificate: { fingerprint, warnings } }) => {
    tell(`the certificate was renewed: SHA256 ${fingerprint}`);
    for (const warning of warnings) tell(oneLine(warning));
  });
  host.on('certificateRefused', ({ reason }) =>
    tell(`the new certificate is invalid, and the previous one stays in use: ${oneLine(reason)}`),
  );
  host.on('drainBegan', ({ timeoutMs, runningTurns }) => {
    if (runningTurns === 0 || timeoutMs === 0) return;
    const turns = runningTurns === 1 ? '1 running turn' : `${runningTurns} running turns`;
    tell(`waiting up to ${Math.round(timeoutMs / 1_000)} s for ${turns}; new turns do not start`);
  });
  host.on('journalRecovered', () => tell('the journal can be written again'));
}
