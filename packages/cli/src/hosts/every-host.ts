import type { AhpClient } from '@agenthost/client';
import { defined, errorText } from '@agenthost/protocol/values';
import { type Connected, type ConnectTargetOptions, connectTarget } from '../host-link/connect-target.ts';
import { type HostRecord, holderName, readHosts } from '../host-link/discovery.ts';
import { type HostTarget, isSameAddress, namedTarget, own } from '../host-link/find-host.ts';
import { behindGateway, gatewayHosts } from '../host-link/gateway-hosts.ts';
import { SshFailure } from '../host-link/ssh-failure.ts';
import { startHost } from '../host-link/start-host.ts';
import type { Context } from '../process/context.ts';
import { CliError, EXIT } from '../process/exit.ts';
import { hostsFolder } from '../process/files.ts';
import { oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';
import { LOCAL_HOST, type NamedHost, namedHosts } from './host-list.ts';

/** A host that this user can reach. */
export interface KnownHost {
  /** The name in the list. Without one: `local` for the only host on this machine, otherwise the address. */
  readonly label: string;
  readonly target: HostTarget;
  /** The gateway that it is behind. */
  readonly gateway?: HostTarget;
  /** The reason why the hosts of this gateway are not known. Absent: a host. */
  readonly problem?: CliError;
}

/** The answer of a host, or the reason why it did not answer. */
export type HostAnswer<T> = { readonly host: KnownHost } & (
  | { readonly value: T }
  | {
      readonly problem: string;
      /** Whether the machine was reached, but no host runs there. */
      readonly isAbsent: boolean;
    }
);

/** Time for which answers are collected before the first ones are shown. */
const PATIENCE_MS = 3_000;
/** Time limit for a gateway's list of hosts. The time limits of its hosts begin afterwards. */
const GATEWAY_LIMIT_MS = 3_000;
/** Time limit for the answer of one host. Over SSH it includes the sign-in. */
const LIMIT_MS = 10_000;
const SSH_LIMIT_MS = 30_000;

/**
 * The hosts that run on this machine, and those of the user's list and of its gateways, in this order. A host of this machine is listed once.
 * `starts`: starts a host here if none runs. An unreadable list is reported and ignored.
 */
export async function everyHost(
  context: Context,
  screen: Screen,
  starts = false,
): Promise<readonly KnownHost[]> {
  const folder = hostsFolder(context);
  const running = await readHosts(folder);
  if (running.length === 0 && starts) running.push(await startHost(context, screen, folder));
  const named: KnownHost[] = [];
  const ownNames = new Map<HostRecord, string>();
  const ownGateways = new Map<HostRecord, HostTarget>();
  const use = { starts: false, takesVariable: false };
  const entries = (await listed(context, screen)).flatMap((host) => {
    const target = targetOrNote(screen, host, () => namedTarget(context, running, host, use));
    return target === undefined ? [] : [{ label: host.name, target, isGateway: host.gateway === true }];
  });
  const found = await Promise.all(
    entries.map(
      async ({ isGateway, ...host }): Promise<readonly FoundHost[]> =>
        isGateway ? hostsBehind(context, screen, host.target, running) : [host],
    ),
  );
  const all = found.flat();
  const recordAt = new Map<string, HostRecord>();
  for (const { target, record } of all) if (record !== undefined) recordAt.set(target.url, record);
  for (const { record: _, ...host } of all) {
    const { label, target, gateway } = host;
    const record = target.isOwn
      ? running.find(({ url }) => isSameAddress(new URL(url), new URL(target.url)))
      : recordAt.get(target.url);
    if (record !== undefined) {
      // A host of this machine is listed with its own address. If it has several names, the first one is shown.
      if (gateway === undefined) ownNames.set(record, ownNames.get(record) ?? label);
      else ownGateways.set(record, ownGateways.get(record) ?? gateway);
      continue;
    }
    // A host behind a gateway may also have a name of its own.
    if (gateway === undefined || !entries.some((entry) => entry.target.url === target.url)) named.push(host);
  }
  const local = running.map((record) => ({
    label: ownNames.get(record) ?? (running.length === 1 ? LOCAL_HOST : new URL(record.url).host),
    target: own(context, record),
    ...defined({ gateway: ownGateways.get(record) }),
  }));
  return [...local, ...named];
}

/** A host of the list. */
interface FoundHost extends KnownHost {
  /** The record of a host of this machine that is behind a gateway. */
  readonly record?: HostRecord;
}

/**
 * The hosts behind a gateway, or the gateway itself with its problem. A host of `running` is recognized by its cell and by the holder of the cell, its
 * machine and process.
 */
async function hostsBehind(
  context: Context,
  screen: Screen,
  gateway: HostTarget,
  running: readonly HostRecord[],
): Promise<readonly FoundHost[]> {
  const { name: label = '' } = gateway;
  try {
    const hosts = await gatewayHosts(context, screen, gateway, { limitMs: GATEWAY_LIMIT_MS });
    if (hosts.names.length === 0) throw new CliError(EXIT.error, 'the gateway has no hosts yet');
    return hosts.names.map((host) => {
      const target = behindGateway(gateway, host, hosts);
      const holder = hosts.holders.get(host);
      const record = running.find((each) => each.cell === host && holderName(each) === holder);
      return { label: `${label}/${host}`, target, gateway, ...defined({ record }) };
    });
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return [{ label, target: gateway, problem: error }];
  }
}

/** Connects to a host of a list. Rejects as `connectTarget`. */
export async function connectKnown(
  context: Context,
  screen: Screen,
  { target, problem }: KnownHost,
  options: ConnectTargetOptions,
): Promise<Connected> {
  if (problem !== undefined) throw problem;
  return connectTarget(context, screen, target, options);
}

/** Whether a list of all hosts has more than the one host of this machine. */
export const areSeveral = (hosts: readonly KnownHost[]): boolean =>
  hosts.length > 1 || hosts.some(({ target }) => !target.isOwn);

async function listed(context: Context, screen: Screen): Promise<readonly NamedHost[]> {
  try {
    return await namedHosts(context);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    screen.note(`agenthost: ${error.message}`);
    return [];
  }
}

/** The target of a host. An invalid address in the file is reported and ignored. */
function targetOrNote(screen: Screen, { name }: NamedHost, find: () => HostTarget): HostTarget | undefined {
  try {
    return find();
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    screen.note(`agenthost: ${name}: ${error.message}`);
    return undefined;
  }
}

/**
 * Sends a request to all hosts at the same time, and closes the connections. Yields the answers of the first 3 s together, in the order of the hosts, and
 * later answers when they arrive, so that a slow host delays no other. Each host has a time limit. Never throws because of a host. Aborts the requests when
 * the caller stops reading.
 */
export async function* askEach<T>(
  context: Context,
  screen: Screen,
  hosts: readonly KnownHost[],
  ask: Question<T>['ask'],
): AsyncGenerator<readonly HostAnswer<T>[], void, undefined> {
  const stop = new AbortController();
  const settled: { readonly index: number; readonly answer: HostAnswer<T> }[] = [];
  const pending = new Map<number, Promise<void>>();
  for (const [index, host] of hosts.entries()) {
    const asking = askOne({ context, screen, host, ask, stop: stop.signal }).then((answer) => {
      settled.push({ index, answer });
      pending.delete(index);
    });
    pending.set(index, asking);
  }
  let timer: NodeJS.Timeout | undefined;
  const isLate = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS);
  });
  try {
    await Promise.race([Promise.all(pending.values()), isLate]);
    while (pending.size > 0 || settled.length > 0) {
      if (settled.length === 0) await Promise.race(pending.values());
      const answers = settled.splice(0).toSorted((a, b) => a.index - b.index);
      if (pending.size > 0) screen.status(`waiting for ${labelsOf(hosts, pending)}`);
      yield answers.map(({ answer }) => answer);
    }
  } finally {
    clearTimeout(timer);
    stop.abort(new Error('the answer is not needed any more'));
  }
}

