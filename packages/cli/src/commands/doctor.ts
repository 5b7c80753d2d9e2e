import { existsSync } from 'node:fs';
import { checkAgents } from '../doctor/agents.ts';
import { checkClock } from '../doctor/clock.ts';
import { checkDamaged } from '../doctor/damaged-databases.ts';
import { type Finding, fault, ok, warning } from '../doctor/finding.ts';
import { checkAccess, checkDisk, checkKeepers } from '../doctor/folder.ts';
import { checkPort } from '../doctor/port.ts';
import { checkPrograms } from '../doctor/programs.ts';
import { checkServer } from '../doctor/server.ts';
import { checkStandby, databaseOfStandby } from '../doctor/standby.ts';
import { withHost } from '../host-link/connect.ts';
import {
  type HostRecord,
  isListening,
  type LocalRecord,
  readRecords,
  type StandbyRecord,
} from '../host-link/discovery.ts';
import type { HostOptions } from '../host-link/find-host.ts';
import { detailsOf, errorSentence, wireCodeOf } from '../host-link/host-errors.ts';
import { recordOf } from '../host-link/host-of-folder.ts';
import { LOCAL_HOST } from '../hosts/host-list.ts';
import type { Context } from '../process/context.ts';
import { CliError, EXIT, type ExitCode, usageError } from '../process/exit.ts';
import { hostsFolder } from '../process/files.ts';
import { commandLine } from '../process/own-command.ts';
import { oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';
import { dataDirOf } from '../serve/places.ts';
import { configFileOf } from './serve.ts';

/** Options of `doctor` as parsed. */
export interface DoctorOptions extends HostOptions {
  readonly data?: string;
  readonly config?: string;
  readonly port: number;
  /** Address on which the port of the next host is checked. */
  readonly listen: string;
  readonly json?: boolean;
}

/** `doctor`: checks this machine and its host, or another host with `--host` or `--url`. Exit code 1 if there is a fault. */
export async function doctor(context: Context, screen: Screen, options: DoctorOptions): Promise<ExitCode> {
  const { data, url, host } = options;
  if (data !== undefined && (url !== undefined || host !== undefined))
    throw usageError(
      '--data names a folder of this machine, and --host or --url (or AGENTHOST_URL) a host: use one of them',
    );
  const findings: Finding[] = [];
  const report = (found: readonly Finding[]): void => {
    for (const finding of found) show(screen, finding, options.json === true);
    findings.push(...found);
  };
  if (url !== undefined || (host !== undefined && host !== LOCAL_HOST))
    report(await askHost(context, screen, options));
  else await checkMachine(context, screen, options, report);
  screen.status(undefined);
  return findings.some(({ state }) => state === 'fault') ? EXIT.error : EXIT.done;
}

async function checkMachine(
  context: Context,
  screen: Screen,
  options: DoctorOptions,
  report: (found: readonly Finding[]) => void,
): Promise<void> {
  const records = await readRecords(hostsFolder(context));
  const hosts = records.filter(isListening);
  // Without --data, the folder of the only host that runs, or else of the only standby that waits.
  const running: readonly LocalRecord[] = hosts.length > 0 ? hosts : records;
  const only = options.data === undefined && running.length === 1 ? running[0] : undefined;
  const dataDir = only?.dataDir ?? dataDirOf(context, options.data);
  const record = only ?? (await recordOf(records, dataDir));
  const [host, standby] = record === undefined || isListening(record) ? [record] : [undefined, record];
  screen.status('looking at this machine');
  report(await checkPrograms(context.platform, context.env));
  if (existsSync(dataDir)) {
    report([
      checkAccess(dataDir, process.getuid?.()),
      checkDisk(dataDir),
      checkKeepers(dataDir, context.platform),
      ...checkDamaged(dataDir),
    ]);
  } else report([ok('folder', `${dataDir} does not exist yet: the first host creates it`)]);
  report([standby === undefined ? hostLine(host, context.version) : checkStandby(standby)]);
  if (host !== undefined) {
    screen.status('asking the host');
    const { host: _local, ...others } = options;
    report(await askHost(context, screen, { ...others, url: host.url }));
    return;
  }
  report([await checkPort(options.listen, options.port, hosts)]);
  screen.status('checking the database');
  report(await checkAlone(context, options, dataDir, standby));
}

function hostLine(host: HostRecord | undefined, version: string): Finding {
  if (host === undefined) return ok('host', 'none is running with this folder');
  const detail = `${host.url}, pid ${host.pid}, agenthost ${host.version}`;
  return host.version === version
    ? ok('host', detail)
    : warning(
        'host',
        `${detail}; this program is agenthost ${version}`,
        'restart the host to use the same version',
      );
}

const isRpcError = (error: unknown): boolean => wireCodeOf(error) !== undefined;

async function askHost(context: Context, screen: Screen, options: HostOptions): Promise<Finding[]> {
  try {
    return await withHost(context, screen, options, async ({ client, target }) => {
      const { checkRunningHost } = await import('../doctor/host.ts');
      return checkRunningHost(client, target.isOwn);
    });
  } catch (error) {
    if (detailsOf(error)?.kind === 'database') {
      const { SERVER_HINT } = await import('../doctor/host.ts');
      return [fault('database', errorSentence(error), SERVER_HINT)];
    }
    const isOfHost = error instanceof CliError ? error.exitCode === EXIT.cannotConnect : isRpcError(error);
    if (!isOfHost) throw error;
    return [fault('host', errorSentence(error), 'see the log of the host: agenthost.log in its data folder')];
  }
}

/** The database, the clock and the agents of a folder without a host. */
async function checkAlone(
  context: Context,
  { config }: DoctorOptions,
  dataDir: string,
  standby: StandbyRecord | undefined,
): Promise<Finding[]> {
  const { checkFolder, agentsHere } = await import('../serve/check-here.ts');
  const place = configFileOf(context, config);
  const findings: Finding[] = [];
  let newestTime = 0;
  if (standby !== undefined) findings.push(databaseOfStandby(standby));
  else if (existsSync(dataDir)) {
    const { database, isInUse, isInterrupted, cell, knownVersion } = await checkFolder(dataDir);
    newestTime = database?.newestTime ?? 0;
    if (isInterrupted)
      findings.push(
        fault(
          'database',
          'a restore was interrupted, and no host can start with this folder',
          `repeat \`${commandLine('backup restore')}\` with the same file`,
        ),
      );
    else if (isInUse)
      findings.push(
        warning(
          'database',
          'not checked: a host of another user or machine uses it',
          'run this command where the host runs',
        ),
      );
    else if (cell !== undefined) findings.push(await serverOf(context, place, cell));
    else if (database === undefined) findings.push(ok('database', 'none yet'));
    else if (database.unreadable !== undefined)
      findings.push(
        fault(
          'database',
          `not checked: ${database.unreadable}`,
          `check the permissions of ${dataDir} and of journal.db in it, or run this command as the user of the host`,
        ),
      );
    else if (database.fault !== undefined)
      findings.push(
        fault(
          'database',
          `damaged: ${database.fault}`,
          `restore a backup with \`${commandLine('backup restore')}\`; the next host would set the file aside and begin a new one`,
        ),
      );
    else if (database.version > knownVersion)
      findings.push(
        fault(
          'database',
          `written by a newer agenthost: version ${database.version}, and this agenthost supports versions up to ${knownVersion}`,
          'install the newer agenthost again, or restore a backup from before the upgrade',
        ),
      );
    else findings.push(ok('database', 'sound'));
  }
  findings.push(checkClock({ now: Date.now(), newestTime }));
  try {
    return [...findings, ...checkAgents(await agentsHere(context, place, dataDir))];
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return [...findings, fault('config', error.message, `correct ${place.file}`)];
  }
}

async function serverOf(
  context: Context,
  place: ReturnType<typeof configFileOf>,
  cell: string,
): Promise<Finding> {
  const { serverHere } = await import('../serve/check-here.ts');
  try {
    return checkServer(cell, await serverHere(context, place, cell));
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return fault('database', error.message, 'correct AGENTHOST_JOURNAL or `journal` in the config file');
  }
}

function show(screen: Screen, finding: Finding, isJson: boolean): void {
  screen.status(undefined);
  if (isJson) return screen.json(finding);
  const { check, state, detail, hint } = finding;
  screen.line(`${state.padEnd(7)}  ${check.padEnd(8)}  ${oneLine(detail, 1_000)}`);
  if (hint !== undefined) screen.line(`${' '.repeat(19)}${oneLine(hint, 1_000)}`);
}
