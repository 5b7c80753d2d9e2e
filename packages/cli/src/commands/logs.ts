import { type AhpClient, type HostLogRecord, type LogSeverity, openTelemetry } from '@agenthost/client';
import type { URI } from '@agenthost/protocol';
import { withHost } from '../host-link/connect.ts';
import type { HostOptions } from '../host-link/find-host.ts';
import { watchConnection } from '../host-link/host-watch.ts';
import { findSession } from '../input/ids.ts';
import type { Context } from '../process/context.ts';
import { CliError, EXIT, type ExitCode } from '../process/exit.ts';
import { Interruption } from '../process/interruption.ts';
import type { Screen } from '../render/screen.ts';
import { logLine } from '../telemetry/log-line.ts';

/** Options of `logs`, as parsed. */
export interface LogsOptions extends HostOptions {
  readonly follow?: boolean;
  readonly session?: string;
  readonly level: Extract<LogSeverity, 'debug' | 'info' | 'warn' | 'error'>;
  readonly lines: number;
  readonly json?: boolean;
}

/** `logs`: the last lines of the host's log, and with `--follow` further ones and the steps of turns. */
export function showLogs(context: Context, screen: Screen, options: LogsOptions): Promise<ExitCode> {
  return withHost(context, screen, options, async ({ client }) => {
    const session =
      options.session === undefined ? undefined : (await findSession(client, options.session)).resource;
    let count = 0;
    const show = (record: HostLogRecord): void => {
      if (!isOf(record, session)) return;
      count += 1;
      if (options.json === true) screen.json(record);
      else screen.line(logLine(record));
    };
    const telemetry = await openTelemetry(client);
    const stop = await telemetry.logs(show, { severity: options.level, tail: options.lines });
    try {
      // The lines of the past come before the answer.
      await client.ping();
      if (options.follow === true) {
        if (options.json !== true) screen.note('following; Ctrl-C ends');
        return await untilInterrupted(context, screen, client);
      }
      if (count === 0 && options.json !== true)
        screen.note(session === undefined ? 'the host has logged nothing' : 'no line belongs to the session');
      return EXIT.done;
    } finally {
      stop();
    }
  });
}

const isOf = ({ attributes }: HostLogRecord, session: URI | undefined): boolean =>
  session === undefined || attributes['ahp.session.id'] === session;

async function untilInterrupted(context: Context, screen: Screen, client: AhpClient): Promise<ExitCode> {
  const interruption = new Interruption(context);
  const leave = watchConnection(client, screen, (reason) => interruption.stop(reason));
  const unwatch = client.onStatus((status) => {
    if (status.state === 'closed' || status.state === 'replaced')
      interruption.stop({
        exitCode: EXIT.cannotConnect,
        message: `lost the connection to the host: ${status.error.message}`,
      });
  });
  try {
    const { signal } = interruption;
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', () => resolve(), { once: true });
    });
    const { reason } = interruption;
    if (reason?.message !== undefined) throw new CliError(reason.exitCode, reason.message);
    return reason?.exitCode ?? EXIT.done;
  } finally {
    unwatch();
    leave();
    interruption.dispose();
  }
}