const labelsOf = (hosts: readonly KnownHost[], pending: ReadonlyMap<number, unknown>): string =>
  hosts.flatMap(({ label }, index) => (pending.has(index) ? [oneLine(label)] : [])).join(', ');

interface Question<T> {
  readonly context: Context;
  readonly screen: Screen;
  readonly host: KnownHost;
  ask(client: AhpClient, host: KnownHost): Promise<T>;
  /** Aborts the request. */
  readonly stop: AbortSignal;
}

async function askOne<T>(question: Question<T>): Promise<HostAnswer<T>> {
  const { host, stop } = question;
  const limitMs = host.target.ssh === undefined ? LIMIT_MS : SSH_LIMIT_MS;
  const limit = new AbortController();
  const { signal } = limit;
  const isOver = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  const onStop = (): void => limit.abort(stop.reason);
  stop.addEventListener('abort', onStop, { once: true });
  const slow = new Error(`no answer within ${limitMs / 1_000} s`);
  const timer = setTimeout(() => limit.abort(slow), limitMs);
  const asking = connected(question, signal);
  // A failure after the time limit is ignored.
  asking.catch(() => undefined);
  try {
    return { host, value: await Promise.race([asking, isOver]) };
  } catch (error) {
    return { host, problem: oneLine(errorText(error), 500), isAbsent: isAbsent(error) };
  } finally {
    clearTimeout(timer);
    stop.removeEventListener('abort', onStop);
  }
}

async function connected<T>({ context, screen, host, ask }: Question<T>, signal: AbortSignal): Promise<T> {
  const { client } = await connectKnown(context, screen, host, { signal });
  const close = (): void => client.close();
  signal.addEventListener('abort', close, { once: true });
  try {
    return await ask(client, host);
  } finally {
    signal.removeEventListener('abort', close);
    client.close();
  }
}

/** Whether a connection failed because no host runs on a machine that answers. */
export const isAbsent = (error: unknown): boolean =>
  error instanceof Error && error.cause instanceof SshFailure && error.cause.isAbsent;
