import { defined } from '@agenthost/protocol/values';
import { type LocalHostOptions, localHost, localHosts, noHost } from '../daemon/choose-host.ts';
import { printReport, reportOf } from '../daemon/host-report.ts';
import { isCheckOff, newerVersion } from '../daemon/newer-version.ts';
import { nextLaunch } from '../daemon/next-launch.ts';
import { type LaunchOptions, serveArguments } from '../daemon/serve-arguments.ts';
import { stopHost } from '../daemon/stop-host.ts';
import type { HostRecord } from '../host-link/discovery.ts';
import { launchHost, type WaitingHost } from '../host-link/start-host.ts';
import type { Context } from '../process/context.ts';
import { CliError, EXIT, type ExitCode } from '../process/exit.ts';
import { hostsFolder } from '../process/files.ts';
import { commandLine } from '../process/own-command.ts';
import { oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';
import { dataDirOf } from '../serve/places.ts';

/** Options of `start` as parsed. */
export interface StartOptions extends LaunchOptions {
  readonly json?: boolean;
}

/** Options of `stop` and `restart` as parsed. */
export interface StopOptions extends LocalHostOptions {
  /** Seconds. Absent: the host's own `--drain`. */
  readonly drain?: number;
  readonly json?: boolean;
}

/** Options of `status` as parsed. */
export interface StatusOptions extends LocalHostOptions {
  /** False with `--no-update-check`. */
  readonly updateCheck?: boolean;
  readonly json?: boolean;
}

/** `start`: starts a host in the background. Succeeds if a host already runs with the data folder. */
export async function start(context: Context, screen: Screen, options: StartOptions): Promise<ExitCode> {
  const dataDir = dataDirOf(context, options.data);
  const [present] = await localHosts(context, { data: dataDir });
  if (present !== undefined) {
    const { url, pid } = present;
    if (options.json !== true)
      screen.note(`a host with this data folder is already running: ${oneLine(url)} (pid ${pid})`);
    else screen.json({ ...publicFacts(present), isNew: false });
    return EXIT.done;
  }
  const host = await launchHost(context, screen, hostsFolder(context), {
    dataDir,
    args: serveArguments(options, context.cwd),
    cwd: context.cwd,
    env: context.env,
  });
  if (options.json === true) screen.json({ ...startedFacts(host), isNew: true });
  return EXIT.done;
}

/** `stop`: stops a host and waits until its process is gone. */
export async function stop(context: Context, screen: Screen, options: StopOptions): Promise<ExitCode> {
  const host = await localHost(context, options);
  refuseService(host, commandLine('service stop'));
  await stopHost(context, screen, host, options.drain);
  if (options.json === true) screen.json({ stopped: host.pid, dataDir: host.dataDir });
  else screen.note(`stopped the host on ${oneLine(host.url)} (pid ${host.pid})`);
  return EXIT.done;
}

/** `restart`: stops a host after its turns, and starts it in the background with the options that it had. */
export async function restart(context: Context, screen: Screen, options: StopOptions): Promise<ExitCode> {
  const host = await localHost(context, options);
  refuseService(host, commandLine('service restart'));
  const launch = await nextLaunch(context, host, (line) => screen.note(line));
  await stopHost(context, screen, host, options.drain);
  const next = await launchHost(context, screen, hostsFolder(context), launch);
  if (options.json === true) screen.json({ ...startedFacts(next), isNew: true });
  return EXIT.done;
}

/** `status`: the hosts of this user on this machine. Exit code 4 if none runs. */
export async function status(context: Context, screen: Screen, options: StatusOptions): Promise<ExitCode> {
  const hosts = await localHosts(context, options);
  if (hosts.length === 0) throw noHost(options);
  const isOff = options.updateCheck === false || (await isCheckOff(context));
  screen.status('asking the host');
  const [reports, latest] = await Promise.all([
    Promise.all(hosts.map((host) => reportOf(context, host))),
    isOff ? undefined : newerVersion(context),
  ]);
  screen.status(undefined);
  for (const report of reports) {
    if (options.json === true) screen.json({ ...report, ...defined({ latestVersion: latest }) });
    else printReport(context, screen, report);
  }
  if (options.json !== true) {
    if (latest !== undefined)
      screen.note(`version ${latest} is available; this program is version ${context.version}`);
    if (reports.some(({ version }) => version !== context.version))
      screen.note(
        `this program is version ${context.version}; \`${commandLine('restart')}\` restarts a host with it`,
      );
  }
  return EXIT.done;
}

const startedFacts = (host: HostRecord | WaitingHost): object => ('url' in host ? publicFacts(host) : host);

/** Facts about a host, without its token. */
const publicFacts = ({ url, wsUrl, pid, dataDir, version }: HostRecord): object => ({
  url,
  wsUrl,
  pid,
  dataDir,
  version,
});

/** Throws for a host that is a service: its service manager would start it again after a stop, and would not know a host that this command starts. */
function refuseService({ service, pid }: HostRecord, instead: string): void {
  if (service === undefined) return;
  throw new CliError(
    EXIT.usage,
    `the host (pid ${pid}) is the service ${oneLine(service)}: use \`${instead}\``,
  );
}
