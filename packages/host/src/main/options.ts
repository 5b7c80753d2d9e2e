import { join } from 'node:path';
import type { ServerTransport } from '@agenthost/rpc/websocket-server';
import type { AgentProvider, ChildRegistry } from '../agents/provider.ts';
import type { OidcOptions } from '../auth/oidc/oidc-sign-in.ts';
import type { Journal } from '../journal/journal.ts';
import type { RetentionPolicy } from '../journal/retention.ts';
import type { Clock, Ids, Timers } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { PortScanner } from '../previews/port-scanner.ts';
import type { PreviewOptions } from '../previews/preview-place.ts';
import type { PtyOwner } from '../pty/pty.ts';
import type { TelemetryOptions } from '../telemetry/telemetry.ts';
import type { TlsFiles } from '../tls/credentials.ts';
import type { OutboxLimits } from '../wire/connection/outbox.ts';
import type { OpenTree } from '../workspace/watching/tree-source.ts';

/** Services of the host for code that creates providers. */
export interface AgentServices {
  /** Records started processes, so that none outlives a killed host. */
  readonly children: ChildRegistry;
  readonly log: Log;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly ids: Ids;
}

/**
 * Creates one provider for a host.
 *
 * @example
 * const echo: AgentFactory = ({ log }) => new EchoProvider(log);
 */
export type AgentFactory = (services: AgentServices) => AgentProvider;

/**
 * Where a host listens, and who may connect. Absent in `HostOptions`: the host does not listen, and
 * connections are passed to `accept`.
 */
export interface ListenOptions {
  /** Address to listen on. Default `127.0.0.1`. */
  readonly host?: string;
  /** TCP port; 0 selects a free one. Default 4711. */
  readonly port?: number;
  /**
   * TLS with certificate and key from PEM files, or with a self-signed certificate that the host creates and
   * renews in `tls` of the data folder. Default: none. `start` rejects with `TlsError` when the files cannot
   * be used. Changed files are used for new connections within 30 s (event `certificateRenewed`); unusable
   * ones are ignored (event `certificateRefused`).
   */
  readonly tls?: TlsFiles | 'self-signed';
  /**
   * Permits listening beyond loopback without TLS, for example behind a proxy that encrypts. Default false:
   * `start` rejects with `ListenRefused`. It also rejects for an owner token of fewer than 16 characters
   * beyond loopback.
   */
  readonly allowInsecure?: boolean;
  /**
   * The owner's token: printable ASCII without spaces and semicolons. Default: the content of `tokenFile`,
   * created on first use. The host reads no environment variables; `agenthost serve` passes `AGENTHOST_TOKEN`
   * here.
   */
  readonly token?: string;
  /**
   * File with the owner's token, mode 0600. Not used when `token` is given. Default: `owner-token` in the
   * data folder.
   */
  readonly tokenFile?: string;
  /**
   * Origins of web pages that may connect in addition to the host's own, such as `https://example.org`.
   * Default: none.
   */
  readonly allowedOrigins?: readonly string[];
  /**
   * Accepted values of `Host` in addition to the listening address, such as `example.org:443`. Default: none.
   */
  readonly allowedHosts?: readonly string[];
  /**
   * The name under which gateways reach the host, which is accepted as `Host` too: `name:port`, or a name with the listened port. Default: none.
   */
  readonly announcedHost?: string;
  /**
   * The web page: an absolute path of a folder with `index.html`, and its files in `assets` with hashed names. `__CSP_NONCE__` and `__BASE_PATH__` in
   * `index.html` are replaced in each answer. Files need no token. Default: a status page.
   */
  readonly page?: { readonly folder: string };
  /**
   * Path in front of all paths of the host, such as `/agents`, for a proxy that passes on only this path. Paths without it work too, for a
   * proxy that removes it. `start` rejects for other texts than segments of letters, digits and `-._~`, each after a `/`. Default: none.
   */
  readonly basePath?: string;
  /**
   * Whether the headers `X-Forwarded-Proto`, `-Host`, `-For` and `-Prefix` of proxies are accepted: of proxies on loopback, and of these IP
   * addresses and subnets such as `10.0.0.0/8`. `start` rejects for other texts. A forwarded host must be in `allowedHosts`; pages of it are
   * the host's own. Default false.
   */
  readonly trustProxy?: boolean | readonly string[];
  /** Largest frame accepted from a client, in bytes. Default 16 MiB. */
  readonly maxFrameBytes?: number;
  /**
   * Where ports of sessions can be opened through the host. Default: on loopback a free port, with names below `localhost`; elsewhere, and with
   * `false`, nowhere. `start` rejects for options that are invalid and for a port that is in use.
   */
  readonly previews?: PreviewOptions | false;
  /**
   * Sign-in of browsers on the page by an OpenID Connect provider. The redirect URI is `/sign-in/oidc/callback` below the page's address. `start`
   * rejects with `OidcOptionsError` for options that cannot be used. Default: none.
   */
  readonly oidc?: OidcOptions;
}

