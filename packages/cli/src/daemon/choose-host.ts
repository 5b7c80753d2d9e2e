import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type HostRecord, readHosts } from '../host-link/discovery.ts';
import { isSameAddress } from '../host-link/find-host.ts';
import type { Context } from '../process/context.ts';
import { CliError, EXIT, usageError } from '../process/exit.ts';
import { hostsFolder } from '../process/files.ts';
import { commandLine } from '../process/own-command.ts';
import { plain } from '../render/plain-text.ts';

/** Options that choose among the hosts of this user on this machine. */
export interface LocalHostOptions {
  readonly data?: string;
  readonly url?: string;
}

/** The hosts of this user on this machine that match the options, oldest first. */
export async function localHosts(context: Context, { data, url }: LocalHostOptions): Promise<HostRecord[]> {
  const hosts = await readHosts(hostsFolder(context));
  const address = url === undefined ? undefined : addressOf(url);
  const folder = data === undefined ? undefined : await realFolder(resolve(context.cwd, data));
  const fits = await Promise.all(
    hosts.map(
      async (host) =>
        (address === undefined || isSameAddress(new URL(host.url), address)) &&
        (folder === undefined || (await realFolder(host.dataDir)) === folder),
    ),
  );
  return hosts.filter((_, index) => fits[index]);
}

/** The only host that matches the options. Rejects with a `CliError` if none or several match. */
export async function localHost(context: Context, options: LocalHostOptions): Promise<HostRecord> {
  const [host, ...others] = await localHosts(context, options);
  if (host === undefined) throw noHost(options);
  if (others.length === 0) return host;
  const list = [host, ...others].map(({ url, pid, dataDir }) => `  --data ${dataDir}  (${url}, pid ${pid})`);
  throw usageError(
    `${list.length} hosts are running; choose one with --data or --url:\n${plain(list.join('\n'))}`,
  );
}

/** The error when no host runs. Its message has the command that starts one. */
export function noHost({ data, url }: LocalHostOptions): CliError {
  const which = [
    data === undefined ? '' : ` with the data folder ${plain(data)}`,
    url === undefined ? '' : ` at ${plain(url)} on this machine`,
  ].join('');
  return new CliError(
    EXIT.cannotConnect,
    `no host is running${which}: start one with \`${commandLine('start')}\``,
  );
}

function addressOf(url: string): URL {
  const address = URL.parse(url);
  if (address === null) throw usageError(`--url: expected an address, got ${plain(url)}`);
  return address;
}

/** A folder without links in its path. One that does not exist is returned unchanged. */
const realFolder = (path: string): Promise<string> => realpath(path).catch(() => path);
