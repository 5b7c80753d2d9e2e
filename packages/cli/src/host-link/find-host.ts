import { defined } from '@agenthost/protocol/values';
import type { Context } from '../process/context.ts';
import { CliError, EXIT, usageError } from '../process/exit.ts';
import { hostsFolder } from '../process/files.ts';
import { commandLine, shellWord } from '../process/own-command.ts';
import { plain } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';
import { type HostRecord, readHosts } from './discovery.ts';
import { startHost } from './start-host.ts';

/** Options that choose the host. */
export interface HostOptions {
  readonly url?: string;
  readonly start?: boolean;
  /** SHA-256 of the host's certificate, or of its key. */
  readonly fingerprint?: string;
  /** File to write all frames to. */
  readonly record?: string;
}

/** The host to connect to. */
export interface HostTarget {
  readonly url: string;
  readonly token?: string;
  /** Its certificate or key has one of these. Absent: not known yet, or without TLS. */
  readonly fingerprints?: readonly string[];
  /** It runs on this machine, as this user. */
  readonly isOwn: boolean;
}

/**
 * The host that a command talks to: the one named by `--url` or AGENTHOST_URL, else the only one that runs here, else,
 * with `--start`, a new one. AGENTHOST_TOKEN goes before the token that is known. Rejects with a `CliError` that says what to do.
 */
export async function findHost(
  context: Context,
  screen: Screen,
  { url, start }: HostOptions,
): Promise<HostTarget> {
  const folder = hostsFolder(context);
  const hosts = await readHosts(folder);
  if (url !== undefined) return named(context, hosts, url);
  const [host, ...others] = hosts;
  if (others.length > 0) throw severalHosts(hosts);
  if (host !== undefined) return own(context, host);
  if (start === true) {
    return own(context, await startHost(context, screen, folder));
  }
  throw new CliError(
    EXIT.cannotConnect,
    `no host is running: start one with \`${commandLine('serve')}\`, or add --start to this command`,
  );
}

/** How to connect to a host of this user. A token of the environment takes precedence over the owner's, even if it allows less. */
export const own = ({ env }: Pick<Context, 'env'>, { url, token, ...record }: HostRecord): HostTarget => ({
  url,
  token: env['AGENTHOST_TOKEN'] || token,
  isOwn: true,
  ...certificateOf(record),
});

/** Includes the key's fingerprint: a restarted host may have renewed its certificate with the same key. */
const certificateOf = ({
  fingerprint,
  keyFingerprint,
}: Pick<HostRecord, 'fingerprint' | 'keyFingerprint'>): Pick<HostTarget, 'fingerprints'> =>
  fingerprint === undefined || keyFingerprint === undefined
    ? {}
    : { fingerprints: [fingerprint, keyFingerprint] };

function named(context: Context, hosts: readonly HostRecord[], given: string): HostTarget {
  const url = URL.parse(given);
  if (url === null || !/^(?:https?|wss?):$/.test(url.protocol)) {
    throw usageError(
      `--url: expected an address such as http://127.0.0.1:4711 or ws://…/ahp, got ${plain(given)}`,
    );
  }
  const record = hosts.find((host) => isSameAddress(new URL(host.url), url));
  const token = context.env['AGENTHOST_TOKEN'] || url.searchParams.get('token') || record?.token;
  return {
    url: record === undefined ? given : reachedAs(url, new URL(record.url), given),
    isOwn: record !== undefined,
    ...defined({ token }),
    ...(record === undefined ? {} : certificateOf(record)),
  };
}

/** Whether two addresses are the same. Loopback has several names. */
export const isSameAddress = (one: URL, other: URL): boolean =>
  one.host === other.host || (one.port === other.port && isLoopback(one) && isLoopback(other));

/** Replaces the name by the one that the host listens on. Another program may listen under another loopback name, and would get the token. */
function reachedAs(url: URL, { hostname }: URL, given: string): string {
  if (url.hostname === hostname) return given;
  const own = new URL(url);
  own.hostname = hostname;
  return own.href.replace(/(?<=:\d+)\/$/, '');
}

const isLoopback = ({ hostname }: URL): boolean => /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(hostname);

function severalHosts(hosts: readonly HostRecord[]): CliError {
  const list = hosts.map(({ url, pid, dataDir }) => `  --url ${url}  (pid ${pid}, data in ${dataDir})`);
  return new CliError(
    EXIT.usage,
    `${hosts.length} hosts are running; choose one with --url:\n${plain(list.join('\n'))}`,
  );
}

/** The host options of this command, for use in another command line. Leaves out tokens and passwords. */
export function hostOptionText({ url, fingerprint }: HostOptions): string {
  return [
    url === undefined ? '' : ` --url ${shellWord(shownUrl(url))}`,
    fingerprint === undefined ? '' : ` --fingerprint ${shellWord(fingerprint)}`,
  ].join('');
}

function shownUrl(given: string): string {
  const url = new URL(withoutToken(given));
  url.username = '';
  url.password = '';
  return url.href.replace(/\/$/, '');
}

/** An address to show: without a token. */
export function withoutToken(text: string): string {
  const url = new URL(text);
  url.searchParams.delete('token');
  return url.href.replace(/\/$/, '');
}