/** Options of the host's terminals. */
export interface TerminalOptions {
  /**
   * Whether a separate process holds the programs of terminals, so that they survive a stop or a kill of the
   * host. Default: true with `dataDir`; not possible without it. False: they end with the host.
   */
  readonly keeper?: boolean;
  /** Output that each terminal keeps, in UTF-16 code units. Default: the host's setting `terminalScrollbackKilobytes`. */
  readonly scrollbackLength?: number;
  /** Absolute path of the shell for terminals without a command. Default: the user's login shell. */
  readonly shell?: string;
  /** Environment variables for every terminal, on top of the usual ones. Default: none. */
  readonly env?: Readonly<Record<string, string>>;
  /** Whether bash, zsh, fish and pwsh are started so that they report their commands. Default true. */
  readonly shellIntegration?: boolean;
  /** A custom owner of ptys. Default: one of the two selected by `keeper`. */
  readonly owner?: PtyOwner;
}

/** Options of Web Push. */
export interface PushOptions {
  /**
   * Whether pushes may go to this machine, also by `http:`. For tests with a push service of their own. Default false: pushes go to public
   * addresses by `https:` only.
   */
  readonly allowLoopback?: boolean;
  /**
   * `mailto:` or `https:` URL by which operators of push services can reach the owner of the host. Default: an address of example.org.
   */
  readonly contact?: string;
}

/** Options of automations. */
export interface AutomationOptions {
  /** Least distance between two occurrences of a schedule, in minutes. Default 1. */
  readonly minIntervalMinutes?: number;
  /** Ended runs that are kept for each automation. Default 100. */
  readonly runHistoryLimit?: number;
}

/** Default time until an idle channel without subscribers is unloaded from memory, in milliseconds. */
export const UNLOAD_AFTER_MS = 60_000;

