import { spawn } from 'node:child_process';
import { open, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isSea } from 'node:sea';
import { setTimeout as wait } from 'node:timers/promises';
import type { Context } from '../process/context.ts';
import { CliError, EXIT } from '../process/exit.ts';
import { dataFolder } from '../process/files.ts';
import { dataFolderTrouble, makeFolder } from '../process/make-folder.ts';
import { homely, oneLine, plain } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';
import { type HostRecord, isListening, type LocalRecord, readRecords } from './discovery.ts';
import { rotateLog } from './rotate-log.ts';

const POLL_INTERVAL_MS = 50;

/**
 * Limits each half of V8's young generation to 16 MiB; the default is 64 MiB. A host that relays a flood of terminal output fills
 * both halves: it takes 220 MB in place of 320 MB, at the same speed.
 */
export const HOST_NODE_FLAGS = ['--max-semi-space-size=16'];

/** A first start makes folders and a database; a start after a kill recovers what was open, and waits for keepers that are slow. */
const START_TIMEOUT_MS = 60_000;

/** Time for a host that another command started at the same moment. */
const RIVAL_TIMEOUT_MS = 5_000;

/** How a host is started. */
export interface Launch {
  readonly dataDir: string;
  /** Arguments of `serve`. */
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Context['env'];
}

/** Starts a host, by default with defaults; see `launchHost`. Rejects for one that waits for its cell. */
export async function startHost(
  context: Context,
  screen: Screen,
  folder: string,
  launch: Launch = { dataDir: dataFolder(context), args: [], cwd: context.home, env: context.env },
): Promise<HostRecord> {
  const started = await launchHost(context, screen, folder, launch);
  if (isListening(started)) return started;
  const { pid, reason } = started;
  throw new CliError(
    EXIT.cannotConnect,
    `the standby with this data folder (pid ${pid}) waits: ${oneLine(reason)}`,
  );
}

/**
 * Starts a host that outlives this command, with its output in `serve.log` of the data folder, and waits until the host can be found, or until it waits
 * as a standby. Rejects with the last output of the host if the host ends before.
 */
export async function launchHost(
  context: Context,
  screen: Screen,
  folder: string,
  launch: Launch,
): Promise<LocalRecord> {
  const { dataDir } = launch;
  await makeFolder(dataDir, 0o700).catch((cause: unknown) => {
    throw new CliError(EXIT.error, dataFolderTrouble(dataDir, cause), { cause });
  });
  const logFile = join(dataDir, 'serve.log');
  await rotateLog(logFile);
  const log = await open(logFile, 'a', 0o600);
  const { size: before } = await log.stat();
  screen.status('starting a host');
  try {
    const [file = '', ...args] = hostCommand(launch.args);
    const child = spawn(file, args, {
      cwd: launch.cwd,
      env: { ...launch.env },
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    });
    let hasEnded = false;
    child.once('exit', () => {
      hasEnded = true;
    });
    child.once('error', () => {
      hasEnded = true;
    });
    child.unref();
    const { pid } = child;
    const found = await untilFound(folder, dataDir, START_TIMEOUT_MS, () => hasEnded);
    // Two commands may start a host at the same time. One of the hosts finds the data folder in use.
    const host =
      found ?? (hasEnded ? await untilFound(folder, dataDir, RIVAL_TIMEOUT_MS, () => false) : undefined);
    if (host === undefined)
      throw new CliError(EXIT.cannotConnect, hasEnded ? await lastWords(logFile, before) : tooLate(logFile));
    const isRival = host.pid !== pid;
    // Else the host of this command would take the data folder over if the other one ended just now.
    if (isRival && !hasEnded) child.kill();
    const by = isRival ? 'another command started the' : 'started a';
    const place = `(pid ${host.pid}), log in ${homely(oneLine(logFile, 1_000), context.home)}`;
    screen.note(
      isListening(host)
        ? `${by} host on ${oneLine(host.url)} ${place}`
        : `${by} standby of cell ${oneLine(host.cell)} ${place}; it waits: ${oneLine(host.reason)}`,
    );
    // The host printed them into its log only.
    const notices = isListening(host) ? (host.notices ?? []) : [];
    for (const notice of notices) screen.note(screen.colors.yellow(oneLine(notice, 2_000)));
    return host;
  } finally {
    screen.status(undefined);
    await log.close();
  }
}

/** The program that runs a host with these arguments of `serve`, and its arguments. */
export function hostCommand(args: readonly string[]): readonly string[] {
  // Node and the program in one file: the place of its modules changes with each version.
  if (isSea()) return [process.execPath, 'serve', ...args];
  const [, entry = ''] = process.argv;
  return [process.execPath, ...process.execArgv, ...HOST_NODE_FLAGS, resolve(entry), 'serve', ...args];
}

async function untilFound(
  folder: string,
  dataDir: string,
  limitMs: number,
  isOver: () => boolean,
): Promise<LocalRecord | undefined> {
  for (const end = performance.now() + limitMs; performance.now() < end; await wait(POLL_INTERVAL_MS)) {
    const host = (await readRecords(folder)).find((each) => each.dataDir === dataDir);
    if (host !== undefined || isOver()) return host;
  }
  return undefined;
}

const tooLate = (logFile: string): string =>
  `the host was not ready within ${START_TIMEOUT_MS / 1_000} s; see ${logFile}`;

/** The last line that was logged since the file had `from` bytes. */
async function lastWords(logFile: string, from: number): Promise<string> {
  const bytes = await readFile(logFile);
  const lines = plain(bytes.subarray(from).toString('utf8')).trim().split('\n');
  const said = lines.at(-1)?.replace(/^agenthost: /, '') ?? '';
  return said === '' ? `the host exited immediately; see ${logFile}` : `the host could not start: ${said}`;
}
