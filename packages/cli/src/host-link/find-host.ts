import { isCellName } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { knownNames, LOCAL_HOST, type NamedHost, namedHosts } from '../hosts/host-list.ts';
import type { Context } from '../process/context.ts';
import { CliError, EXIT, usageError } from '../process/exit.ts';
import { hostsFolder } from '../process/files.ts';
import { commandLine, shellWord } from '../process/own-command.ts';
import { oneLine, plain } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';
import { GatewayRefusal } from './ask-gateway.ts';
import { type HostRecord, readHosts } from './discovery.ts';
import { behindGateway, type GatewayHosts, gatewayHosts } from './gateway-hosts.ts';
import { isSshUrl, sshAddress } from './ssh-address.ts';
import type { SshTarget } from './ssh-arguments.ts';
import { startHost } from './start-host.ts';

/** Options that choose the host. */
export interface HostOptions {
  readonly url?: string;
  /** A name of the list of hosts, `<gateway>/<host>`, or `local`. */
  readonly host?: string;
  /** The session that the command is about, as typed: without `url` and `host`, the host that has it is searched for. */
  readonly ofSession?: string;
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
  /** Its name in the list of hosts, or behind a gateway of the list. Absent: it was not chosen by a name. */
  readonly name?: string;
  /** No token for it is in the list of hosts, and AGENTHOST_TOKEN is not for it. */
  readonly lacksToken?: boolean;
  /** It is reached by `ssh`, at this address. Absent: at its URL. */
  readonly ssh?: SshTarget;
}

/**
 * The host that a command talks to: the one named by `--host`, by `--url` or AGENTHOST_URL, else the only one that runs here, else,
 * with `--start`, a new one. AGENTHOST_TOKEN takes precedence over a known token, except for one in the list of hosts. Rejects with a `CliError` that
 * says what to do.
 */
export async function findHost(
  context: Context,
  screen: Screen,
  { url: given, host: name, start, fingerprint }: HostOptions,
): Promise<HostTarget> {
  // A variable is for all commands, an option for this one.
  const url = name !== undefined && given === context.env['AGENTHOST_URL'] ? undefined : given;
  if (name !== undefined && url !== undefined) throw usageError('--host and --url cannot be used together');
  const folder = hostsFolder(context);
  const hosts = await readHosts(folder);
  if (name !== undefined && name !== LOCAL_HOST) {
    const known = await namedHosts(context);
    const slash = name.indexOf('/');
    const [listed, behind] = slash === -1 ? [name] : [name.slice(0, slash), name.slice(slash + 1)];
    const found = known.find((each) => each.name === listed);
    if (found === undefined)
      throw usageError(
        `--host: no host is called ${oneLine(name) || '(nothing)'}${knownNames(known)}; \`${commandLine('hosts add')}\` adds one`,
      );
    const target = namedTarget(context, hosts, found, { starts: true, takesVariable: true });
    if (found.gateway === true) {
      // AGENTHOST_FINGERPRINT is for the host of AGENTHOST_URL.
      const pin = fingerprint === context.env['AGENTHOST_FINGERPRINT'] ? undefined : fingerprint;
      return hostBehind(context, screen, target, { host: behind, fingerprint: pin });
    }
    if (behind !== undefined)
      throw usageError(
        `--host: ${listed} was added as a host, not as a gateway; if a gateway runs at its address now, add it again with \`${commandLine(`hosts add ${oneLine(listed)} URL --force`)}\``,
      );
    return target;
  }
  if (url !== undefined && isSshUrl(url)) return sshTarget(context, { url }, true);
  if (url !== undefined) return named(hosts, url, context.env['AGENTHOST_TOKEN']);
  const [host, ...others] = hosts;
  if (others.length > 0) throw severalHosts(hosts);
  if (host !== undefined) return own(context, host);
  if (start === true) {
    return own(context, await startHost(context, screen, folder));
  }
  // The command did not fail because of a damaged list, so that is not reported.
  const reachable = name === undefined ? await namedHosts(context).catch(() => []) : [];
  const choice =
    reachable.length === 0
      ? ''
      : `; or choose one of yours with --host: ${reachable.map((each) => each.name).join(', ')}`;
  throw new CliError(
    EXIT.cannotConnect,
    `no host is running: start one with \`${commandLine('serve')}\`, or add --start to this command${choice}`,
  );
}

