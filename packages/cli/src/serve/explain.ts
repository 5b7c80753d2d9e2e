import { AgentConfigError } from '@agenthost/agents';
import { AccessError, JournalError, ListenRefused, OidcOptionsError, TlsError } from '@agenthost/host';
import { errorCode, hasCode } from '@agenthost/protocol/values';
import type { HostRecord } from '../host-link/discovery.ts';
import { CliError, EXIT } from '../process/exit.ts';
import { dataFolderTrouble } from '../process/make-folder.ts';

/** Facts about the attempted start, for messages. */
export interface StartAttempt {
  readonly host: string;
  readonly port: number;
  readonly dataDir: string;
  /** Hosts that run on this machine. */
  readonly others: readonly HostRecord[];
}

/** A mistake in the config file as an error with one line; returns any other error unchanged. */
export const explainConfig = (cause: unknown): unknown =>
  cause instanceof AgentConfigError ? new CliError(EXIT.error, cause.message, { cause }) : cause;

/** Why a host did not start, in one line that says what to do. Returns errors that need no explanation unchanged. */
export function explainStart(cause: unknown, { host, port, dataDir, others }: StartAttempt): unknown {
  const fail = (message: string): CliError => new CliError(EXIT.error, message, { cause });
  if (cause instanceof AgentConfigError) return explainConfig(cause);
  if (cause instanceof TlsError || cause instanceof AccessError || cause instanceof OidcOptionsError)
    return fail(cause.message);
  if (cause instanceof ListenRefused) return fail(explainRefusal(cause, host));
  if (cause instanceof JournalError) {
    const holder = others.find((other) => other.dataDir === dataDir);
    if (isNoFolder(cause.cause) || isMissingParent(cause.cause))
      return fail(dataFolderTrouble(dataDir, cause.cause));
    if (cause.code !== 'locked' || holder === undefined) return fail(cause.message);
    return fail(
      `the data folder ${dataDir} is in use by the host on ${holder.url} (pid ${holder.pid}): use that one, or choose another folder with --data`,
    );
  }
  switch (errorCode(cause)) {
    case 'EADDRINUSE': {
      const holder = others.find(({ url }) => new URL(url).port === String(port));
      const who = holder === undefined ? 'another program' : `the host with pid ${holder.pid}`;
      return fail(
        `port ${port} on ${host} is in use by ${who}: choose another port with --port or AGENTHOST_PORT; 0 picks a free port`,
      );
    }
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      if (isListening(cause)) return fail(`port ${port} on ${host} requires root: choose a port above 1023`);
      return fail(
        `${pathOf(cause) ?? dataDir} cannot be written: check its permissions, or choose another folder with --data`,
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return fail(`--host ${host} is not an address of this machine`);
    case 'EAI_AGAIN':
      return fail(
        `--host ${host} could not be resolved, because no name server answers: use an address of this machine, or try again`,
      );
    case 'ENOSPC':
    case 'EDQUOT':
      return fail(`no space left in ${dataDir}: free disk space, or choose another folder with --data`);
    default:
      return isNoFolder(cause) ? fail(`${pathOf(cause) ?? dataDir} is not a folder`) : cause;
  }
}

function explainRefusal({ code, message }: ListenRefused, host: string): string {
  switch (code) {
    case 'unencrypted':
      return `--host ${host} would admit other machines without encryption: add --tls (or --tls-cert and --tls-key), or --insecure-listen behind a proxy that encrypts`;
    case 'blocked-port':
      return `${message} with --port`;
    case 'weak-token':
      return `--host ${host} admits other machines, and ${message}`;
    default:
      return code satisfies never;
  }
}

const pathOf = (cause: unknown): string | undefined =>
  cause instanceof Error && 'path' in cause && typeof cause.path === 'string' ? cause.path : undefined;

const isNoFolder = (cause: unknown): boolean => hasCode(cause, 'ENOTDIR', 'EEXIST');

/** No folder can be created there, for example below `/proc`. */
const isMissingParent = (cause: unknown): boolean =>
  hasCode(cause, 'ENOENT') && cause instanceof Error && 'syscall' in cause && cause.syscall === 'mkdir';

const isListening = (cause: unknown): boolean =>
  cause instanceof Error && 'syscall' in cause && cause.syscall === 'listen';
