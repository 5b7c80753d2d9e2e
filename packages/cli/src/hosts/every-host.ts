import type { AhpClient } from '@agenthost/client';
import { errorText } from '@agenthost/protocol/values';
import { connectTarget } from '../host-link/connect-target.ts';
import { readHosts } from '../host-link/discovery.ts';
import { type HostTarget, namedTarget, own } from '../host-link/find-host.ts';
import { SshFailure } from '../host-link/ssh-failure.ts';
import { startHost } from '../host-link/start-host.ts';
import type { Context } from '../process/context.ts';
import { CliError } from '../process/exit.ts';
import { hostsFolder } from '../process/files.ts';
import { oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';
import { LOCAL_HOST, type NamedHost, namedHosts } from './host-list.ts';

/** A host that this user can reach. */
export interface KnownHost {
  /** Its name; that of the only host on this machine is `local`, several have their addresses. */
  readonly label: string;
  readonly target: HostTarget;
}

/** What a host answered, or why it did not. */
export type HostAnswer<T> = { readonly host: KnownHost } & (
  | { readonly value: T }
  | {
      readonly problem: string;
      /** Its machine answers, and no host runs there. */
      readonly isAbsent: boolean;
    }
);

/** Time for one host to answer. `ssh` signs in first. */
const LIMIT_MS = 10_000;
const SSH_LIMIT_MS = 30_000;

/**
 * The hosts that run on this machine, and those of the user's list, in this order. `starts`: starts a host here if none runs. A list that cannot be read is
 * noted and left out.
 */
export async function everyHost(
  context: Context,
  screen: Screen,
  starts = false,
): Promise<readonly KnownHost[]> {
  const folder = hostsFolder(context);
  const running = await readHosts(folder);
  if (running.length === 0 && starts) running.push(await startHost(context, screen, folder));
  const local = running.map((record) => ({
    label: running.length === 1 ? LOCAL_HOST : new URL(record.url).host,
    target: own(context, record),
  }));
  const named: KnownHost[] = [];
  for (const host of await listed(context, screen)) {
    const target = targetOrNote(screen, host, () => namedTarget(context, running, host, false));
    // A host of this machine with a name is listed already.
    if (target !== undefined && !target.isOwn) named.push({ label: host.name, target });
  }
  return [...local, ...named];
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

/** Somebody may have written an address into the file that is none. */
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
 * Asks all hosts at the same time, and closes the connections. Each has a time limit. Resolves with the answers in the order of the hosts; never rejects
 * because of a host.
 */
export function askEach<T>(
  context: Context,
  screen: Screen,
  hosts: readonly KnownHost[],
  ask: (client: AhpClient, host: KnownHost) => Promise<T>,
): Promise<readonly HostAnswer<T>[]> {
  return Promise.all(hosts.map((host) => askOne({ context, screen, host, ask })));
}

interface Question<T> {
  readonly context: Context;
  readonly screen: Screen;
  readonly host: KnownHost;
  ask(client: AhpClient, host: KnownHost): Promise<T>;
}

async function askOne<T>(question: Question<T>): Promise<HostAnswer<T>> {
  const { host } = question;
  const limitMs = host.target.ssh === undefined ? LIMIT_MS : SSH_LIMIT_MS;
  const limit = new AbortController();
  const slow = new Error(`no answer within ${limitMs / 1_000} s`);
  let timer: NodeJS.Timeout | undefined;
  const isOver = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      limit.abort(slow);
      reject(slow);
    }, limitMs);
  });
  const asking = connected(question, limit.signal);
  // What comes after the limit is of no interest.
  asking.catch(() => undefined);
  try {
    return { host, value: await Promise.race([asking, isOver]) };
  } catch (error) {
    const problem = error instanceof CliError ? error.message : errorText(error);
    return { host, problem: oneLine(problem, 500), isAbsent: isAbsent(error) };
  } finally {
    clearTimeout(timer);
  }
}

async function connected<T>({ context, screen, host, ask }: Question<T>, signal: AbortSignal): Promise<T> {
  const { client } = await connectTarget(context, screen, host.target, { signal });
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
