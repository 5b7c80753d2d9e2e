import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type HostRecord, isListening, type LocalRecord, readRecords } from '../host-link/discovery.ts';
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

/** The hosts of this user that listen on this machine and match the options, oldest first. */
export async function localHosts(context: Context, options: LocalHostOptions): Promise<HostRecord[]> {
  return (await localRecords(context, options)).filter(isListening);
}

/** The hosts and waiting standbys of this user on this machine that match the options, oldest first. A standby has no address. */
export async function localRecords(
  context: Context,
  { data, url }: LocalHostOptions,
): Promise<LocalRecord[]> {
  const records = await readRecords(hostsFolder(context));
  const address = url === undefined ? undefined : addressOf(url);
  const folder = data === undefined ? undefined : await realFolder(resolve(context.cwd, data));
  const fits = await Promise.all(
    records.map(
      async (record) =>
        (address === undefined || (isListening(record) && isSameAddress(new URL(record.url), address))) &&
        (folder === undefined || (await realFolder(record.dataDir)) === folder),
    ),
  );
  return records.filter((_, index) => fits[index]);
}

/** The only listening host that matches the options. Rejects with a `CliError` if none or several match. */
export async function localHost(context: Context, options: LocalHostOptions): Promise<HostRecord> {
  return only(await localHosts(context, options), options);
}

/** The only host or waiting standby that matches the options. Rejects with a `CliError` if none or several match. */
export async function localRecord(context: Context, options: LocalHostOptions): Promise<LocalRecord> {
  return only(await localRecords(context, options), options);
}

function only<R extends LocalRecord>(records: readonly R[], options: LocalHostOptions): R {
  const [record, ...others] = records;
  if (record === undefined) throw noHost(options);
  if (others.length === 0) return record;
  const list = records.map((each) => `  --data ${each.dataDir}  (${placeOf(each)}, pid ${each.pid})`);
  const [what, how] = records.every(isListening)
    ? ['hosts are running', '--data or --url']
    : ['hosts and standbys were found', '--data'];
  throw usageError(`${list.length} ${what}; choose one with ${how}:\n${plain(list.join('\n'))}`);
}

const placeOf = (record: LocalRecord): string =>
  isListening(record) ? record.url : `waits for cell ${record.cell}`;

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
