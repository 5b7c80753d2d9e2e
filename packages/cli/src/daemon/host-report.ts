import { ROOT_URI } from '@agenthost/protocol';
import { defined, errorText } from '@agenthost/protocol/values';
import { damagedAdvice, damagedDatabases } from '../doctor/damaged-databases.ts';
import type { HostRecord, StandbyRecord } from '../host-link/discovery.ts';
import { own } from '../host-link/find-host.ts';
import { openClient } from '../host-link/open-client.ts';
import { type HostCounts, hostCounts } from '../hosts/host-counts.ts';
import { shortId } from '../input/ids.ts';
import type { Context } from '../process/context.ts';
import { homely, oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';
import { ago } from '../render/session-line.ts';

const CONNECT_TIMEOUT_MS = 5_000;
/** Sessions of each kind that are listed. */
const MAX_LISTED = 10;

/** State of a host on this machine. */
export interface HostReport extends Partial<HostCounts> {
  readonly version: string;
  readonly url: string;
  readonly pid: number;
  readonly startedAt: string;
  readonly uptimeSeconds: number;
  readonly dataDir: string;
  /** The service that runs the host. Absent: none. */
  readonly service?: string;
  /** Why the host does not answer. Absent: it answers. */
  readonly problem?: string;
  /** Why the host cannot save changes and refuses them. Absent: it accepts them, or has another version than this program. */
  readonly refusesChanges?: string;
  /** Paths of damaged databases that hosts have set aside in its data folder. Absent: none. */
  readonly damagedDatabases?: readonly string[];
}

/** State of a standby that waits for its cell. */
export interface StandbyReport {
  readonly state: 'waiting';
  readonly cell: string;
  /** Machine and process of the host that holds the cell. Absent: not known; see `problem`. */
  readonly holder?: string;
  /** Why the holder is not known, such as a database that does not answer. */
  readonly problem?: string;
  readonly version: string;
  readonly pid: number;
  /** ISO 8601. */
  readonly waitingSince: string;
  readonly dataDir: string;
  /** The service that runs the standby. Absent: none. */
  readonly service?: string;
}

/** The state of a standby, as it has recorded it. */
export function standbyReportOf({
  cell,
  holder,
  reason,
  version,
  pid,
  startedAt: waitingSince,
  dataDir,
  service,
}: StandbyRecord): StandbyReport {
  const known = holder === undefined ? { problem: reason } : { holder };
  return {
    state: 'waiting',
    cell,
    ...known,
    version,
    pid,
    waitingSince,
    dataDir,
    ...(service !== undefined && { service }),
  };
}

/** Prints the state of a standby for people. */
export function printStandby(context: Context, screen: Screen, report: StandbyReport): void {
  const { cell, holder, problem, version, pid, waitingSince, dataDir, service } = report;
  screen.line(`agenthost ${oneLine(version)} waits for cell ${screen.outColors.bold(oneLine(cell))}`);
  const row = rowsOf(screen);
  row('pid', `${pid}, waiting for ${ago(waitingSince, Date.now())}`);
  row('data', oneLine(homely(dataDir, context.home), 1_000));
  if (service !== undefined) row('service', oneLine(service));
  if (holder !== undefined) row('holder', oneLine(holder, 500));
  if (problem !== undefined) row('problem', oneLine(problem, 500));
}

/** Returns a function that prints a line with a name. */
const rowsOf =
  (screen: Screen) =>
  (name: string, text: string): void =>
    screen.line(`  ${name.padEnd(9)}  ${text}`);

/** Requests the state of a host. Never rejects because of the host: `problem` has the reason. */
export async function reportOf(context: Context, host: HostRecord): Promise<HostReport> {
  const { version, url, pid, startedAt, dataDir, service } = host;
  const uptimeSeconds = Math.max(0, Math.round((Date.now() - Date.parse(startedAt)) / 1_000));
  const damaged = damagedDatabases(dataDir);
  const facts = {
    ...{ version, url, pid, startedAt, uptimeSeconds, dataDir, ...(service && { service }) },
    ...(damaged.length > 0 && { damagedDatabases: damaged }),
  };
  try {
    const client = await openClient(own({ env: {} }, host), {
      clientInfo: { name: 'agenthost-cli', version: context.version },
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
    });
    try {
      const counts = await hostCounts(client);
      // An older host would check its database, which takes long.
      if (version !== context.version) return { ...facts, ...counts };
      const { refusesChanges } = await client.request('x-checkHost', {
        channel: ROOT_URI,
        skipDatabase: true,
      });
      return { ...facts, ...counts, ...defined({ refusesChanges }) };
    } finally {
      client.close();
    }
  } catch (cause) {
    return { ...facts, problem: errorText(cause) };
  }
}

/** Prints the state of a host for people. */
export function printReport(context: Context, screen: Screen, report: HostReport): void {
  const { version, url, pid, startedAt, dataDir, service, problem, running = [], waiting = [] } = report;
  screen.line(`agenthost ${oneLine(version)} on ${screen.outColors.bold(oneLine(url))}`);
  const row = rowsOf(screen);
  row('pid', `${pid}, up ${ago(startedAt, Date.now())}`);
  row('data', oneLine(homely(dataDir, context.home), 1_000));
  if (service !== undefined) row('service', oneLine(service));
  for (const file of report.damagedDatabases ?? []) {
    row('warning', `its database was damaged: ${oneLine(homely(file, context.home), 1_000)}`);
    row('', damagedAdvice());
  }
  if (problem !== undefined) {
    row('problem', `it does not answer: ${oneLine(problem, 500)}`);
    return;
  }
  if (report.refusesChanges !== undefined)
    row('problem', `it cannot save changes, and refuses them: ${oneLine(report.refusesChanges, 500)}`);
  const waits = waiting.length === 1 ? '1 waits for you' : `${waiting.length} wait for you`;
  const runs = running.length === 1 ? '1 runs' : `${running.length} run`;
  row('sessions', `${report.sessionCount ?? 0}: ${runs}, ${waits}`);
  row('terminals', String(report.terminalCount ?? 0));
  for (const [word, sessions] of [
    ['asks', waiting],
    ['runs', running],
  ] as const) {
    for (const { resource, title, provider } of sessions.slice(0, MAX_LISTED))
      row(
        word,
        `${shortId(resource)}  ${oneLine(provider).padEnd(8)}  ${oneLine(title, 200) || '(no title)'}`,
      );
    if (sessions.length > MAX_LISTED) row('', `and ${sessions.length - MAX_LISTED} more`);
  }
}
