import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { defined } from '@agenthost/protocol/values';
import { GatewayRefusal } from '../host-link/ask-gateway.ts';
import { connectTarget } from '../host-link/connect-target.ts';
import { readHosts } from '../host-link/discovery.ts';
import { type HostTarget, namedTarget } from '../host-link/find-host.ts';
import { gatewayAt } from '../host-link/gateway-hosts.ts';
import { isSshUrl, sshAddress } from '../host-link/ssh-address.ts';
import { SshFailure } from '../host-link/ssh-failure.ts';
import { askEach, everyHost, type HostAnswer, type KnownHost } from '../hosts/every-host.ts';
import { type HostCounts, hostCounts } from '../hosts/host-counts.ts';
import { addNamedHost, isHostName, type NamedHost, removeNamedHosts } from '../hosts/host-list.ts';
import { shortId } from '../input/ids.ts';
import { readSecret } from '../input/secret.ts';
import type { Context } from '../process/context.ts';
import { CliError, EXIT, type ExitCode, usageError } from '../process/exit.ts';
import { fileTrouble, hostListFile, hostsFolder } from '../process/files.ts';
import { commandLine } from '../process/own-command.ts';
import { homely, oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';

/** Options of `hosts add` as parsed. */
export interface AddHostOptions {
  /** `-`: standard input. */
  readonly tokenFile?: string;
  readonly fingerprint?: string;
  readonly command?: string;
  readonly data?: string;
  readonly force?: boolean;
  /** False with `--no-check`. */
  readonly check?: boolean;
  readonly json?: boolean;
}

/** `hosts add`: adds a host with a name, after it has answered. */
export async function addHost(
  context: Context,
  screen: Screen,
  [name, given]: readonly [name: string, url: string],
  options: AddHostOptions,
): Promise<ExitCode> {
  if (!isHostName(name))
    throw usageError(
      `expected a name of up to 40 letters, digits, dots, dashes and underscores, and not "local", got ${oneLine(name) || '(nothing)'}`,
    );
  const { url, token: urlToken } = addressOf(given);
  checkOptions(url, options);
  const token = (await givenToken(context, options)) ?? urlToken;
  const host: NamedHost = { name, url, ...defined({ token, command: options.command, data: options.data }) };
  const { version, hosts } =
    options.check === false ? {} : await checkedHost(context, screen, host, options.fingerprint);
  const gateway = hosts === undefined ? undefined : true;
  await addNamedHost(context, { ...host, ...defined({ gateway }) }, options.force === true);
  if (options.json === true)
    screen.json({ name, url, hasToken: token !== undefined, ...defined({ version, hosts }) });
  else {
    const what =
      hosts === undefined
        ? version
        : `a gateway with ${hosts.length === 1 ? '1 host' : `${hosts.length} hosts`}`;
    screen.note(
      `added ${name}${what === undefined ? '' : `, ${what}`}; its entry is in ${homely(hostListFile(context), context.home)}`,
    );
    const [first = `${name}/HOST`] = hosts ?? [name];
    screen.note(`\`${commandLine(`sessions --host ${first}`)}\` lists its sessions`);
  }
  return EXIT.done;
}

/** `hosts remove`: removes hosts and their tokens from the list. */
export async function removeHosts(
  context: Context,
  screen: Screen,
  names: readonly string[],
  { json }: { readonly json?: boolean },
): Promise<ExitCode> {
  await removeNamedHosts(context, names);
  if (json === true) for (const name of names) screen.json({ removed: name });
  else screen.note(`removed ${names.join(', ')}`);
  return EXIT.done;
}

/** `hosts list`: the hosts of this machine and those of the list, with the state of each. */
export async function listHosts(
  context: Context,
  screen: Screen,
  { json }: { readonly json?: boolean },
): Promise<ExitCode> {
  const hosts = await everyHost(context, screen);
  if (hosts.length === 0) {
    if (json !== true)
      screen.note(`no host runs here and none was added; \`${commandLine('hosts add')}\` adds one`);
    return EXIT.done;
  }
  screen.status('asking the hosts');
  const asking = askEach(context, screen, hosts, async (client) => ({
    counts: await hostCounts(client),
    version: client.host?.serverInfo?.version,
  }));
  const answered: StateAnswer[] = [];
  const told = new Set<HostTarget>();
  for await (const answers of asking) {
    const rows = withGateways(hosts, answers, told);
    if (json === true)
      for (const row of rows) screen.json('host' in row ? jsonOf(row) : { ...row, state: 'gateway' });
    else printHosts(screen, hosts, rows, answered.length === 0);
    answered.push(...answers);
    if (context.outputClosed.aborted) break;
  }
  screen.status(undefined);
  if (json !== true) noteStates(screen, answered);
  return EXIT.done;
}

/** Answer of a host to the request for its state. */
type StateAnswer = HostAnswer<{ readonly counts: HostCounts; readonly version: string | undefined }>;

/** A gateway in the list. */
interface ListedGateway {
  readonly name: string;
  readonly url: string;
  /** Names of its hosts in the list. */
  readonly hosts: readonly string[];
}

/** The answers, and before the first one of each gateway the gateway itself. `told`: the gateways that were listed before; later ones are added. */
const withGateways = (
  hosts: readonly KnownHost[],
  answers: readonly StateAnswer[],
  told: Set<HostTarget>,
): readonly (StateAnswer | ListedGateway)[] =>
  answers.flatMap((answer) => {
    const { gateway } = answer.host;
    if (gateway === undefined || told.has(gateway)) return [answer];
    told.add(gateway);
    const behind = hosts.filter((host) => host.gateway === gateway).map(({ label }) => label);
    return [{ name: gateway.name ?? '', url: oneLine(gateway.url, 200), hosts: behind }, answer];
  });

function jsonOf(answer: StateAnswer): object {
  const { host } = answer;
  const facts = { name: host.label, url: urlOf(host) };
  if ('problem' in answer)
    return { ...facts, state: answer.isAbsent ? 'absent' : 'unreachable', problem: answer.problem };
  const { counts, version } = answer.value;
  return { ...facts, state: 'online', ...defined({ version }), ...counts };
}

const COLUMNS = ['NAME', 'STATE', 'VERSION', 'SESSIONS', 'ADDRESS'];

/** A line for each row. Rows of slow hosts come later, and have the column widths of the first rows. */
function printHosts(
  screen: Screen,
  hosts: readonly KnownHost[],
  found: readonly (StateAnswer | ListedGateway)[],
  isFirst: boolean,
): void {
  const rows = found.map((answer) => {
    if (!('host' in answer)) return [answer.name, 'gateway', '', '', answer.url];
    const { host } = answer;
    if ('problem' in answer)
      return [host.label, answer.isAbsent ? 'no host' : 'problem', '', '', urlOf(host)];
    const { counts, version = '' } = answer.value;
    return [host.label, 'online', oneLine(version, 20), sessionsText(counts), urlOf(host)];
  });
  const names = hosts.map(({ label }) => [label, 'problem']);
  const widths = COLUMNS.map((column, at) =>
    Math.max(column.length, ...[...rows, ...names].map((row) => row[at]?.length ?? 0)),
  );
  const padded = (row: readonly string[]): string =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd();
  if (isFirst) screen.columnNames(padded(COLUMNS));
  for (const row of rows) screen.line(padded(row));
}

/** Reports the hosts that do not answer, and the sessions that wait for the user. */
function noteStates(screen: Screen, answers: readonly StateAnswer[]): void {
  for (const answer of answers)
    if ('problem' in answer && !answer.isAbsent) screen.note(`${answer.host.label}: ${answer.problem}`);
  for (const answer of answers) {
    if ('problem' in answer) continue;
    for (const { resource, title } of answer.value.counts.waiting)
      screen.note(`${answer.host.label}: ${shortId(resource)} waits for you: ${oneLine(title, 100)}`);
  }
}

/** Counts of sessions in a few words. */
function sessionsText({ sessionCount, running, waiting }: HostCounts): string {
  const more = [
    running.length === 0 ? '' : `${running.length} running`,
    waiting.length === 0 ? '' : `${waiting.length} waiting`,
  ].filter((text) => text !== '');
  return more.length === 0 ? `${sessionCount}` : `${sessionCount}, ${more.join(', ')}`;
}

const urlOf = ({ target }: KnownHost): string => oneLine(target.url, 200);

/** The address to store, without the token of a link that a host printed. Throws a usage error. */
function addressOf(given: string): { readonly url: string; readonly token?: string } {
  if (isSshUrl(given)) {
    sshAddress(given);
    return { url: given.replace(/\/$/, '') };
  }
  const url = URL.parse(given);
  if (url === null || !/^(?:https?|wss?):$/.test(url.protocol))
    throw usageError(
      `expected an address such as https://build.example:4711 or ssh://user@server, got ${oneLine(given) || '(nothing)'}`,
    );
  if (url.username !== '' || url.password !== '')
    throw usageError('the address has a user or a password: use a token instead, with --token-file');
  const token = url.searchParams.get('token') ?? new URLSearchParams(url.hash.slice(1)).get('token');
  url.searchParams.delete('token');
  url.hash = '';
  return { url: url.href.replace(/\/$/, ''), ...(token === null || token === '' ? {} : { token }) };
}

function checkOptions(url: string, { command, data, fingerprint, check }: AddHostOptions): void {
  if (!isSshUrl(url) && (command !== undefined || data !== undefined))
    throw usageError('--command and --data are for ssh:// addresses');
  if (isSshUrl(url) && fingerprint !== undefined)
    throw usageError('--fingerprint is for https and wss; ssh checks the keys of its machines itself');
  if (fingerprint !== undefined && check === false)
    throw usageError('--fingerprint requires a connection, and --no-check makes none: use one of them');
  if (command?.trim() === '') throw usageError('--command: expected a command line, got nothing');
}

/** The token in the file that was given. Rejects with a usage error. */
async function givenToken(context: Context, { tokenFile }: AddHostOptions): Promise<string | undefined> {
  if (tokenFile === undefined) return undefined;
  if (tokenFile === '-' && context.stdin.isTTY === true) context.stderr.write('Token (it is not shown):\n');
  const text =
    tokenFile === '-' ? await readSecret(context, 'the list of hosts') : await fileText(context, tokenFile);
  const token = text.trim();
  if (token === '' || /\s/.test(token)) throw usageError('--token-file: expected one token');
  return token;
}

async function fileText({ cwd }: Context, given: string): Promise<string> {
  const file = resolve(cwd, given);
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw usageError(`--token-file: ${oneLine(file)} cannot be read: ${fileTrouble(cause)}`);
  }
}

