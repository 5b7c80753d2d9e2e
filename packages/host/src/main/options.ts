import type { ChildRegistry } from '../agents/process.ts';
import type { AgentProvider } from '../agents/provider.ts';
import type { Journal } from '../journal/journal.ts';
import type { RetentionPolicy } from '../journal/retention.ts';
import type { Clock, Ids, Timers } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { PtyOwner } from '../pty/pty.ts';
import type { TlsFiles } from '../tls/credentials.ts';
import type { OutboxLimits } from '../wire/connection/outbox.ts';

/** What the host gives to those who make agent providers. */
export interface AgentServices {
  /** Where started processes are recorded, so that none outlives a killed host. */
  readonly children: ChildRegistry;
  readonly log: Log;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly ids: Ids;
}

/** Makes one provider for a host. */
export type AgentFactory = (services: AgentServices) => AgentProvider;

/** Where and for whom a host listens. Absent in `HostOptions`: it does not listen, and connections come by `accept`. */
export interface ListenOptions {
  /** Address to listen on. Default `127.0.0.1`. */
  readonly host?: string;
  /** Port; 0 picks a free one. Default 4711. */
  readonly port?: number;
  /**
   * TLS: with certificate and key from files in PEM, or with a certificate of the host's own, which it makes and renews in `tls` of the
   * data folder. Default: none. `start` rejects with `TlsError` when they cannot be used. Files that change are read anew for new connections
   * (`certificateRenewed`) within half a minute; when they are of no use then, it goes on with what it had (`certificateRefused`).
   */
  readonly tls?: TlsFiles | 'self-signed';
  /**
   * Listens beyond loopback without TLS, as behind a proxy that encrypts. Default false: `start` rejects with `ListenRefused` then, as it
   * does for an owner's token of fewer than 16 characters beyond loopback.
   */
  readonly allowInsecure?: boolean;
  /**
   * The owner's token: printable ASCII without spaces or semicolons. Default: from the file, made on first use. The host reads
   * no environment: a program that takes the token from there (`agenthost serve`, from `AGENTHOST_TOKEN`) passes it here.
   */
  readonly token?: string;
  /** File that holds the owner's token, mode 0600; unused when `token` is given. Default `owner-token` in the data folder. */
  readonly tokenFile?: string;
  /** Origins of web pages that may connect besides the host's own, such as `https://example.org`. Default none. */
  readonly allowedOrigins?: readonly string[];
  /** Values of `Host` that are accepted besides the address listened on, such as `example.org:443`. Default none. */
  readonly allowedHosts?: readonly string[];
  /** Largest frame from a client, in bytes. Default 16 MiB. */
  readonly maxFrameBytes?: number;
}

/** How a host's terminals are. */
export interface TerminalOptions {
  /**
   * Whether a small process of its own holds the terminals' programs, so that they outlive a stop or a kill of the host. Default:
   * true with `dataDir`, and not possible without it. False: they end with the host.
   */
  readonly keeper?: boolean;
  /** Output that each terminal keeps for those who look later, in UTF-16 code units. Default 1,048,576. */
  readonly scrollbackLength?: number;
  /** Absolute path of the shell that runs where no command is given. Default: the user's login shell. */
  readonly shell?: string;
  /** Environment variables for every terminal, on top of its usual ones. Default none. */
  readonly env?: Readonly<Record<string, string>>;
  /** Whether bash, zsh, fish and pwsh are started so that they report their commands. Default true. */
  readonly shellIntegration?: boolean;
  /** An owner of ptys of your own in place of the two that `keeper` chooses from. */
  readonly owner?: PtyOwner;
}

/** An idle, unwatched channel leaves memory after so many ms, unless the options say otherwise. */
export const UNLOAD_AFTER_MS = 60_000;

/** How a host is made. Only `agents` and one of `dataDir` and `journal` are needed. */
export interface HostOptions {
  /** Folder of the embedded database, log and token; made with mode 0700. */
  readonly dataDir?: string;
  /** A journal of your own instead of the embedded database. */
  readonly journal?: Journal;
  readonly agents: readonly AgentFactory[];
  /**
   * Values of the host's config that clients cannot change, by name; the rest is theirs to set, and lasts [ROOT-5]. `start` rejects
   * when one does not fit. Default none.
   */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Provider id for sessions that name none, until a client sets another. Default: the first of `agents`. */
  readonly defaultAgent?: string;
  readonly listen?: ListenOptions;
  /** Absolute paths of folders that sessions of callers who are no admin may work in. Default: the user's home. */
  readonly roots?: readonly string[];
  /**
   * Absolute paths that belong to the host besides the data folder, token file and TLS key. Clients and agents cannot read, list or write them, and no
   * session works there. Default none.
   */
  readonly privatePaths?: readonly string[];
  /** Absolute path for sessions that name no working directory. Default: the current directory. */
  readonly defaultDirectory?: string;
  readonly outbox?: Partial<OutboxLimits>;
  /** How long envelopes stay replayable, whichever is less. Default: as the host's config says, 24 hours and 256 MiB. */
  readonly replayWindow?: { readonly maxAgeMs?: number; readonly maxBytes?: number };
  /** What of the history is kept. Default: everything, for ever. */
  readonly retention?: RetentionPolicy;
  readonly terminals?: TerminalOptions;
  /** How long a client that has left may come back to what it holds before others may take it, ms. Default 30,000. */
  readonly graceMs?: number;
  /** An idle, unwatched channel leaves memory after so many ms. Default 60,000. */
  readonly unloadAfterMs?: number;
  readonly serverInfo?: { readonly name: string; readonly version: string };
  readonly clock?: Clock;
  readonly timers?: Timers;
  readonly ids?: Ids;
  /** Default: a rotating file in the data folder, or nothing without one. */
  readonly log?: Log;
}

/** A started host's addresses. */
export interface HostAddress {
  /** `http://…` or `https://…`, for the status page. */
  readonly url: string;
  /** `ws://…/ahp` or `wss://…/ahp`, for clients. */
  readonly wsUrl: string;
  /** The owner's token. */
  readonly token: string;
  /** The file that holds it; absent when it was given in code. */
  readonly tokenFile?: string;
  readonly port: number;
  /** Absent without TLS. */
  readonly certificate?: CertificateInfo;
}

/** The certificate that a host listens with. Fingerprints are SHA-256 as upper-case hex with colons. */
export interface CertificateInfo {
  /** Of the certificate. */
  readonly fingerprint: string;
  /** Of its public key (SPKI), which stays when the host renews a certificate of its own. */
  readonly keyFingerprint: string;
  /** Sentences about what is wrong with it, such as an end in the past. */
  readonly warnings: readonly string[];
}