/** Options of `createHost`. Required are `agents`, and `dataDir` or `journal`. */
export interface HostOptions {
  /** Folder of the embedded database, the log and the token; created with mode 0700. */
  readonly dataDir?: string;
  /** A journal to use instead of the embedded database. */
  readonly journal?: Journal;
  readonly agents: readonly AgentFactory[];
  /** Known agents that the host does not offer, such as those that are not installed. `x-listAgents` lists them. Default: none. */
  readonly otherAgents?: readonly AgentFactory[];
  /**
   * Host config values that clients cannot change, by name. Clients can change the others durably [ROOT-5].
   * `start` rejects when a value does not fit the schema. Default: none.
   */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Provider id for sessions that name none, until a client changes it. Default: the first of `agents`. */
  readonly defaultAgent?: string;
  readonly listen?: ListenOptions;
  /**
   * Absolute paths of folders in which sessions of callers without the scope `admin` may work. Default: the
   * user's home.
   */
  readonly roots?: readonly string[];
  /** Absolute paths of folders that clients may read, in addition to the working directories of sessions. Default: none. */
  readonly readable?: readonly string[];
  /** Absolute paths of folders that clients may read and write, in addition to the working directories of sessions. Default: none. */
  readonly writable?: readonly string[];
  /**
   * Absolute paths that are private to the host, in addition to data folder, token file and TLS key. Clients
   * and agents cannot read, list or write them, and no session works there. Default: none.
   */
  readonly privatePaths?: readonly string[];
  /**
   * Absolute path of the folder in which git worktrees of sessions are made; created with mode 0700. Sessions and agents can work in it,
   * even in the data folder. Default: `worktrees` in the data folder; without one the host makes no worktrees.
   */
  readonly worktreeDir?: string;
  /** Absolute path for sessions without a working directory. Default: the current directory. */
  readonly defaultDirectory?: string;
  readonly outbox?: Partial<OutboxLimits>;
  /**
   * How long envelopes can be replayed; the smaller limit applies. Default: the host's config, initially 24
   * hours and 256 MiB.
   */
  readonly replayWindow?: { readonly maxAgeMs?: number; readonly maxBytes?: number };
  /** Which history is kept. Default: everything. */
  readonly retention?: RetentionPolicy;
  /**
   * Where customizations of agents (agents, skills, commands, rules, hooks, plugins) are looked for besides the working directories of sessions.
   * `userFolder`: absolute path of the user's own. Absent: the host looks for no customizations at all.
   */
  readonly customizations?: { readonly userFolder?: string };
  readonly terminals?: TerminalOptions;
  readonly push?: PushOptions;
  /** Sending of telemetry [OTLP-1]. Default: none is sent; clients can subscribe to it. */
  readonly telemetry?: TelemetryOptions;
  /**
   * MCP servers for the agents of all sessions, by name, with the members of an entry in `.mcp.json`. `start` rejects for an entry that cannot
   * be used. Default: none.
   */
  readonly mcpServers?: Readonly<Record<string, unknown>>;
  /** Whether people are asked to allow the MCP servers in the `.mcp.json` of a working directory. False: it is not read. Default true. */
  readonly projectMcpServers?: boolean;
  /** Opens the folders that are watched for clients. Default: a watcher of the file system. */
  readonly openTree?: OpenTree;
  /** Finds the ports that processes of sessions listen on. Default: by the tables of the system; none on Windows. False: they are not shown. */
  readonly portScanner?: PortScanner | false;
  /**
   * Time in which a client that left can come back to its claims before others may take them, in
   * milliseconds. Default 30,000.
   */
  readonly graceMs?: number;
  /**
   * Time until an idle channel without subscribers is unloaded from memory, in milliseconds. Default 60,000.
   */
  readonly unloadAfterMs?: number;
  /** Automations [AUTO-1]. Default: the host has none, and does not announce any to clients. */
  readonly automations?: AutomationOptions;
  /** Wraps the transport of each connection before it is used, for example to record its frames. Default: none. */
  readonly wrapTransport?: (transport: ServerTransport) => ServerTransport;
  readonly serverInfo?: { readonly name: string; readonly version: string };
  readonly clock?: Clock;
  readonly timers?: Timers;
  readonly ids?: Ids;
  /** Log. Default: a rotating file in the data folder; none without a data folder. */
  readonly log?: Log;
}

/** How long a host waits for its turns. */
export interface DrainOptions {
  /** Longest wait for running turns, in ms. */
  readonly timeoutMs: number;
  /** Ends the drain: the host starts turns again. Absent: the drain lasts until the host stops. */
  readonly signal?: AbortSignal;
}

/** The addresses of a started host. */
export interface HostAddress {
  /** `http://…` or `https://…`, for clients. */
  readonly url: string;
  /** The address of the page, with the base path and a slash at its end. */
  readonly pageUrl: string;
  /** `ws://…/ahp` or `wss://…/ahp`, for clients. */
  readonly wsUrl: string;
  /** The owner's token. */
  readonly token: string;
  /** The file with the token. Absent when the token was given in the options. */
  readonly tokenFile?: string;
  readonly port: number;
  /** The port of previews. Absent: there are none, or each has a port of its own. */
  readonly previewPort?: number;
  /** Absent without TLS. */
  readonly certificate?: CertificateInfo;
}

/**
 * The certificate of a listening host. Fingerprints are SHA-256 in upper-case hexadecimal digits with colons.
 */
export interface CertificateInfo {
  /** Fingerprint of the certificate. */
  readonly fingerprint: string;
  /** Fingerprint of its public key (SPKI), which stays the same when the host renews its own certificate. */
  readonly keyFingerprint: string;
  /** Problems of the certificate as sentences, such as an expiry date in the past. */
  readonly warnings: readonly string[];
}

/** The folder for worktrees of a host with these options. `undefined`: it makes none. */
export const worktreeDirOf = ({ worktreeDir, dataDir }: HostOptions): string | undefined =>
  worktreeDir ?? (dataDir === undefined ? undefined : join(dataDir, 'worktrees'));