/** The host or the gateway at an address. */
interface Checked {
  /** Description of a host, with its version. */
  readonly version?: string;
  /** The names of the hosts of a gateway, as `--host` takes them. */
  readonly hosts?: readonly string[];
}

/** Connects once. Rejects with a `CliError` if the address cannot be used. */
async function checkedHost(
  context: Context,
  screen: Screen,
  host: NamedHost,
  fingerprint: string | undefined,
): Promise<Checked> {
  const target = namedTarget(context, await readHosts(hostsFolder(context)), host, {
    starts: false,
    takesVariable: true,
  });
  screen.status(`connecting to ${oneLine(host.url)}`);
  try {
    const behind = await gatewayAt(context, screen, target, fingerprint);
    if (behind !== undefined) return { hosts: behind.names.map((each) => `${host.name}/${each}`) };
    const { client } = await connectTarget(context, screen, target, { fingerprint });
    const { version } = client.host?.serverInfo ?? {};
    client.close();
    return {
      version: version === undefined ? 'a host of an unknown version' : `agenthost ${oneLine(version, 40)}`,
    };
  } catch (cause) {
    if (!(cause instanceof CliError)) throw cause;
    if (cause.cause instanceof SshFailure && cause.cause.isAbsent)
      return { version: 'where no host runs yet: the first command starts one' };
    // The user has to ask for an entry of a gateway as a host.
    const how = cause instanceof GatewayRefusal ? '' : ' (--no-check adds it without a connection)';
    throw new CliError(cause.exitCode, `${cause.message}; nothing was added${how}`, { cause });
  } finally {
    screen.status(undefined);
  }
}