/** The host behind a gateway that a command names; without a name, the only one. Rejects with a `CliError` that has the names. */
async function hostBehind(
  context: Context,
  screen: Screen,
  gateway: HostTarget,
  {
    host = '',
    fingerprint,
  }: { readonly host?: string | undefined; readonly fingerprint: string | undefined },
): Promise<HostTarget> {
  const { name: listed = '' } = gateway;
  let hosts: GatewayHosts;
  try {
    hosts = await gatewayHosts(context, screen, gateway, { fingerprint });
  } catch (cause) {
    // The gateway also routes while its database does not answer, and for an access token of the host, which cannot read the list.
    if (isCellName(host) && cause instanceof GatewayRefusal) return behindGateway(gateway, host);
    throw cause;
  }
  const { names } = hosts;
  const [only = '', ...others] = names;
  const chosen = host === '' && others.length === 0 ? only : host;
  if (chosen !== '' && names.includes(chosen)) return behindGateway(gateway, chosen, hosts);
  if (names.length === 0) throw new CliError(EXIT.error, `--host: the gateway ${listed} has no hosts yet`);
  const full = oneLine(names.map((each) => `${listed}/${each}`).join(', '), 1_000);
  throw usageError(
    host === ''
      ? `--host: ${listed} is a gateway with ${names.length} hosts: choose one with --host: ${full}`
      : `--host: the gateway ${listed} has no host ${oneLine(host, 100)}; its hosts are ${full}`,
  );
}

/** How a command uses a host of the list. */
export interface NamedUse {
  /** A machine that is reached by `ssh` starts a host if none runs. */
  readonly starts: boolean;
  /** AGENTHOST_TOKEN is for this host if the list has no token: true only if the command names the host. The variable holds the token of one host. */
  readonly takesVariable: boolean;
}

/** How to connect to a host of the list. `hosts`: those that run here. */
export function namedTarget(
  context: Context,
  hosts: readonly HostRecord[],
  { name, url, token, command, data }: NamedHost,
  { starts, takesVariable }: NamedUse,
): HostTarget {
  const variable = takesVariable ? context.env['AGENTHOST_TOKEN'] : undefined;
  const target = isSshUrl(url)
    ? sshTarget(context, { url, ...defined({ command, data }) }, starts)
    : named(hosts, url, variable);
  const sent = token ?? target.token;
  const lacksToken = !takesVariable && sent === undefined && target.ssh === undefined ? true : undefined;
  return { ...target, name, ...defined({ token: sent, lacksToken }) };
}

/** Throws a usage error for a host that has no address of its own, for commands that speak to an address themselves. */
export function refuseSsh({ ssh }: HostTarget): void {
  if (ssh !== undefined)
    throw usageError('this command takes no ssh:// address: forward the port of the host with `ssh -L`');
}

/** AGENTHOST_TOKEN is not used: the other machine sends the token of its host. */
function sshTarget(
  { env }: Context,
  { url, command, data }: Pick<NamedHost, 'url' | 'command' | 'data'>,
  starts: boolean,
): HostTarget {
  const ssh = { ...sshAddress(url), ...defined({ command, data }), starts, env };
  return { url, isOwn: false, ssh };
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

function named(hosts: readonly HostRecord[], given: string, variable: string | undefined): HostTarget {
  const url = URL.parse(given);
  if (url === null || !/^(?:https?|wss?):$/.test(url.protocol)) {
    throw usageError(
      `--url: expected an address such as http://127.0.0.1:4711, ws://…/ahp or ssh://user@server, got ${plain(given)}`,
    );
  }
  const record = hosts.find((host) => isSameAddress(new URL(host.url), url));
  const token = variable || url.searchParams.get('token') || record?.token;
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
export function hostOptionText({ url: given, host, fingerprint }: HostOptions): string {
  const url = host === undefined ? given : undefined;
  return [
    host === undefined ? '' : ` --host ${shellWord(host)}`,
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
