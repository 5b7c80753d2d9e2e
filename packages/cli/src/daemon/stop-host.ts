import { setTimeout as wait } from 'node:timers/promises';
import type { AhpClient } from '@agenthost/client';
import { ErrorCodes, ROOT_URI } from '@agenthost/protocol';
import { errorText, hasCode } from '@agenthost/protocol/values';
import { type HostRecord, isListening, type LocalRecord, processStart } from '../host-link/discovery.ts';
import { own } from '../host-link/find-host.ts';
import { wireCodeOf } from '../host-link/host-errors.ts';
import { openClient } from '../host-link/open-client.ts';
import { markStopping, readStopMark, removeStopMark } from '../host-link/stop-mark.ts';
import type { Context } from '../process/context.ts';
import { CliError, EXIT } from '../process/exit.ts';
import { hostsFolder } from '../process/files.ts';
import { Interruption } from '../process/interruption.ts';
import type { Screen } from '../render/screen.ts';
import { drainSecondsOf } from './serve-arguments.ts';

const POLL_INTERVAL_MS = 50;
const CONNECT_TIMEOUT_MS = 5_000;
/** Time for a host to end its turns and agents and to write what is open. */
const STOP_TIMEOUT_MS = 30_000;

/** Whether the process of a host runs. */
const isRunning = async ({ pid, processStart: start }: LocalRecord): Promise<boolean> =>
  (await processStart(pid)) === start;

/** The result of the wait for turns, before the host gets a signal. */
interface Waited {
  /** The connection that keeps the host from starting turns. Absent: none. */
  readonly client?: AhpClient;
  /** The wait is over: the host does not wait for its own `--drain`. */
  readonly isOver: boolean;
  /** Turns may still run, and the time that the user gave them is over. */
  readonly isCutOff: boolean;
}

/**
 * Stops a host and waits until its process is gone. First it waits for running turns, for `drainSeconds` (default: the host's own `--drain`), while the
 * host starts no new ones. Ctrl-C during this wait leaves the host as it was. A host that is already stopping gets a second signal only if `drainSeconds` is
 * given and turns still run after that time. A waiting standby has no turns. Rejects with a `CliError` when the process does not end.
 */
export async function stopHost(
  context: Context,
  screen: Screen,
  host: LocalRecord,
  drainSeconds: number | undefined,
): Promise<void> {
  const folder = hostsFolder(context);
  const isStopping = readStopMark(folder, host.pid) !== undefined;
  if (isStopping) screen.note(`the host (pid ${host.pid}) is already stopping`);
  const waited: Waited =
    !isListening(host) || (isStopping && drainSeconds === undefined)
      ? { isOver: false, isCutOff: false }
      : await waitForTurns(context, screen, host, drainSeconds);
  try {
    await endProcess(screen, folder, host, waited);
  } finally {
    // The end of this connection ends the drain, so that the host would start turns again.
    waited.client?.close();
    screen.status(undefined);
  }
}

async function waitForTurns(
  context: Context,
  screen: Screen,
  host: HostRecord,
  drainSeconds: number | undefined,
): Promise<Waited> {
  const seconds = drainSeconds ?? drainSecondsOf(host.args);
  if (seconds === 0) return { isOver: true, isCutOff: drainSeconds === 0 };
  const drain = await drained(context, screen, host, seconds);
  if (drain === undefined) return { isOver: false, isCutOff: false };
  return { client: drain.client, isOver: true, isCutOff: drain.runningTurns > 0 };
}

/** Drains a host. Resolves with the connection that keeps it from starting turns; `undefined` for a host that cannot drain. */
async function drained(
  context: Context,
  screen: Screen,
  host: HostRecord,
  timeoutSeconds: number,
): Promise<{ client: AhpClient; runningTurns: number } | undefined> {
  const interruption = new Interruption(context);
  let client: AhpClient | undefined;
  try {
    // The token of the environment may allow less than the owner's.
    client = await openClient(own({ env: {} }, host), {
      clientInfo: { name: 'agenthost-cli', version: context.version },
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
    });
    screen.status(`waiting up to ${timeoutSeconds} s for running turns`);
    const { runningTurns } = await client.request(
      'x-drainHost',
      { channel: ROOT_URI, timeoutSeconds },
      { signal: interruption.signal },
    );
    screen.status(undefined);
    if (runningTurns > 0) screen.note(cutOff(runningTurns));
    return { client, runningTurns };
  } catch (cause) {
    client?.close();
    if (interruption.reason !== undefined)
      throw new CliError(EXIT.interrupted, 'interrupted: the host continues, and starts new turns again', {
        cause,
      });
    // Another command stops the host, or has stopped it. A host that has ended has no mark.
    if (readStopMark(hostsFolder(context), host.pid) !== undefined || !(await isRunning(host)))
      return undefined;
    const isOld = wireCodeOf(cause) === ErrorCodes.MethodNotFound;
    screen.note(
      isOld
        ? 'the host is of an older version and cannot wait for its turns'
        : `cannot ask the host to finish its turns: ${errorText(cause)}`,
    );
    return undefined;
  } finally {
    interruption.dispose();
    screen.status(undefined);
  }
}

async function endProcess(
  screen: Screen,
  folder: string,
  host: LocalRecord,
  { isOver, isCutOff }: Waited,
): Promise<void> {
  const { pid, args } = host;
  // The process id may belong to another process by now.
  if (!(await isRunning(host))) return;
  const other = markStopping(folder, pid, isOver ? 'drained' : 'waiting');
  // A second signal ends a host at once.
  if (other === undefined || (other === 'waiting' && isCutOff)) {
    try {
      process.kill(pid, 'SIGTERM');
    } catch (cause) {
      removeStopMark(folder, pid);
      if (hasCode(cause, 'ESRCH')) return;
      throw new CliError(EXIT.error, `cannot stop the host (pid ${pid}): ${errorText(cause)}`, { cause });
    }
  }
  const ownDrain = isOver || other === 'drained' ? 0 : drainSecondsOf(args);
  screen.status(
    ownDrain === 0 ? `stopping the host (pid ${pid})` : `stopping the host (pid ${pid}) after its turns`,
  );
  const limitMs = STOP_TIMEOUT_MS + ownDrain * 1_000;
  const end = performance.now() + limitMs;
  while (await isRunning(host)) {
    if (performance.now() > end)
      throw new CliError(
        EXIT.error,
        `the host (pid ${pid}) has not ended within ${limitMs / 1_000} s; \`kill -KILL ${pid}\` ends it at once`,
      );
    await wait(POLL_INTERVAL_MS);
  }
  removeStopMark(folder, pid);
}

const cutOff = (count: number): string =>
  count === 1
    ? '1 turn still runs, and now ends with an error'
    : `${count} turns still run, and now end with an error`;
