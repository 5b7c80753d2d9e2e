import { homedir } from 'node:os';
import {
  type CertificateInfo,
  createHost,
  findHostConfigFault,
  type Host,
  type HostAddress,
  hostConfigSchema,
  type ListenOptions,
} from '@agenthost/host';
import { readValue } from '../input/key-values.ts';
import { usageError } from '../process/exit.ts';
import type { AgentChoice } from './agents.ts';
import type { ServeConfig } from './config.ts';
import { tellTroubles } from './troubles.ts';

/** What a host is started with. */
export interface ServeSettings {
  readonly dataDir: string;
  readonly host: string;
  readonly port: number;
  readonly roots: readonly string[] | undefined;
  readonly tls: ListenOptions['tls'] | undefined;
  /** Other machines may come in without TLS. */
  readonly allowInsecure: boolean;
  readonly token: string | undefined;
  readonly tokenFile: string | undefined;
  readonly version: string;
  /** Files and folders that are closed to clients: they may hold secrets. */
  readonly privatePaths: readonly string[];
  /** Terminals are held by a process of their own, and outlive this one. */
  readonly hasKeeper: boolean;
  /** Values of the host's config that clients cannot change, as texts. */
  readonly fixed: Readonly<Record<string, string>>;
}

/** A host that runs. */
export interface RunningHost {
  readonly address: HostAddress;
  /** Calls back when it has another certificate. */
  onCertificate(listener: (certificate: CertificateInfo) => void): void;
  /** Ends it in order. */
  stop(): Promise<void>;
}

/**
 * What the command line and the config file fix. Throws a usage error for keys that are none and values that do not fit.
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
    if (fault !== undefined) throw usageError(`--set: ${fault}`);
    return [key, value];
  });
  return {
    ...(chosenAgent === undefined ? {} : { defaultAgent: chosenAgent }),
    ...Object.fromEntries(values),
  };
}

/** Makes and starts the host; `tell` gets a line for people about each trouble. Rejects with what its parts reject with; see `explainStart`. */
export async function startHosting(
  settings: ServeSettings,
  config: ServeConfig,
  agents: AgentChoice,
  tell: (line: string) => void,
): Promise<RunningHost> {
  const { dataDir, host: address, port, token, tokenFile, version } = settings;
  const roots = settings.roots ?? config.roots;
  const host: Host = createHost({
    dataDir,
    agents: agents.factories,
    defaultAgent: agents.defaultAgent,
    config: fixedConfig(settings.fixed, agents, config.defaultAgent),
    terminals: { keeper: settings.hasKeeper, savesMemory: true },
    serverInfo: { name: 'agenthost', version },
    defaultDirectory: roots?.[0] ?? homedir(),
    listen: {
      host: address,
      port,
      allowInsecure: settings.allowInsecure,
      ...(settings.tls === undefined ? {} : { tls: settings.tls }),
      ...(token === undefined ? {} : { token }),
      ...(tokenFile === undefined ? {} : { tokenFile }),
      ...(config.allowedOrigins === undefined ? {} : { allowedOrigins: config.allowedOrigins }),
      ...(config.allowedHosts === undefined ? {} : { allowedHosts: config.allowedHosts }),
    },
    privatePaths: settings.privatePaths,
    ...(roots === undefined ? {} : { roots }),
    ...(config.retention === undefined ? {} : { retention: config.retention }),
  });
  tellTroubles(host, tell);
  const listening = await host.start();
  if (listening === undefined) throw new Error('the host did not say where it listens');
  return {
    address: listening,
    onCertificate: (listener) => {
      host.on('certificateRenewed', ({ certificate }) => listener(certificate));
    },
    stop: () => host.stop(),
  };
}
