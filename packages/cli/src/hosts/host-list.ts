import { readFile } from 'node:fs/promises';
import { hasCode } from '@agenthost/protocol/values';
import { changeFile } from '../host-link/change-file.ts';
import type { Context } from '../process/context.ts';
import { CliError, EXIT } from '../process/exit.ts';
import { fileTrouble, hostListFile } from '../process/files.ts';

/** A host with a name that the user has chosen. */
export interface NamedHost {
  readonly name: string;
  /** `http(s)://…`, `ws(s)://…` or `ssh://…`, without a token. */
  readonly url: string;
  /** Access token. Absent: AGENTHOST_TOKEN of a command that names the host; over SSH, the owner's token from the other machine. */
  readonly token?: string;
  /** Over SSH: the command line that runs agenthost there. Absent: `agenthost`. */
  readonly command?: string;
  /** Over SSH: the data folder of the host. Absent: the only host that runs there. */
  readonly data?: string;
  /** Whether this is a gateway, whose hosts have the names `<name>/<host>`. Default: false. */
  readonly gateway?: boolean;
}

/** The name of the host on this machine. It is not in the list. */
export const LOCAL_HOST = 'local';

/** Whether a text can be the name of a host. */
export const isHostName = (text: string): boolean =>
  text !== LOCAL_HOST && /^[a-z0-9][a-z0-9._-]{0,39}$/i.test(text);

/** Format of the file. A later version raises it when earlier versions cannot read the file. */
const FORMAT = 1;

/** The hosts of the list by name. Rejects with a `CliError` if the file is damaged, of a later version or unreadable. */
export async function namedHosts(context: Context): Promise<readonly NamedHost[]> {
  const file = hostListFile(context);
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (cause) {
    if (hasCode(cause, 'ENOENT', 'ENOTDIR')) return [];
    throw new CliError(EXIT.error, `${file} cannot be read: ${fileTrouble(cause)}`, { cause });
  }
  return parseList(file, text).toSorted((a, b) => a.name.localeCompare(b.name, 'en'));
}

/** Adds a host, in place of an earlier one with its name if `isForced`. Rejects with a `CliError`. */
export async function addNamedHost(context: Context, host: NamedHost, isForced: boolean): Promise<void> {
  await change(context, (hosts) => {
    if (!isForced && hosts.some(({ name }) => name === host.name))
      throw new CliError(EXIT.error, `a host with the name ${host.name} already exists: --force replaces it`);
    return [...hosts.filter(({ name }) => name !== host.name), host];
  });
}

/** Removes the hosts with these names. Rejects with a `CliError` and removes none if one is not in the list. */
export async function removeNamedHosts(context: Context, names: readonly string[]): Promise<void> {
  await change(context, (hosts) => {
    for (const wanted of names)
      if (!hosts.some(({ name }) => name === wanted))
        throw new CliError(EXIT.error, `no host is called ${wanted || '(nothing)'}${knownNames(hosts)}`);
    return hosts.filter(({ name }) => !names.includes(name));
  });
}

/** The names of a list, as the end of a sentence. */
export const knownNames = (hosts: readonly NamedHost[]): string =>
  hosts.length === 0
    ? ': no host was added'
    : `; the known hosts are ${hosts.map(({ name }) => name).join(', ')}`;

/** Reads the list, changes it and writes it, while no other command does. */
async function change(
  context: Context,
  edit: (hosts: readonly NamedHost[]) => readonly NamedHost[],
): Promise<void> {
  const file = hostListFile(context);
  try {
    await changeFile(file, async () => {
      const hosts = edit(await namedHosts(context));
      return `${JSON.stringify({ format: FORMAT, hosts }, undefined, 2)}\n`;
    });
  } catch (cause) {
    if (cause instanceof CliError) throw cause;
    throw new CliError(EXIT.error, `${file} cannot be written: ${fileTrouble(cause)}`, { cause });
  }
}

function parseList(file: string, text: string): readonly NamedHost[] {
  const damaged = (what: string, cause?: unknown): CliError =>
    new CliError(
      EXIT.error,
      `${file} is damaged (${what}): correct it, or delete it and add the hosts again`,
      {
        cause,
      },
    );
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw damaged('no JSON', cause);
  }
  if (typeof value !== 'object' || value === null || !('format' in value) || !('hosts' in value))
    throw damaged('no list of hosts');
  if (typeof value.format === 'number' && value.format > FORMAT)
    throw new CliError(EXIT.error, `${file} was written by a later version of agenthost: update this one`);
  const { hosts } = value;
  if (!Array.isArray(hosts)) throw damaged('no list of hosts');
  return hosts.map((host: unknown, index) => {
    if (!isNamedHost(host))
      throw damaged(
        `the host at position ${index + 1} has no valid name, url, token, command, data or gateway`,
      );
    return host;
  });
}

function isNamedHost(value: unknown): value is NamedHost {
  if (typeof value !== 'object' || value === null) return false;
  const members = new Map<string, unknown>(Object.entries(value));
  const isText = (key: string): boolean => typeof members.get(key) === 'string';
  const name = members.get('name');
  return (
    typeof name === 'string' &&
    isHostName(name) &&
    isText('url') &&
    (!members.has('gateway') || typeof members.get('gateway') === 'boolean') &&
    ['token', 'command', 'data'].every((key) => !members.has(key) || isText(key))
  );
}
