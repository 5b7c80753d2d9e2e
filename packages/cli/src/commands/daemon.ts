import { defined } from '@agenthost/protocol/values';
import { type LocalHostOptions, localRecord, localRecords, noHost } from '../daemon/choose-host.ts';
import { printReport, printStandby, reportOf, standbyReportOf } from '../daemon/host-report.ts';
import { isCheckOff, newerVersion } from '../daemon/newer-version.ts';
import { nextLaunch } from '../daemon/next-launch.ts';
import { type LaunchOptions, serveArguments } from '../daemon/serve-arguments.ts';
import { stopHost } from '../daemon/stop-host.ts';
import { isListening, type LocalRecord } from '../host-link/discovery.ts';
import { launchHost } from '../host-link/start-host.ts';
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

/** `start`: starts a host in the background. Succeeds if a host already runs with the data folder, or a standby already waits. */
export async function start(context: Context, screen: Screen, options: StartOptions): Promise<ExitCode> {
  const dataDir = dataDirOf(context, options.data);
  const [present] = await localRecords(context, { data: dataDir });
  if (present !== undefined) {
    const what = isListening(present)
      ? `a host with this data folder is already running: ${oneLine(present.url)}`
      : `a standby with this data folder already waits for cell ${oneLine(present.cell)}`;
    if (options.json !== true) screen.note(`${what} (pid ${present.pid})`);
    else screen.json({ ...publicFacts(present), isNew: false });
    return EXIT.done;
  }
  const host = await launchHost(context, screen, hostsFolder(context), {
    dataDir,
    args: serveArguments(options, context.cwd),
    cwd: context.cwd,
    env: context.env,
  });
  if (options.json === true) screen.json({ ...publicFacts(host), isNew: true });
  return EXIT.done;
}

/** `stop`: stops a host, or ends a waiting standby, and waits until its process is gone. */
export async function stop(context: Context, screen: Screen, options: StopOptions): Promise<ExitCode> {
  const host = await localRecord(context, options);
  refuseService(host, commandLine('service stop'));
  await stopHost(context, screen, host, options.drain);
  if (options.json === true) screen.json({ stopped: host.pid, dataDir: host.dataDir });
  else {
    const what = isListening(host) ? `host on ${oneLine(host.url)}` : `standby of cell ${oneLine(host.cell)}`;
    screen.note(`stopped the ${what} (pid ${host.pid})`);
  }
  return EXIT.done;
}

/** `restart`: stops a host after its turns, or a waiting standby, and starts it in the background with the options that it had. */
export async function restart(context: Context, screen: Screen, options: StopOptions): Promise<ExitCode> {
  const host = await localRecord(context, options);
  refuseService(host, commandLine('service restart'));
  const launch = await nextLaunch(context, host, (line) => screen.note(line));
  await stopHost(context, screen, host, options.drain);
  const next = await launchHost(context, screen, hostsFolder(context), launch);
  if (options.json === true) screen.json({ ...publicFacts(next), isNew: true });
  return EXIT.done;
}

/** `status`: the hosts and the waiting standbys of this user on this machine. Exit code 4 if there are none. */
export async function status(context: Context, screen: Screen, options: StatusOptions): Promise<ExitCode> {
  const records = await localRecords(context, options);
  if (records.length === 0) throw noHost(options);
  const isOff = options.updateCheck === false || (await isCheckOff(context));
  screen.status('asking the host');
  const [reports, latest] = await Promise.all([
    Promise.all(
      records.map(async (record) =>
        isListening(record) ? reportOf(context, record) : standbyReportOf(record),
      ),
    ),
    isOff ? undefined : newerVersion(context),
  ]);
  screen.status(undefined);
  for (const report of reports) {
    if (options.json === true) screen.json({ ...report, ...defined({ latestVersion: latest }) });
    else if ('state' in report) printStandby(context, screen, report);
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

/** Facts about a host or a standby, without its token. */
function publicFacts(record: LocalRecord): object {
  const { pid, dataDir, version } = record;
  if (isListening(record)) {
    const { url, wsUrl, notices } = record;
    return { url, wsUrl, pid, dataDir, version, ...defined({ notices }) };
  }
  return { pid, dataDir, version, cell: record.cell, waiting: record.reason };
}

/** Throws for a host that is a service: its service manager would start it again after a stop, and would not know a host that this command starts. */
function refuseService({ service, pid }: LocalRecord, instead: string): void {
  if (service === undefined) return;
  throw new CliError(
    EXIT.usage,
    `the host (pid ${pid}) is the service ${oneLine(service)}: use \`${instead}\``,
  );
}
